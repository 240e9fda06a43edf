#!/bin/sh
# Measures the program against limit programs on this machine and prints one
# table (see internal/bench). Takes about two minutes; keep the machine quiet.
#
#   scripts/bench.sh [ROUNDS]
#
# ROUNDS is how often each time is taken, 7 if not given. One measure alone:
#
#   go test -run '^$' -bench Times/start -benchtime 7x ./internal/bench
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-7}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# go test ends a run that hangs, so no pipe can block for ever.
bench() {
	go test -run '^$' -timeout 4m "$@" ./internal/bench >>"$out" || {
		cat "$out" >&2
		exit 1
	}
}

echo "scripts/bench.sh $*"
echo "$(go version), Linux $(uname -r), $(nproc) cores, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
bench -bench Times -benchtime "${rounds}x"
bench -bench Footprint -benchtime 1x
go run ./internal/bench/report <"$out"
echo "load $(cut -d ' ' -f 1-3 /proc/loadavg)"
