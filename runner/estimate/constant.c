// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/constant.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

// A change below this part is none; nor is one below so many standard errors, more of them where
// few checks tell what the error is (by Student's quantiles, whose limit is NORMAL).
#define CHANGE_MARGIN 0.01
#define NORMAL 1.959964
enum { ERRORS = 4 };

// A width segment of n, beside the same of the slice before: with entry and exit, which cancel in
// differences only; so the margin is wider.
#define ALONE_MARGIN 0.08

// Nobody shared the core, if this part of the slices was quiet, those with an interrupt aside.
#define ALONE_PART 0.95

// Fewer clean checks do not contradict: of 4n, and of many n; of those that are faster.
enum { FEWEST_NEAR = 5, FEWEST_FAR = 3, FEWEST_FASTER = 2 };

// So much faster than the value is another speed: more than a clock that drifts meanwhile.
#define SPEED_MARGIN 0.03

// An iteration of so many segments leaves no room for many of them; the run-time follows shorter
// ones, if there are slices enough.
enum { LONG_ITERATION = 16 };

struct checked {
    double *all, *clean; // cycles an iteration
    size_t count, clean_count;
    uint32_t times;
};

// Was nobody there right before and after?
static bool is_clean(const struct slice *slice) {
    const struct check *check = &slice->check;
    double before = (double)check->ticks[CHECK_before], after = (double)check->ticks[CHECK_after];
    return before <= (1 + ALONE_MARGIN) * (double)slice->ticks[SEGMENT_width_before][0] &&
           after <= (1 + ALONE_MARGIN) * (double)slice->ticks[SEGMENT_width_after][0];
}

// Cycles an iteration, from those that the slice itself ran on: 4n goes on from 2n, more from n.
static double cycles_of(const struct slices *slices, const struct quiet *quiet, size_t at) {
    const struct slice *slice = &slices->slices[at];
    int from = slice->check.times > 4 ? 0 : 1;
    double iterations =
        (double)slices->n[SEGMENT_loop] * ((double)slice->check.times - (from ? 2 : 1));
    return ((double)slice->check.ticks[CHECK_loop] - (double)slice->ticks[SEGMENT_loop][from]) /
           iterations / quiet->unit[at];
}

static struct checked collect(const struct slices *slices, const struct quiet *quiet, bool far) {
    struct checked checked = {.all = memory_zero(slices->count + 1, sizeof(double)),
                              .clean = memory_zero(slices->count + 1, sizeof(double))};
    for (size_t i = 0; i < slices->count; i++) {
        const struct slice *slice = &slices->slices[i];
        if (!slice->check.times || (slice->check.times > 4) != far || !quiet->accepted[i] ||
            (slices->sees_interrupts && slice->check.interrupted))
            continue;
        double found = cycles_of(slices, quiet, i);
        checked.times = slice->check.times;
        checked.all[checked.count++] = found;
        if (is_clean(slice))
            checked.clean[checked.clean_count++] = found;
    }
    return checked;
}

// Whatever disturbs makes a run slower. So the cost rises if even the least of the checks (`part`
// is their quantile that stands for it) is above the value, and falls if the clean ones are below.
static bool differs(const struct checked *checked, double cycles, double slices_error,
                    size_t fewest, double part, double *found) {
    double least = stats_quantile(checked->all, checked->count, part);
    double centre = stats_quantile(checked->clean, checked->clean_count, 0.5);
    double deviation = stats_sd(checked->clean, checked->clean_count);
    *found = NAN;
    if (checked->clean_count < fewest)
        return false;
    double error = deviation / sqrt((double)checked->clean_count) *
                   stats_student95((double)checked->clean_count - 1) / NORMAL;
    double enough = fmax(CHANGE_MARGIN * cycles, ERRORS * hypot(error, slices_error));
    *found = centre < cycles ? centre : least;
    return least - cycles > enough || cycles - centre > enough;
}

static bool confirms(const struct checked *checked, double cycles) {
    for (size_t i = 0; i < checked->count; i++)
        if (fabs(checked->all[i] / cycles - 1) <= CHANGE_MARGIN)
            return true;
    return false;
}

// How many of the clean checks are far below the value, more than slices vary; *found gets their
// mean.
static size_t faster(const struct checked *checked, double cycles, double deviation,
                     double *found) {
    size_t count = 0;
    double enough = fmax(SPEED_MARGIN * cycles, ERRORS * deviation);
    *found = 0;
    for (size_t i = 0; i < checked->clean_count; i++)
        if (checked->clean[i] < cycles - enough) {
            *found += checked->clean[i];
            count++;
        }
    *found /= (double)count;
    return count;
}

static bool tried(const struct slices *slices) {
    for (size_t i = 0; i < slices->count; i++) {
        const struct slice *slice = &slices->slices[i];
        bool is_short =
            slice->ticks[SEGMENT_loop][0] < LONG_ITERATION * slice->ticks[SEGMENT_add][0];
        if (slice->check.times > 4 || (slice->check.times && is_short))
            return true;
    }
    return false;
}

struct constancy constant_judge(const struct slices *slices, const struct quiet *quiet,
                                double cycles, double slices_error) {
    struct checked near = collect(slices, quiet, false), far = collect(slices, quiet, true);
    struct constancy constancy = {.verdict = VERDICT_unknown, .tried = tried(slices)};
    bool alone = near.clean_count == near.count && far.clean_count == far.count &&
                 (double)(quiet->count + quiet->interrupted) >= ALONE_PART * (double)slices->count;
    double found, deviation = slices_error * sqrt((double)quiet->count);
    // Single runs of 4n are coarse: a quarter of them stands for the least.
    if (differs(&near, cycles, slices_error, FEWEST_NEAR, 0.25, &found) &&
        (alone || found < cycles))
        constancy = (struct constancy){VERDICT_changes, true, near.times, found};
    else if (confirms(&far, cycles) && faster(&far, cycles, deviation, &found) >= FEWEST_FASTER)
        constancy = (struct constancy){VERDICT_speeds, true, far.times, found};
    else if (confirms(&far, cycles))
        constancy.verdict = VERDICT_constant;
    else if (differs(&far, cycles, slices_error, FEWEST_FAR, 0, &found) &&
             (alone || found < cycles))
        constancy = (struct constancy){VERDICT_changes, true, far.times, found};
    free(near.all);
    free(near.clean);
    free(far.all);
    free(far.clean);
    return constancy;
}
