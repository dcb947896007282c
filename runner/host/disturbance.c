// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/host/disturbance.h"

#include "common/printable.h"

#include <math.h>
#include <stdio.h>

// A migration to another host or a re-calibrated guest clock is far above this part;
// the clock's own steering (ntp slews CLOCK_MONOTONIC, not _RAW) far below it.
static const double tsc_tolerance = 500e-6;
// perf stat and exec cost a switch or two; more is somebody else on this CPU.
enum { USUAL_SWITCHES = 4 };

// /proc/stat: cpuN user nice system idle iowait irq softirq steal ...
static void snapshot(struct disturbance *watch) {
    char line[512];
    FILE *stream = fopen("/proc/stat", "re");
    watch->sibling_busy = watch->sibling_total = 0;
    while (stream && fgets(line, sizeof line, stream)) {
        int cpu;
        long long t[8];
        if (sscanf(line, "cpu%d %lld %lld %lld %lld %lld %lld %lld %lld", &cpu, &t[0], &t[1], &t[2],
                   &t[3], &t[4], &t[5], &t[6], &t[7]) != 9)
            continue;
        if (cpu == watch->cpu)
            watch->steal = t[7];
        if (cpu == watch->cpu || !machine_in_list(watch->siblings, cpu))
            continue;
        watch->sibling_busy += t[0] + t[1] + t[2] + t[5] + t[6];
        watch->sibling_total += t[0] + t[1] + t[2] + t[3] + t[4] + t[5] + t[6];
    }
    if (stream)
        fclose(stream);
}

void disturbance_start(int cpu, struct disturbance *watch) {
    *watch = (struct disturbance){.cpu = cpu, .at = machine_read_tsc()};
    machine_read_line(watch->siblings, sizeof watch->siblings,
                      "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    snapshot(watch);
}

void disturbance_block(struct disturbance *watch) {
    struct tsc_reading now = machine_read_tsc();
    // Two readings a tenth of a second apart are good for 10 ppm.
    if (now.seconds - watch->at.seconds < 0.1)
        return;
    double hz = machine_tsc_hz(watch->at, now);
    if (watch->tsc_hz == 0)
        watch->tsc_hz = hz;
    watch->tsc_change = hz / watch->tsc_hz - 1;
    watch->at = now;
}

void disturbance_describe(struct disturbance *watch, double switches, double migrations, char *text,
                          size_t size) {
    struct disturbance before = *watch;
    text[0] = '\0';
    snapshot(watch);
    long long steal = watch->steal - before.steal;
    long long total = watch->sibling_total - before.sibling_total;
    long long busy = watch->sibling_busy - before.sibling_busy;
    if (steal > 0)
        printable_add(text, size, "steal time %lld ticks", steal);
    if (total > 0 && busy > 0)
        printable_add(text, size, "SMT sibling %.0f %% busy", 100.0 * (double)busy / (double)total);
    if (switches > USUAL_SWITCHES)
        printable_add(text, size, "%.0f context switches", switches);
    if (migrations > 1) // perf moves itself to the CPU once
        printable_add(text, size, "%.0f migrations", migrations);
    if (fabs(watch->tsc_change) > tsc_tolerance)
        printable_add(text, size, "TSC frequency changed by %+.4f %%", 100 * watch->tsc_change);
}
