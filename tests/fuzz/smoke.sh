#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Build the fuzz targets and run each for SECONDS (default 5) from its corpus, as many at once as
# there are cores.
#   tests/fuzz/smoke.sh BUILD-DIR [SECONDS [TARGET]]
# New inputs go to BUILD-DIR/corpus; a crash is left there and fails the run. With a TARGET (a
# program) nothing is built and only it runs.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:?usage: smoke.sh BUILD-DIR [SECONDS [TARGET]]}
seconds=${2:-5}

# run TARGET: one line for it, or the end of its log.
run() {
    name=${1##*/fuzz-}
    mkdir -p "$build/corpus/$name"
    log=$build/corpus/$name.log
    # Words that the target knows, if it has a list of them.
    dictionary=$root/tests/fuzz/$name.dict
    target=$1
    set --
    [ ! -f "$dictionary" ] || set -- "-dict=$dictionary"
    "$target" "$@" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 -artifact_prefix="$build/corpus/$name-" "$build/corpus/$name" \
        "$root/tests/fuzz/corpus/$name" >"$log" 2>&1 || {
        printf '%s: FAILED\n%s\n' "$name" "$(tail -n 30 "$log")"
        return 1
    }
    printf '%s: %s executions, %s coverage points\n' "$name" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
        "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)"
}

if [ $# -eq 3 ]; then
    run "$3"
    exit
fi
if ! command -v clang >/dev/null 2>&1; then
    echo "skipped: no clang"
    exit 77
fi
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DASMSWEEP_FUZZ=ON \
    >"$build.log" 2>&1 ||
    { cat "$build.log"; exit 1; }
cmake --build "$build" >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
printf '%s\0' "$build"/bin/fuzz-* |
    xargs -0 -n 1 -P "$(nproc)" sh "$0" "$build" "$seconds" || exit 1
