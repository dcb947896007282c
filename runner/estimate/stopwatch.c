// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/stopwatch.h"

#include "common/memory.h"
#include "common/printable.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// Of ten executions the lowest and the highest are left out: where a machine has neighbours (the
// SMT sibling of a virtual CPU may be another guest's) one of ten may find half a core. Of five
// none is: a far one makes the interval wide, and that brings five more.
enum { TRIMMED_ONE_IN = 10 };
// An execution this part away from the median is named in the row.
#define FAR_OFF 0.02

enum { FEWEST_SLICES = 20, BOOTSTRAP_BLOCK = 10, BOOTSTRAP_RESAMPLES = 200 };

// ticks(2n) - ticks(n), per iteration (loop) or per link (reference chains), of one slice.
static double segment_ticks(const struct slices *slices, size_t at, int segment) {
    const uint64_t *ticks = slices->slices[at].ticks[segment];
    double units = slices->n[segment] * (segment == SEGMENT_loop ? 1.0 : slices->links[segment]);
    return ((double)ticks[1] - (double)ticks[0]) / units;
}

// The series of one segment over all slices; owned by the caller.
static double *segment_series(const struct slices *slices, int segment) {
    double *series = memory_zero(slices->count, sizeof *series);
    for (size_t i = 0; i < slices->count; i++)
        series[i] = segment_ticks(slices, i, segment);
    return series;
}

static double *divide(const double *above, const double *below, size_t count) {
    double *ratio = memory_zero(count, sizeof *ratio);
    for (size_t i = 0; i < count; i++)
        ratio[i] = below[i] > 0 ? above[i] / below[i] : HUGE_VAL;
    return ratio;
}

static double centre_of_ratio(const double *above, const double *below, size_t count) {
    double *ratio = divide(above, below, count);
    double centre = stats_trimmed_mean(ratio, count, STATS_TRIM);
    free(ratio);
    return centre;
}

// The worst status counts, the first reason is told.
__attribute__((format(printf, 3, 4))) static void
fail(struct stopwatch_value *value, enum status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    value->status = status_worse(value->status, status);
    if (!*value->detail)
        vsnprintf(value->detail, sizeof value->detail, format, arguments);
    va_end(arguments);
}

// A whole number of cycles, or 0 if `ratio` is none within the tolerance.
static int whole_cycles(double ratio, double *off) {
    int whole = (int)lround(ratio);
    *off = whole > 0 ? fabs(ratio / whole - 1) : HUGE_VAL;
    return whole >= 3 && whole <= 6 && *off <= CHAINS_TOLERANCE ? whole : 0;
}

// The unit: ticks per cycle slice by slice, from the one-cycle chains that are not
// excluded. Checks that the chains that are left agree. Owned by the caller.
static double *unit_series(double *const segments[SEGMENT_COUNT], size_t count, int excluded,
                           struct stopwatch_value *value) {
    double *unit = memory_zero(count, sizeof *unit), off = 0;
    for (size_t i = 0; i < count; i++)
        unit[i] = excluded == SEGMENT_add ? segments[SEGMENT_rol][i]
                  : excluded == SEGMENT_rol
                      ? segments[SEGMENT_add][i]
                      : (segments[SEGMENT_add][i] + segments[SEGMENT_rol][i]) / 2;
    if (excluded != SEGMENT_add && excluded != SEGMENT_rol) {
        double ratio = centre_of_ratio(segments[SEGMENT_add], segments[SEGMENT_rol], count);
        value->disagreement = fabs(ratio - 1);
        if (!(value->disagreement <= CHAINS_TOLERANCE))
            fail(value, STATUS_invalid_reference,
                 "reference chains: add / rol is %.4f, not 1 within %.1f %%", ratio,
                 CHAINS_TOLERANCE * 100);
    }
    if (excluded != SEGMENT_imul) {
        double ratio = centre_of_ratio(segments[SEGMENT_imul], unit, count);
        value->imul_cycles = whole_cycles(ratio, &off);
        if (excluded == SEGMENT_add || excluded == SEGMENT_rol)
            value->disagreement = off;
        if (!value->imul_cycles)
            fail(value, STATUS_invalid_reference,
                 "reference chains: imul takes %.4f cycles, not 3, 4, 5 or 6 within %.1f %%", ratio,
                 CHAINS_TOLERANCE * 100);
    }
    return unit;
}

static void describe_ratios(const double *ratio, size_t count, struct stopwatch_value *value) {
    double centre = value->cycles.value, modes[2];
    value->spread =
        (stats_quantile(ratio, count, 0.9) - stats_quantile(ratio, count, 0.1)) / centre;
    size_t far = 0;
    for (size_t i = 0; i < count; i++)
        far += fabs(ratio[i] / centre - 1) > 0.1;
    value->disturbed = (double)far / (double)count;
    if (stats_two_modes(ratio, count, 0.1, 0.05, modes))
        fail(value, STATUS_unstable, "two modes: %.4g and %.4g cycles", modes[0], modes[1]);
}

static void describe_clock(const double *unit, size_t count, struct stopwatch_value *value) {
    size_t quarter = count / 4;
    value->ticks_per_cycle = stats_trimmed_mean(unit, count, STATS_TRIM);
    value->clock_drift = stats_trimmed_mean(unit + count - quarter, quarter, STATS_TRIM) /
                             stats_trimmed_mean(unit, quarter, STATS_TRIM) -
                         1;
}

void stopwatch_evaluate(const struct slices *slices, int excluded, uint64_t seed,
                        struct stopwatch_value *value) {
    *value = (struct stopwatch_value){
        .status = STATUS_ok, .cycles = {NAN, NAN, NAN}, .spread = NAN, .samples = slices->count};
    if (slices->count < FEWEST_SLICES) {
        fail(value, STATUS_implausible, "fewer than 20 slices");
        return;
    }
    double *segments[SEGMENT_COUNT];
    for (int segment = 0; segment < SEGMENT_COUNT; segment++)
        segments[segment] = segment_series(slices, segment);
    double *unit = unit_series(segments, slices->count, excluded, value);
    double *ratio = divide(segments[SEGMENT_loop], unit, slices->count);
    value->cycles =
        stats_block_bootstrap(ratio, slices->count, BOOTSTRAP_BLOCK, BOOTSTRAP_RESAMPLES, seed);
    value->ticks = stats_trimmed_mean(segments[SEGMENT_loop], slices->count, STATS_TRIM);
    describe_clock(unit, slices->count, value);
    describe_ratios(ratio, slices->count, value);
    if (!(value->cycles.value > 0) || !isfinite(value->cycles.value))
        fail(value, STATUS_implausible, "the loop took no time, or less");
    else if (value->cycles.value < FASTEST_ITERATION)
        fail(value, STATUS_implausible, "an iteration took less than a taken jump can");
    if (value->status < STATUS_unstable)
        value->cycles = (struct interval){NAN, NAN, NAN};
    for (int segment = 0; segment < SEGMENT_COUNT; segment++)
        free(segments[segment]);
    free(unit);
    free(ratio);
}

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

void stopwatch_pool(const double *values, const double *within_half, size_t count, double precision,
                    struct pooled *pooled) {
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
    else
        half = pooled->cycles.high - mean;
    double systematic = STOPWATCH_FLOOR * mean;
    half = sqrt(half * half + systematic * systematic);
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
