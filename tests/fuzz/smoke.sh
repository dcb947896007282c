#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Build the fuzz targets and run each for SECONDS (default 5) from its corpus.
#   tests/fuzz/smoke.sh BUILD-DIR [SECONDS]
# New inputs go to BUILD-DIR/corpus; a crash is left there and fails the run.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:?usage: smoke.sh BUILD-DIR [SECONDS]}
seconds=${2:-5}
if ! command -v clang >/dev/null 2>&1; then
    echo "skipped: no clang"
    exit 77
fi
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DASMSWEEP_FUZZ=ON \
    >"$build.log" 2>&1 ||
    { cat "$build.log"; exit 1; }
cmake --build "$build" >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
status=0
for target in "$build"/bin/fuzz-*; do
    name=${target##*/fuzz-}
    mkdir -p "$build/corpus/$name"
    log=$build/corpus/$name.log
    # Words that the target knows, if it has a list of them.
    set --
    if [ -f "$root/tests/fuzz/$name.dict" ]; then
        set -- "-dict=$root/tests/fuzz/$name.dict"
    fi
    if "$target" "$@" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 -artifact_prefix="$build/corpus/$name-" "$build/corpus/$name" \
        "$root/tests/fuzz/corpus/$name" >"$log" 2>&1; then
        printf '%s: %s executions, %s coverage points\n' "$name" \
            "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
            "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)"
    else
        echo "$name: FAILED"
        tail -n 30 "$log"
        status=1
    fi
done
exit $status
