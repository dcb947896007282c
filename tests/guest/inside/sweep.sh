# SPDX-License-Identifier: GPL-3.0-or-later
# sweep.sh: the runner measures astray.toml under the real perf with the test PMU.
. /steps.sh
parameters=/sys/module/testpmu/parameters

# run NAME ARGUMENTS...: a step; the run's folder is in the step's. One block says enough.
run() {
    run_name=$1
    shift
    step "$run_name" ${run_as:-} asmsweep-run run /sweeps/astray -o "/out/$run_name/run" \
        --blocks 1 --slices 20 --timeout 2s "$@"
}

insmod /modules/testpmu.ko user_only=1 || exit 1
run sweep_all
run sweep_events --only '*push_pop_pair' --events r02:u,test_quarter,cache-misses

# One counter holds no group of two: each event is counted by itself. With somebody else's
# event in the same tasks even one has to take turns.
echo 1 >$parameters/slots
run sweep_one_counter --only '*push_pop_pair'
run_as="perf stat -o /dev/null -e instructions --"
run sweep_multiplexed --only '*push_pop_pair'
run_as=
echo 4 >$parameters/slots

run_as=as_user # at Debian's own setting of perf_event_paranoid, 3
run sweep_user --only '*push_popf'
rmmod testpmu
