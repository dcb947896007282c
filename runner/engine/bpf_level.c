// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/bpf_level.h"

#include "common/memory.h"
#include "runner/engine/bpf_slices.h"
#include "runner/estimate/quiet.h"
#include "runner/estimate/stats.h"
#include "runner/host/process.h"
#include "runner/host/width.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 300, FEWEST = 60, MOST_CPUS = 1024 };
// The chains of a run agree; the runs agree: the quarters beside the median, a part. The kernel's
// clock makes steps of up to 10 ns, which is 0.7 % of a run's two width segments.
#define CHAINS_MARGIN 0.02
#define SPREAD 0.03
// What two looks may differ by, a part: less than the excess that is called a light neighbour.
#define LOOKS_MARGIN 0.004
// Two levels that are no further apart are one.
#define SAME_MARGIN 0.02

// Beside the file of processes' levels, in its form; "" where there is none.
static const char *memory(void) {
    static char path[4200];
    const char *of_processes = width_memory();
    size_t length = strlen(of_processes);
    if (length > 4)
        snprintf(path, sizeof path, "%.*s-bpf.csv", (int)(length - 4), of_processes);
    return path;
}

double bpf_level_judge(double *cycles, size_t count) {
    if (count < FEWEST)
        return NAN;
    gsl_sort(cycles, 1, count);
    double median = stats_quantile(cycles, count, 0.5);
    double spread = stats_quantile(cycles, count, 0.75) - stats_quantile(cycles, count, 0.25);
    return spread <= SPREAD * median ? stats_trimmed_mean(cycles, count, STATS_TRIM) : NAN;
}

bool bpf_level_agrees(double found, double before) {
    return fabs(found / before - 1) <= LOOKS_MARGIN;
}

double bpf_level_settle(double found, double of_processes) {
    return fabs(found / of_processes - 1) <= SAME_MARGIN ? of_processes : found;
}

static bool is_quiet(int cpu, double level) {
    struct width_slice slice;
    width_take(cpu, &slice, 1);
    return width_cycles(&slice) <= level * (1 + WIDTH_TOLERANCE);
}

// Cycles of the two width segments of a run, NaN: its chains do not agree.
static double width_of(const struct slices *shape, const struct slice *slice) {
    struct slices one = *shape;
    struct slice copy = *slice;
    one.slices = &copy;
    double add = segment_ticks(&one, 0, SEGMENT_add), shift = segment_ticks(&one, 0, SEGMENT_rol);
    if (!(add > 0) || fabs(add / shift - 1) > CHAINS_MARGIN)
        return NAN;
    return (segment_ticks(&one, 0, SEGMENT_width_before) +
            segment_ticks(&one, 0, SEGMENT_width_after)) /
           (add + shift);
}

static double look(const struct loaded *loaded, const struct slices *shape, int cpu, double level,
                   double seconds) {
    double cycles[ENOUGH], end = process_now() + seconds;
    size_t count = 0;
    struct error ignored;
    while (count < ENOUGH && process_now() < end && !process_interrupted()) {
        struct slice slice;
        bool before = is_quiet(cpu, level);
        loaded->times[BPF_TIMES_RUN] = 0;
        if (!before || load_run(loaded, &ignored))
            continue;
        bpf_take_slice(loaded->times, &slice);
        double width = width_of(shape, &slice);
        if (is_quiet(cpu, level) && !isnan(width))
            cycles[count++] = width;
    }
    return bpf_level_judge(cycles, count);
}

double bpf_level_find(const struct loaded *loaded, const struct slices *shape, int cpu,
                      double level, double seconds) {
    static double found[MOST_CPUS], before[MOST_CPUS]; // 0: not yet
    struct machine machine;
    struct error ignored; // what cannot be remembered is found anew
    if (cpu < 0 || cpu >= MOST_CPUS)
        return NAN;
    if (found[cpu] > 0)
        return found[cpu];
    machine_describe(cpu, &machine);
    double known = width_recall(memory(), &machine);
    if (isnan(known) && !isnan(level)) {
        if (!(before[cpu] > 0))
            before[cpu] = look(loaded, shape, cpu, level, seconds);
        double now = look(loaded, shape, cpu, level, seconds);
        if (bpf_level_agrees(now, before[cpu])) {
            known = (now + before[cpu]) / 2;
            width_remember(memory(), &machine, known, &ignored);
        }
        before[cpu] = now;
    }
    if (!isnan(known))
        found[cpu] = known = bpf_level_settle(known, level);
    return known;
}
