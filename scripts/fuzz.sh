#!/bin/sh
# Runs fuzz targets for some seconds: fuzz.sh [SECONDS EACH [SECONDS IN ALL [TARGET]]].
# The second bound shortens the first where there are many targets; without
# TARGET, a part of a name, all are run.
set -eu
cd "$(dirname "$0")/.."

each=${1:-10}
all=${2:-240}
only=${3:-}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 1' INT TERM

targets=$(grep -rHo --include='*_test.go' "^func Fuzz[A-Za-z0-9_]*$only[A-Za-z0-9_]*" cmd internal |
	sed 's|^\(.*\)/[^/]*:func \(.*\)$|./\1 \2|' | sort)
count=$(printf '%s\n' "$targets" | grep -c .) || { echo "fuzz: no targets found" >&2; exit 1; }
[ $((count * each)) -le "$all" ] || each=$((all / count))
[ "$each" -ge 1 ] || each=1
echo "fuzz: $count targets, $each s each"

# fuzz PACKAGE TARGET: a failure that has found an input counts, and so does
# everything else but the bare end of the time, which Go 1.26 now and then
# reports as a failure (go.dev/issue/75804).
fuzz() {
	if go test "$1" -run '^$' -fuzz "^$2\$" -fuzztime "${each}s" >"$log" 2>&1 </dev/null; then
		grep -E '^(fuzz: elapsed|ok)' "$log" | tail -n 2
	elif grep -q '^    context deadline exceeded$' "$log" && ! grep -q 'Failing input' "$log"; then
		echo "fuzz: $2: the time ended in the middle of a run; nothing was found"
	else
		cat "$log"
		return 1
	fi
}

printf '%s\n' "$targets" | while read -r package target; do
	echo "fuzz: $package $target"
	fuzz "$package" "$target"
done
