# SPDX-License-Identifier: GPL-3.0-or-later
# What the front and nightly have in common. They set $root, $bin (the programs' folder) and
# $speaker, the name that stands before what is said.
# shellcheck shell=sh disable=SC2154

say() {
    printf '%s: %s\n' "$speaker" "$*" >&2
}

# die STATUS TEXT...
die() {
    status=$1
    shift
    say "$*"
    exit "$status"
}

# print FORMAT ARGUMENT...: as printf, for stdout.
print() {
    # The format is the caller's.
    # shellcheck disable=SC2059
    printf "$@" 2>/dev/null || die 2 "stdout: not all could be printed; give it a place with room"
}

# solve_run RUN: its costs.csv, unless one with today's columns is there and newer than the
# measurements.
solve_run() {
    if [ -z "$(find "$1/costs.csv" -newer "$1/summary.csv" 2>/dev/null)" ] ||
        ! head -n 1 "$1/costs.csv" | grep -q ',minuend,'; then
        "$bin/asmsweep-results" solve "$1" --published "$root/results/published" >/dev/null
    fi
}
