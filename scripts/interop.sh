#!/bin/sh
# Lets clients that others wrote drive the program over standard input and
# output and over HTTP: the Python SDK, the TypeScript SDK and the inspector, between them in
# both eras of the protocol. Needs go, python3 with venv, npm.
#
# What is installed is kept in a cache directory and used again.
set -eu
cd "$(dirname "$0")/.."

python_sdk=2.3.0
typescript_sdk=1.32.2
inspector=2.12.0
node=22.23.3 # the inspector needs 22.19, Debian has older ones

cache=${XDG_CACHE_HOME:-$HOME/.cache}/whelk/interop
python=$cache/python-$python_sdk
javascript=$cache/node-$node-sdk-$typescript_sdk-inspector-$inspector
scratch=$(mktemp -d)
server=
end() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$scratch"
}
trap end EXIT
trap 'exit 1' INT TERM

# install DIRECTORY FUNCTION: lets the function fill the directory, once. The
# mark at the end tells a whole installation from one that was cut short.
install() {
	[ ! -e "$1/complete" ] || return 0
	echo "interop: installing into $1"
	rm -rf "$1"
	mkdir -p "$1"
	"$2" "$1"
	touch "$1/complete"
}

install_python() {
	python3 -m venv "$1"
	timeout 300 "$1/bin/pip" install --quiet --disable-pip-version-check "mcp==$python_sdk"
}

install_javascript() {
	timeout 300 npm install --prefix "$1" --no-audit --no-fund --loglevel=error \
		"node@$node" "@modelcontextprotocol/sdk@$typescript_sdk" "@modelcontextprotocol/inspector@$inspector"
}

# inspect ERA ARGUMENTS: runs the inspector, which must find nothing to say; the
# server is the program, or with $url set what serves there. Its home is a scratch
# directory because it keeps a catalog there.
inspect() {
	era=$1
	shift
	if [ -n "$url" ]; then
		set -- "$url" --header "Authorization: Bearer $token" "$@"
	else
		set -- "$@" -- "$scratch/whelk" --result both
	fi
	if ! HOME=$scratch timeout 60 mcp-inspector --cli --protocol-era "$era" --format json "$@" \
		>"$scratch/out" 2>"$scratch/err" </dev/null || [ -s "$scratch/err" ]; then
		echo "interop: inspector, $era, $*:" >&2
		cat "$scratch/err" "$scratch/out" >&2
		exit 1
	fi
}

install "$python" install_python
install "$javascript" install_javascript
PATH=$javascript/node_modules/.bin:$PATH
go build -trimpath -o "$scratch/whelk" ./cmd/whelk

# serve starts the program over HTTP and waits until it says where: url and token
# tell it to the clients.
serve() {
	"$scratch/whelk" --transport http --listen 127.0.0.1:0 --state-dir "$scratch/state" \
		--result both --max-output 80KiB 2>"$scratch/server" </dev/null &
	server=$!
	for _ in $(seq 100); do
		url=$(sed -n 's|.*\(http://127.0.0.1:[0-9]*/mcp\).*|\1|p' "$scratch/server" | head -n 1)
		[ -z "$url" ] || break
		sleep 0.1
	done
	[ -n "$url" ] || { cat "$scratch/server" >&2; exit 1; }
	token=$(cat "$scratch/state/token")
}

# clients runs all of them; with $url set they call what serves there.
clients() {
	timeout 240 "$python/bin/python" scripts/interop/client.py "$scratch/whelk" $url $token
	timeout 90 node "$javascript/client.mjs" "$scratch/whelk" $url $token
	for era in legacy modern; do
		inspect "$era" --method tools/list --strict
		inspect "$era" --method tools/call --tool-name execute --tool-args-json '{"command":"echo hi; exit 3"}'
		grep -q '"exit_code":3' "$scratch/out" || { echo "interop: inspector, $era: no exit code in the result" >&2; exit 1; }
		echo "inspector, ${url:-stdio}, $era: ok"
	done
}

# A module is searched for from the file that imports it.
cp scripts/interop/client.mjs "$javascript/"
url= token=
clients
serve
clients
kill -TERM "$server"
wait "$server" || { echo "interop: the server ended with $?" >&2; cat "$scratch/server" >&2; exit 1; }
server=
