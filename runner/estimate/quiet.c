// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/quiet.h"

#include "common/memory.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

// How far a width segment may be off its level, the two one-cycle chains from each other, and a
// slice's unit from the others': parts. Half a core is 60 % and more off. Where the TSC counts in
// coarse steps, four standard deviations of what that does to a difference.
#define WIDTH_MARGIN 0.03
#define CHAINS_MARGIN 0.02
#define UNIT_MARGIN 0.05
enum { DEVIATIONS = 4 };

// In margins: where the chains disagree the unit is wrong, too.
enum { ABOUT = 4 };

// The level of the watch segments, which an execution finds by itself, has this many slices, and
// this part of them, within the margin.
enum { LEVEL_SLICES = 8, LEVEL_ROUNDS = 8 };
#define LEVEL_PART 0.05

// The watch segments are chains of 32 loads or divisions, which take a whole number of cycles where
// nobody else is at them: within this part.
enum { LINKS_OF_WATCH = 32 };
#define WHOLE_MARGIN 0.003

double segment_ticks(const struct slices *slices, size_t at, int segment) {
    const uint64_t *ticks = slices->slices[at].ticks[segment];
    double units = slices->n[segment] * (segment < SEGMENT_loop ? slices->links[segment] : 1.0);
    return ((double)ticks[1] - (double)ticks[0]) / units;
}

// The step of the TSC: the least by which two readings of one segment differ.
static double step_of(const struct slices *slices) {
    double *ticks = memory_zero(slices->count, sizeof *ticks), step = HUGE_VAL;
    for (size_t i = 0; i < slices->count; i++)
        ticks[i] = (double)slices->slices[i].ticks[SEGMENT_add][0];
    gsl_sort(ticks, 1, slices->count);
    for (size_t i = 1; i < slices->count; i++)
        if (ticks[i] > ticks[i - 1])
            step = fmin(step, ticks[i] - ticks[i - 1]);
    free(ticks);
    return isfinite(step) ? step : 0;
}

// The margin of a difference of about `ticks` ticks: four readings, each off by up to half a step.
static double margin(double usual, double step, double ticks) {
    return fmax(usual, DEVIATIONS * step * sqrt(4 / 12.0) / ticks);
}

static double unit_of(const struct slices *slices, size_t at, int excluded) {
    double add = segment_ticks(slices, at, SEGMENT_add);
    double rol = segment_ticks(slices, at, SEGMENT_rol);
    return excluded == SEGMENT_add ? rol : excluded == SEGMENT_rol ? add : (add + rol) / 2;
}

struct choice {
    const struct slices *slices;
    int excluded;
    double step;
    double level[SEGMENT_COUNT]; // of width and watch segments, cycles an iteration; NaN: not known
    bool *possible;              // the slice's chains are sound, and nothing interrupted it
    struct quiet *quiet;
};

static double cycles(const struct choice *choice, size_t at, int segment) {
    return segment_ticks(choice->slices, at, segment) / choice->quiet->unit[at];
}

static double ticks_of_n(const struct choice *choice, size_t at, int segment) {
    return fabs(segment_ticks(choice->slices, at, segment)) * choice->slices->n[segment] *
           (segment < SEGMENT_loop ? choice->slices->links[segment] : 1);
}

static bool is_sound(const struct choice *choice, size_t at) {
    double add = segment_ticks(choice->slices, at, SEGMENT_add);
    double rol = segment_ticks(choice->slices, at, SEGMENT_rol);
    if (!(choice->quiet->unit[at] > 0) ||
        (choice->slices->sees_interrupts && choice->slices->slices[at].interrupted))
        return false;
    if (choice->excluded == SEGMENT_add || choice->excluded == SEGMENT_rol)
        return true;
    return fabs(add / rol - 1) <=
           margin(CHAINS_MARGIN, choice->step, ticks_of_n(choice, at, SEGMENT_add));
}

