# SPDX-License-Identifier: GPL-3.0-or-later
# lockdown.sh: a kernel locked down, as after a secure boot. It stays so: the last script.
. /steps.sh
mount -t securityfs securityfs /sys/kernel/security
echo integrity >/sys/kernel/security/lockdown || exit 1
step lockdown_iopl iopl_probe
echo confidentiality >/sys/kernel/security/lockdown || exit 1
perf_stat lockdown_perf task-clock,msr/tsc/ loop 1000
