#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The batch script of every job of a fleet, always the same: $1 is the pack, the rest is for the
# program in it. Slurm keeps a copy; the pack is in the shared folder.
if ! [ -x "$1/bin/asmsweep-fleet" ]; then
    echo "$1: not seen on $(uname -n); without a folder shared by the nodes use --shared no" >&2
    exit 3
fi
exec "$1/bin/asmsweep-fleet" node --pack "$@"