// How far a width or watch segment is above its level, in margins.
static double margins_above(const struct choice *choice, size_t at, int segment) {
    double level = choice->level[segment];
    double ticks = level * choice->quiet->unit[at] * choice->slices->n[segment];
    return (cycles(choice, at, segment) / level - 1) / margin(WIDTH_MARGIN, choice->step, ticks);
}

static bool is_near(const struct choice *choice, size_t at, int segment) {
    return fabs(margins_above(choice, at, segment)) <= 1;
}

// Mean of the sorted values within the margin around `centre`; *count gets how many they are.
static double mean_around(const double *sorted, size_t all, double centre, size_t *count) {
    size_t from = 0, to;
    while (from < all && sorted[from] < centre * (1 - WIDTH_MARGIN))
        from++;
    for (to = from; to < all && sorted[to] <= centre * (1 + WIDTH_MARGIN);)
        to++;
    *count = to - from;
    return stats_mean(sorted + from, to - from);
}

// The lowest value around which many of the sorted values lie; NaN if there is none.
static double lowest_mode(const double *sorted, size_t count) {
    size_t least = (size_t)fmax(LEVEL_SLICES, LEVEL_PART * (double)count), around;
    for (size_t i = 0; i + least <= count; i++) {
        if (sorted[i] <= 0 || sorted[i + least - 1] > sorted[i] * (1 + WIDTH_MARGIN))
            continue;
        double centre = sorted[i + least / 2];
        for (int round = 0; round < LEVEL_ROUNDS; round++)
            centre = mean_around(sorted, count, centre, &around);
        return centre;
    }
    return NAN;
}

// The values of a segment in the possible slices in which `other` is near its level.
static double *sorted_cycles(const struct choice *choice, int segment, int other, size_t *count) {
    double *values = memory_zero(choice->slices->count + 1, sizeof *values);
    *count = 0;
    for (size_t i = 0; i < choice->slices->count; i++)
        if (choice->possible[i] && is_near(choice, i, other))
            values[(*count)++] = cycles(choice, i, segment);
    gsl_sort(values, 1, *count);
    return values;
}

// Behind a loop that evicts code or makes the core slow down, the segment may have a level of its
// own, beyond the margin: then most slices that begin on a core of our own are near it. A neighbour
// who comes within a slice is seldom and takes any part of it.
static void find_level_after(struct choice *choice, int before, int after) {
    size_t count, near = 0;
    double *values = sorted_cycles(choice, after, before, &count);
    double median = stats_quantile(values, count, 0.5);
    choice->level[after] = choice->level[before];
    for (size_t i = 0; i < count; i++)
        near += fabs(values[i] / median - 1) <= WIDTH_MARGIN;
    if (count >= LEVEL_SLICES && median > choice->level[before] * (1 + WIDTH_MARGIN) &&
        4 * near >= 3 * count)
        choice->level[after] = median;
    free(values);
}

// The level of the width segments is known; that of the watch segments is the lowest that many
// slices have.
static void find_levels(struct choice *choice, double known) {
    choice->level[SEGMENT_width_before] = known;
    find_level_after(choice, SEGMENT_width_before, SEGMENT_width_after);
    choice->level[SEGMENT_watch_before] = choice->level[SEGMENT_watch_after] = NAN;
    if (choice->slices->n[SEGMENT_watch_before]) {
        size_t count;
        double *values = sorted_cycles(choice, SEGMENT_watch_before, SEGMENT_width_before, &count);
        choice->level[SEGMENT_watch_before] = lowest_mode(values, count);
        free(values);
        find_level_after(choice, SEGMENT_watch_before, SEGMENT_watch_after);
        double links = choice->level[SEGMENT_watch_before] / LINKS_OF_WATCH;
        choice->quiet->watched = fabs(links - round(links)) <= WHOLE_MARGIN * links;
    }
}

