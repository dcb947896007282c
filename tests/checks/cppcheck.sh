#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cppcheck has nothing to say; what it is wrong about stands in .cppcheck-suppressions.
set -eu
cd "$(dirname -- "$0")/../.."
command -v cppcheck >/dev/null || {
    echo "skipped: cppcheck is missing: run ./asmsweep setup --tests"
    exit 77
}
cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
    --suppressions-list=.cppcheck-suppressions --inline-suppr -D_GNU_SOURCE -D__x86_64__ \
    -I . \
    common runner results campaign templates/variant
