#!/bin/sh
# Compares the analysis of commands with what real shells run, on random
# programs (see internal/command/differential). Prints the programs, how many a
# second, the share that the analysis resolves, and each miss.
#
#   scripts/differential.sh [SECONDS [SEED]]
#
# SECONDS is 30 if not given, and SEED the time. A miss shows the seed of its
# program; one program alone, with all that is known of it:
#
#   go test -v -run Foresees ./internal/command/differential -one -seed SEED
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-30}
seed=${2:-$(date +%s%N)}

# The last miss may need some time more to be made small.
exec go test -count 1 -v -run '^TestAnalysisForeseesEveryCommand$' -timeout "$((seconds + 180))s" \
	./internal/command/differential -for "${seconds}s" -seed "$seed"
