#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What srun starts on a node that shares no folder with us, always the same: the pack comes on
# standard input as a tar, the result goes to standard output, nothing stays behind.
set -eu
folder=$(mktemp -d "${TMPDIR:-/tmp}/asmsweep-fleet.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
tar -xf - -C "$folder"
"$folder/pack/bin/asmsweep-fleet" node --pack "$folder/pack" --out "$folder/results" --stream "$@"
