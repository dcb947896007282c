# SPDX-License-Identifier: GPL-3.0-or-later
# users.sh: what an ordinary user gets from perf at each setting of perf_event_paranoid.
. /steps.sh
paranoid=/proc/sys/kernel/perf_event_paranoid

# perf_as WHO LEVEL: plain events, :u events, and those that tell an execution's health.
perf_as() {
    echo "$2" >$paranoid
    perf_stat "$1_plain_$2" cycles,instructions loop 1000
    perf_stat "$1_user_mode_$2" cycles:u,instructions:u loop 1000
    perf_stat "$1_health_$2" msr/tsc/,task-clock,context-switches,cpu-migrations sleep 0.01
}

step default_paranoid cat $paranoid
insmod /modules/testpmu.ko user_only=1 || exit 1
perf_as root 3
run_as=as_user
for level in 1 2 3; do
    perf_as user "$level"
done
echo 3 >$paranoid
rmmod testpmu
