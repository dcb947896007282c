# SPDX-License-Identifier: GPL-3.0-or-later
# runner.sh: the project's own runner where perf, users and iopl are as in inside/*.sh.
. /steps.sh
paranoid=/proc/sys/kernel/perf_event_paranoid

step doctor_no_pmu asmsweep-run doctor
insmod /modules/testpmu.ko user_only=1 || exit 1
step doctor_pmu asmsweep-run doctor
step doctor_user_3 as_user asmsweep-run doctor
echo 2 >$paranoid
step doctor_user_2 as_user asmsweep-run doctor
echo 3 >$paranoid
echo 0 >/sys/module/testpmu/parameters/user_only
step doctor_pmu_refuses_u asmsweep-run doctor
rmmod testpmu
insmod /modules/testpmu.ko hybrid=1 user_only=1 || exit 1
step doctor_hybrid asmsweep-run doctor
rmmod testpmu
