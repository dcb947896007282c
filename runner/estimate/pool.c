// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/stopwatch.h"

#include "common/printable.h"

#include <math.h>
#include <stdio.h>

// Of ten executions the lowest and the highest are left out: where a machine has neighbours (the
// SMT sibling of a virtual CPU may be another guest's) one of ten may find half a core. Of five
// none is: a far one makes the interval wide, and that brings five more.
enum { TRIMMED_ONE_IN = 10 };
// An execution this part away from the median is named in the row.
#define FAR_OFF 0.02

// Executions far from the others are named, left out or not: a loop may really have such a mode.
static void describe_far(const double *values, size_t count, struct pooled *pooled) {
    size_t far = 0;
    double median = stats_quantile(values, count, 0.5), farthest = median;
    for (size_t i = 0; i < count; i++) {
        far += fabs(values[i] / median - 1) > FAR_OFF;
        if (fabs(values[i] - median) > fabs(farthest - median))
            farthest = values[i];
    }
    if (far)
        printable_add(pooled->detail, sizeof pooled->detail,
                      "%zu of %zu executions far off, the farthest %.4g cycles", far, count,
                      farthest);
}

void stopwatch_pool(const double *values, const double *within_half, size_t count, double excess,
                    double precision, struct pooled *pooled) {
    *pooled = (struct pooled){
        .status = STATUS_ok, .between_sd = stats_sd(values, count), .executions = count};
    double within = 0;
    for (size_t i = 0; i < count; i++)
        within += within_half[i] * within_half[i];
    within = count ? sqrt(within / (double)count) / 1.959964 : NAN;
    pooled->within_sd = within;
    pooled->cycles = stats_student(values, count, count / TRIMMED_ONE_IN);
    double mean = pooled->cycles.value, half;
    if (count < 2) // one execution cannot tell how executions differ: provisional
        half = count ? stats_student95(1) * within : NAN;
    else // executions that agree by chance are known no better than most of them by themselves
        half = fmax(pooled->cycles.high - mean,
                    stats_quantile(within_half, count, 0.5) / sqrt((double)count));
    double systematic = STOPWATCH_FLOOR * mean;
    half = sqrt(half * half + systematic * systematic) + fmax(0, excess) * mean;
    pooled->cycles.low = mean - half;
    pooled->cycles.high = mean + half;
    if (!count) {
        pooled->status = STATUS_unstable;
        snprintf(pooled->detail, sizeof pooled->detail, "no execution gave a value");
    } else if (!(half <= precision * mean)) {
        pooled->status = STATUS_unstable;
        snprintf(pooled->detail, sizeof pooled->detail,
                 "interval +-%.2g %% is wider than the %.2g %% asked for", 100 * half / mean,
                 100 * precision);
    } else if (count < USUAL_EXECUTIONS) {
        snprintf(pooled->detail, sizeof pooled->detail,
                 "provisional: %zu execution%s, %d are usual", count, count > 1 ? "s" : "",
                 USUAL_EXECUTIONS);
    }
    describe_far(values, count, pooled);
}
