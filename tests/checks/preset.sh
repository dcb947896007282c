#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# preset.sh PRESET: build a preset of CMakePresets.json; if it is `sanitized`, run its quick tests,
# without those that spend their time in Python or a browser, and those that measure.
set -eu
cd "$(dirname -- "$0")/../.."
preset=${1:?usage: preset.sh PRESET}
command -v clang >/dev/null || {
    echo "skipped: clang is missing: run ./asmsweep setup --tests"
    exit 77
}
log=build/$preset.log
{ cmake --preset "$preset" && cmake --build --preset "$preset"; } >"$log" 2>&1 || {
    grep -E 'error|warning|FAILED' "$log" || tail -n 30 "$log"
    exit 1
}
[ "$preset" != sanitized ] ||
    ctest --test-dir "build/$preset" -L quick -LE 'check|accuracy' \
        -E '^generator_|_(page|tables)$|^(night_whole|recipes|accuracy.core|cookbook.*|cli_cost)$' \
        --parallel "$(nproc)" --output-on-failure --no-tests=error
