# SPDX-License-Identifier: GPL-3.0-or-later
# pmu.sh: the real perf stat on events whose answers are known (pmu/testpmu.c).
. /steps.sh
parameters=/sys/module/testpmu/parameters

perf_stat no_pmu cycles:u,instructions:u,task-clock,msr/tsc/ loop 1000
insmod /modules/testpmu.ko || exit 1

perf_stat refused_u cycles:u,instructions loop 1000
echo 1 >$parameters/user_only
perf_stat slope_n cycles:u,instructions:u loop 1000000
perf_stat slope_2n cycles:u,instructions:u loop 2000000
perf_stat own_events cpu/test_triple/u,cpu/test_quarter/u,r02:u loop 1000000
perf_stat terms cpu/event=0x3,umask=0x1/u,instructions:u loop 1000
perf_stat group '{cycles:u,instructions:u}' loop 1000000
perf_stat stuck_event instructions:u,cpu/test_busy/u loop 1000
perf_stat unknown_to_pmu cache-misses:u,instructions:u loop 1000

echo 2 >$parameters/slots
perf_stat multiplexed cycles:u,instructions:u,cpu/test_triple/u,cpu/test_quarter/u loop 4000000
perf_stat group_too_large '{cycles:u,instructions:u,cpu/test_triple/u}' loop 1000
echo 4 >$parameters/slots

perf_stat killed cycles:u,instructions:u sh -c 'kill -9 $$'
step hangs hang_under_perf /out/hangs/perf
perf_stat segv cycles:u,instructions:u iopl_probe --without-iopl
step segv_without_perf iopl_probe --without-iopl
perf_stat no_such_program cycles:u /no/such/program
perf_stat no_such_event no-such-event loop 1000
step repeated perf stat -x ';' -r 3 -o /out/repeated/perf -e cycles:u,instructions:u -- loop 1000
step interval perf stat -x ';' -I 10 -o /out/interval/perf -e instructions:u -- loop 1000000
step for_people perf stat -o /out/for_people/perf -e cycles:u,instructions:u -- loop 1000

rmmod testpmu
insmod /modules/testpmu.ko hybrid=1 user_only=1 || exit 1
perf_stat hybrid cycles:u,instructions:u loop 1000000
perf_stat hybrid_by_name cpu_core/cycles/u,cpu_atom/cycles/u loop 1000000
rmmod testpmu
