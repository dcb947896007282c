// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/stopwatch.h"

#include "common/memory.h"
#include "common/printable.h"
#include "runner/estimate/constant.h"
#include "runner/estimate/quiet.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// Chains may besides be apart by so many standard errors: few slices are coarse. The quartiles of a
// normal distribution are this many standard deviations apart.
enum { ERRORS = 2 };
#define QUARTILES_APART 1.349

// A neighbour who takes this part of the core's width, as the mean over the accepted slices says
// for sure, is a light one: microcode can become a tenth dearer beside it.
#define LIGHT_NEIGHBOUR 0.005

// A slice can look quiet by chance. A neighbour who takes ever another part of the width leaves as
// many slices a little above the level as on it, and one who takes the chains' ports makes most of
// them unsound: with so many of those to a quiet slice, that is what the quiet ones are.
#define FLEETING 0.5
#define UNSOUND 2.0

enum { FEWEST_SLICES = 12, BOOTSTRAP_BLOCK = 10, BOOTSTRAP_RESAMPLES = 200 };

// The slices that count: their number, and per iteration the ticks of each segment.
struct chosen {
    size_t count;
    double *ticks[SEGMENT_COUNT], *unit;
};

static struct chosen choose(const struct slices *slices, const struct quiet *quiet) {
    struct chosen chosen = {.unit = memory_zero(quiet->count + 1, sizeof(double))};
    for (int segment = 0; segment < SEGMENT_COUNT; segment++)
        chosen.ticks[segment] = memory_zero(quiet->count + 1, sizeof(double));
    for (size_t i = 0; i < slices->count; i++) {
        if (!quiet->accepted[i])
            continue;
        for (int segment = 0; segment < SEGMENT_COUNT; segment++)
            chosen.ticks[segment][chosen.count] = segment_ticks(slices, i, segment);
        chosen.unit[chosen.count++] = quiet->unit[i];
    }
    return chosen;
}

static void chosen_free(struct chosen *chosen) {
    for (int segment = 0; segment < SEGMENT_COUNT; segment++)
        free(chosen->ticks[segment]);
    free(chosen->unit);
}

static double *divide(const double *above, const double *below, size_t count) {
    double *ratio = memory_zero(count, sizeof *ratio);
    for (size_t i = 0; i < count; i++)
        ratio[i] = below[i] > 0 ? above[i] / below[i] : HUGE_VAL;
    return ratio;
}

// The centre of a ratio, and how far off what it should be it may be, a part: the tolerance, and
// more where few slices are coarse.
struct ratio {
    double value, tolerance;
};

