#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No shell script of the project has anything that shellcheck would name.
set -eu
cd "$(dirname -- "$0")/../.."
command -v shellcheck >/dev/null || {
    echo "skipped: shellcheck is missing: run ./asmsweep setup --tests"
    exit 77
}
{
    grep -rlI --exclude-dir=.git --exclude-dir=build --exclude-dir=data '^#!/bin/\(ba\)\{0,1\}sh' .
    find . -path ./build -prune -o -name '*.sh' -print
} | sort -u | tr '\n' '\0' | xargs -0 shellcheck --external-sources
