#!/bin/sh
# Checks the code without running it: format, vet, golangci-lint, staticcheck,
# unreachable functions. All checks run; the exit code is 1 if one of them has
# found something.
set -u
cd "$(dirname "$0")/.." || exit 1

# golangci-lint is pinned here and not in tools/go.mod, where its hundreds of
# requirements would decide the versions of the other tools.
golangci_version=v2.15.0
golangci_dir=$(go env GOPATH)/golangci-lint/$golangci_version
failed=0

# check NAME COMMAND: the command must succeed and print nothing to standard output.
check() {
	name=$1
	shift
	echo "lint: $name"
	if ! found=$("$@") || [ -n "$found" ]; then
		printf '%s\n' "$found"
		failed=1
	fi
}

tool() { go tool -modfile=tools/go.mod "$@"; }

golangci() {
	if [ ! -x "$golangci_dir/golangci-lint" ]; then
		echo "lint: building golangci-lint $golangci_version, once: some minutes" >&2
		GOBIN=$golangci_dir go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$golangci_version" || return
	fi
	"$golangci_dir/golangci-lint" run --show-stats=false ./...
}

check gofumpt tool gofumpt -l .
check "go vet" go vet ./...
check golangci-lint golangci
check staticcheck tool staticcheck ./...
check deadcode tool deadcode -test ./...
[ "$failed" = 0 ] || echo "lint: gofumpt -w mends the format: go tool -modfile=tools/go.mod gofumpt -w ."
exit "$failed"
