#!/bin/sh
# Runs the published servers that whelk replaces beside whelk, from PyPI, in
# throw-away virtual environments. Needs go and python3 with venv.
#
#   compat.sh [SERVER...]             every recorded case against both, side by side: what
#                                     differs is printed, and fails unless docs/compat has it
#   compat.sh --record [SERVER...]    writes the recordings of cmd/whelk/testdata/compat anew
#   compat.sh --verify [SERVER...]    the packages against the recordings: all must hold
#
# SERVER is yieldshell, tabshell or mcpshell; without one, all. With --keep the
# environments stay in the cache directory and are used again.
set -eu
cd "$(dirname "$0")/.."

mode=beside
keep=
pattern=
for word; do
	case $word in
	--record) mode=record ;;
	--verify) mode=verify ;;
	--keep) keep=yes ;;
	yieldshell) pattern="$pattern|mcp-yieldshell" ;;
	tabshell) pattern="$pattern|tab-shell-mcp" ;;
	mcpshell) pattern="$pattern|mcp-shell-server" ;;
	*)
		echo "compat.sh [--keep] [--record|--verify] [yieldshell|tabshell|mcpshell]..." >&2
		exit 2
		;;
	esac
done

# The SDK's second major version does not have what the packages import.
sdk='mcp==1.30.0'
packages='mcp-yieldshell==1.1.0 tab-shell-mcp==0.1.1 mcp-shell-server==1.1.14'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
environments=$scratch
[ -z "$keep" ] || environments=${XDG_CACHE_HOME:-$HOME/.cache}/whelk/compat

# One environment each, so that none decides the others' libraries.
for package in $packages; do
	name=${package%%==*}
	home=$environments/$package-$sdk
	if [ ! -e "$home/complete" ]; then
		echo "compat: installing $package"
		rm -rf "$home"
		python3 -m venv "$home"
		timeout 300 "$home/bin/pip" install --quiet --disable-pip-version-check "$package" "$sdk"
		touch "$home/complete"
	fi
	mkdir -p "$scratch/seeds"
	ln -s "$home/bin/$name" "$scratch/seeds/$name"
done

# Python takes its time to start: not more at once than there are processors.
code=0
WHELK_COMPAT=$mode WHELK_COMPAT_SEEDS=$scratch/seeds \
	go test ./cmd/whelk -v -count 1 -timeout 30m -parallel "$(($(nproc) + 2))" -run "TestCompat\$/${pattern#|}" \
	>"$scratch/out" 2>&1 || code=$?
grep -v '^=== \|--- PASS\|^PASS$' "$scratch/out"
exit $code