// Count what tells that slices look quiet by chance: the window above the level is as wide as that
// around it.
static void count_chances(struct choice *choice) {
    for (size_t i = 0; i < choice->slices->count; i++) {
        double before = margins_above(choice, i, SEGMENT_width_before);
        double after = margins_above(choice, i, SEGMENT_width_after);
        bool interrupted = choice->slices->sees_interrupts && choice->slices->slices[i].interrupted;
        choice->quiet->unsound +=
            !choice->possible[i] && !interrupted && fabs(before) <= ABOUT && fabs(after) <= ABOUT;
        choice->quiet->fleeting +=
            choice->possible[i] && ((fabs(before) <= 1 && after > 1 && after <= 3) ||
                                    (fabs(after) <= 1 && before > 1 && before <= 3));
    }
}

static void accept(struct choice *choice) {
    struct quiet *quiet = choice->quiet;
    for (size_t i = 0; i < choice->slices->count; i++) {
        quiet->accepted[i] = choice->possible[i];
        for (int segment = SEGMENT_width_before; segment < SEGMENT_COUNT; segment++)
            if (choice->slices->n[segment])
                quiet->accepted[i] = quiet->accepted[i] && is_near(choice, i, segment);
    }
}

// The part by which the width segments of a slice are above the level; where the one behind the
// loop has a level of its own, only the one before says something.
static double excess_of(const struct choice *choice, size_t at) {
    double level = choice->level[SEGMENT_width_before];
    double before = cycles(choice, at, SEGMENT_width_before);
    double after = choice->level[SEGMENT_width_after] > level
                       ? before
                       : cycles(choice, at, SEGMENT_width_after);
    return (before + after) / 2 / level - 1;
}

// Drop accepted slices whose unit is far from the others', and sum up what is left.
static void finish(struct choice *choice) {
    struct quiet *quiet = choice->quiet;
    double *units = memory_zero(choice->slices->count + 1, sizeof *units), width = 0;
    double *excess = memory_zero(choice->slices->count + 1, sizeof *excess);
    size_t count = 0;
    for (size_t i = 0; i < choice->slices->count; i++)
        if (quiet->accepted[i])
            units[count++] = quiet->unit[i];
    double median = stats_quantile(units, count, 0.5);
    for (size_t i = 0; i < choice->slices->count; i++) {
        if (!quiet->accepted[i] || fabs(quiet->unit[i] / median - 1) > UNIT_MARGIN) {
            quiet->accepted[i] = false;
            continue;
        }
        width += cycles(choice, i, SEGMENT_width_before);
        excess[quiet->count++] = excess_of(choice, i);
    }
    quiet->width = quiet->count ? width / (double)quiet->count : NAN;
    quiet->excess = quiet->count ? stats_mean(excess, quiet->count) : NAN;
    quiet->excess_sd = stats_sd(excess, quiet->count) / sqrt((double)quiet->count);
    free(excess);
    free(units);
}

void quiet_choose(const struct slices *slices, int excluded, double level, struct quiet *quiet) {
    *quiet = (struct quiet){.accepted = memory_zero(slices->count + 1, sizeof(bool)),
                            .unit = memory_zero(slices->count + 1, sizeof(double))};
    struct choice choice = {.slices = slices,
                            .excluded = excluded,
                            .step = step_of(slices),
                            .possible = memory_zero(slices->count + 1, sizeof(bool)),
                            .quiet = quiet};
    for (size_t i = 0; i < slices->count; i++) {
        quiet->unit[i] = unit_of(slices, i, excluded);
        quiet->interrupted += slices->sees_interrupts && slices->slices[i].interrupted;
        choice.possible[i] = is_sound(&choice, i);
    }
    find_levels(&choice, level);
    count_chances(&choice);
    accept(&choice);
    finish(&choice);
    free(choice.possible);
}

void quiet_free(struct quiet *quiet) {
    free(quiet->accepted);
    free(quiet->unit);
    *quiet = (struct quiet){0};
}