static struct ratio ratio_of(const double *above, const double *below, size_t count) {
    double *ratio = divide(above, below, count);
    double centre = stats_trimmed_mean(ratio, count, STATS_TRIM);
    double middle = stats_quantile(ratio, count, 0.75) - stats_quantile(ratio, count, 0.25);
    double error = middle / QUARTILES_APART / sqrt((double)count) / centre;
    free(ratio);
    return (struct ratio){centre, CHAINS_TOLERANCE + ERRORS * error};
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

// A whole number of cycles, or 0 if `ratio` is none within its tolerance.
static int whole_cycles(struct ratio ratio, double *off) {
    int whole = (int)lround(ratio.value);
    *off = whole > 0 ? fabs(ratio.value / whole - 1) : HUGE_VAL;
    return whole >= 3 && whole <= 6 && *off <= ratio.tolerance ? whole : 0;
}

// Do the reference chains that are left agree?
static void check_chains(const struct chosen *chosen, int excluded, struct stopwatch_value *value) {
    double *const *ticks = chosen->ticks, off = 0;
    if (excluded != SEGMENT_add && excluded != SEGMENT_rol) {
        struct ratio ratio = ratio_of(ticks[SEGMENT_add], ticks[SEGMENT_rol], chosen->count);
        value->disagreement = fabs(ratio.value - 1);
        if (!(value->disagreement <= ratio.tolerance))
            fail(value, STATUS_invalid_reference,
                 "reference chains: add / rol is %.4f, not 1 within %.1f %%", ratio.value,
                 ratio.tolerance * 100);
    }
    if (excluded != SEGMENT_imul) {
        struct ratio ratio = ratio_of(ticks[SEGMENT_imul], chosen->unit, chosen->count);
        value->imul_cycles = whole_cycles(ratio, &off);
        if (excluded == SEGMENT_add || excluded == SEGMENT_rol)
            value->disagreement = off;
        if (!value->imul_cycles)
            fail(value, STATUS_invalid_reference,
                 "reference chains: imul takes %.4f cycles, not 3, 4, 5 or 6 within %.1f %%",
                 ratio.value, ratio.tolerance * 100);
    }
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

// Too few quiet slices: what all slices give is told, and is no value.
static void contend(const struct slices *slices, const struct quiet *quiet, double level,
                    struct stopwatch_value *value) {
    double *ratio = memory_zero(slices->count + 1, sizeof *ratio);
    for (size_t i = 0; i < slices->count; i++)
        ratio[i] = segment_ticks(slices, i, SEGMENT_loop) / quiet->unit[i];
    double all = stats_trimmed_mean(ratio, slices->count, STATS_TRIM);
    char together[64] = "";
    if (all > 0) // of few long ones an interrupt makes nonsense
        snprintf(together, sizeof together, "; all together %.4g cycles", all);
    if (isnan(level))
        fail(value, STATUS_contended,
             "what the core's width allows is not known, so nor is whether it was shared%s",
             together);
    else
        fail(value, STATUS_contended,
             "the core was shared: %zu of %zu slices without a neighbour or an interrupt%s",
             quiet->count, slices->count, together);
    free(ratio);
}

static bool is_shared(const struct quiet *quiet) {
    return quiet->count < FEWEST_SLICES ||
           (double)quiet->fleeting > FLEETING * (double)quiet->count ||
           (double)quiet->unsound > UNSOUND * (double)quiet->count;
}

// Was a light neighbour there all the time? Then the accepted slices are not quiet, either.
static bool is_beside_light(const struct quiet *quiet) {
    return quiet->excess - ERRORS * quiet->excess_sd > LIGHT_NEIGHBOUR;
}

static void check_constancy(const struct slices *slices, const struct quiet *quiet,
                            struct stopwatch_value *value) {
    struct constancy constancy = constant_judge(
        slices, quiet, value->cycles.value, (value->cycles.high - value->cycles.value) / 1.959964);
    // Two modes are no change with the iteration; nor was their cost followed.
    bool changes = constancy.verdict == VERDICT_changes && value->status == STATUS_ok;
    if (constancy.verdict == VERDICT_speeds)
        fail(value, STATUS_unstable,
             "two speeds: some runs of %lu iterations take %.4g cycles, not %.4g",
             (unsigned long)constancy.times * slices->n[SEGMENT_loop], constancy.cycles,
             value->cycles.value);
    else if (!changes && constancy.verdict != VERDICT_constant)
        value->remarks |= 1U << (constancy.tried ? REMARK_not_followed : REMARK_near_only);
    if (!changes)
        return;
    const char *reason =
        constancy.times > 4
            ? "a state starts anew with each run? carry it on in memory (.loopdata), from teardown "
              "to setup"
            : "the cost changes with the iteration";
    value->early = value->cycles.value;
    value->later = constancy.cycles;
    fail(value, STATUS_not_constant, "iterations up to %lu take %.4g cycles, up to %lu %.4g: %s",
         2UL * slices->n[SEGMENT_loop], value->early,
         (unsigned long)constancy.times * slices->n[SEGMENT_loop], value->later, reason);
}

static void evaluate_chosen(const struct slices *slices, int excluded, const struct quiet *quiet,
                            uint64_t seed, struct stopwatch_value *value) {
    struct chosen chosen = choose(slices, quiet);
    double *ratio = divide(chosen.ticks[SEGMENT_loop], chosen.unit, chosen.count);
    check_chains(&chosen, excluded, value);
    value->cycles =
        stats_block_bootstrap(ratio, chosen.count, BOOTSTRAP_BLOCK, BOOTSTRAP_RESAMPLES, seed);
    double excess = fmax(0, quiet->excess) * value->cycles.value;
    value->cycles.low -= excess;
    value->cycles.high += excess;
    value->ticks = stats_trimmed_mean(chosen.ticks[SEGMENT_loop], chosen.count, STATS_TRIM);
    describe_clock(chosen.unit, chosen.count, value);
    describe_ratios(ratio, chosen.count, value);
    if (!(value->cycles.value > 0) || !isfinite(value->cycles.value))
        fail(value, STATUS_implausible, "the loop took no time, or less");
    else if (value->cycles.value < FASTEST_ITERATION)
        fail(value, STATUS_implausible, "an iteration took less than a taken jump can");
    else if (value->status >= STATUS_unstable)
        check_constancy(slices, quiet, value);
    if (slices->n[SEGMENT_watch_before] && !quiet->watched)
        value->remarks |= 1U << REMARK_width_only;
    free(ratio);
    chosen_free(&chosen);
}

void stopwatch_evaluate(const struct slices *slices, int excluded, double level, uint64_t seed,
                        struct stopwatch_value *value) {
    struct quiet quiet;
    quiet_choose(slices, excluded, level, &quiet);
    *value = (struct stopwatch_value){.status = STATUS_ok,
                                      .cycles = {NAN, NAN, NAN},
                                      .spread = NAN,
                                      .quiet = (double)quiet.count / (double)slices->count,
                                      .width = quiet.width,
                                      .excess = quiet.excess,
                                      .early = NAN,
                                      .later = NAN,
                                      .samples = quiet.count};
    if (slices->subnormal)
        fail(value, STATUS_not_constant,
             "numbers become subnormal within %lu iterations: the cost changes with the iteration; "
             "put them back in each",
             slices->subnormal);
    else if (is_shared(&quiet))
        contend(slices, &quiet, level, value);
    else if (is_beside_light(&quiet))
        fail(value, STATUS_contended,
             "a light neighbour: the width segments take %.2g %% more than alone",
             100 * quiet.excess);
    else
        evaluate_chosen(slices, excluded, &quiet, seed, value);
    if (value->status < STATUS_unstable)
        value->cycles = (struct interval){NAN, NAN, NAN};
    quiet_free(&quiet);
}
