#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every C source is laid out as clang-format does it by .clang-format.
set -eu
cd "$(dirname -- "$0")/../.."
command -v clang-format >/dev/null || {
    echo "skipped: clang-format is missing: run ./asmsweep setup --tests"
    exit 77
}
find common runner results campaign templates tests -name '*.[ch]' -print0 |
    xargs -0 clang-format --dry-run -Werror
