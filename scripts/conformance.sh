#!/bin/sh
# Runs the official conformance suite against the HTTP stack: the test tools of
# the SDK's own conformance server, served by internal/server. Needs go, npm.
#
# What is installed is kept in a cache directory and used again.
set -eu
cd "$(dirname "$0")/.."

released=0.1.16          # up to 2025-11-25
preview=0.2.0-alpha.12   # the first with 2026-07-28
node=22.23.3             # both need fs.globSync, which Debian's version lacks

cache=${XDG_CACHE_HOME:-$HOME/.cache}/whelk/conformance
root=$PWD
scratch=$(mktemp -d)
server=
end() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$scratch"
}
trap end EXIT
trap 'exit 1' INT TERM

# install VERSION: installs a version of the suite, once. The mark at the end
# tells a whole installation from one that was cut short.
install() {
	[ ! -e "$cache/$1/complete" ] || return 0
	echo "conformance: installing into $cache/$1"
	rm -rf "${cache:?}/$1"
	mkdir -p "$cache/$1"
	timeout 300 npm install --prefix "$cache/$1" --no-audit --no-fund --loglevel=error \
		"node@$node" "@modelcontextprotocol/conformance@$1"
	touch "$cache/$1/complete"
}

# suite VERSION ARGUMENTS: runs one version of the suite. It shows the summary,
# or everything if the suite fails.
suite() {
	version=$1
	shift
	echo "conformance: $version $*"
	if ! (cd "$scratch" && PATH=$cache/$version/node_modules/.bin:$PATH timeout 300 \
		conformance server --url "http://$address/mcp" "$@") >"$scratch/out" 2>&1; then
		cat "$scratch/out"
		exit 1
	fi
	grep '^Total: \|^ *✗ ' "$scratch/out"
}

install "$released"
install "$preview"

# The test tools come from the version of the SDK that is served, so that they
# know its protocol; their main gives way to ours.
sdk=$(go list -m -f '{{.Dir}}' github.com/modelcontextprotocol/go-sdk)
sed 's/^func main() {$/func sdkMain() {/' "$sdk/conformance/everything-server/main.go" >"$scratch/everything.go"
printf '{"Replace":{"%s/internal/server/conformance/everything.go":"%s/everything.go"}}' "$root" "$scratch" >"$scratch/overlay.json"
go build -tags conformance -overlay "$scratch/overlay.json" -o "$scratch/server" ./internal/server/conformance

"$scratch/server" 127.0.0.1:0 >"$scratch/address" 2>"$scratch/server.err" &
server=$!
for _ in $(seq 100); do
	[ ! -s "$scratch/address" ] || break
	sleep 0.1
done
address=$(cat "$scratch/address")
[ -n "$address" ] || { cat "$scratch/server.err" >&2; exit 1; }

suite "$released" --suite all
suite "$preview" --requirements 2025-11-25
suite "$preview" --requirements 2026-07-28 --expected-failures "$root/scripts/conformance/expected-failures.yml"

kill "$server"
wait "$server" || { echo "conformance: the server did not end in order" >&2; cat "$scratch/server.err" >&2; exit 1; }
server=
