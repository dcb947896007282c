# SPDX-License-Identifier: GPL-3.0-or-later
# iopl.sh: CLI and STI at CPL3 on a kernel that fakes iopl(3).
. /steps.sh
dmesg -c >/dev/null
step iopl iopl_probe
step iopl_log dmesg
step iopl_refused as_user iopl_probe
