// SPDX-License-Identifier: GPL-3.0-or-later
// runner/estimate: what a run knows of a variant so far: the values of its executions, one
// tally for each quantity and source. Filled from rows as they are written, or as they
// are read again when a run is resumed: by the same text, so that both decide alike.
#pragma once

#include "common/rows.h"
#include "runner/estimate/stopwatch.h"

struct tally {
    struct engine_keys engine_keys; // of the newest row
    enum quantity quantity;
    const char *source;
    const char *restores;         // of the newest row that says it; NULL: none does
    char event[64];               // "" but for the sweep's own
    double *values, *within_half; // of ok executions
    size_t count;
    size_t executions; // ok or not
    size_t two_modes;  // of them unstable by themselves
    double spread_sum; // over ok executions
    size_t spreads;    // of them with a spread
    long long samples; // over ok executions
    double quiet_sum;  // over all executions that tell which part of their slices was quiet
    size_t quiets;
    double excess_sum;            // over ok executions
    size_t remarks[REMARK_COUNT]; // ok executions with each
    size_t not_constant;          // executions that were
    char change[400];             // the detail of the first of them
    size_t faster, slower;        // of them: later iterations were
    double least, most;           // of what these took, cycles; told only by faster or slower ones
    enum status worst;            // of executions without a value; STATUS_ok: none
    char detail[400];             // of the worst, or the first warning
};

struct tallies {
    struct tally *items;
    size_t count;
};

// Add a row. Its event and detail are copied; the other texts must live as long as the tallies.
void tallies_add(struct tallies *tallies, const struct measurements_row *row);
void tallies_free(struct tallies *tallies);

// The tally of the cycles that stand for the variant: the first source's. NULL if none.
const struct tally *tallies_cycles(const struct tallies *tallies);

// What holds for the tally as a whole: bits of enum remark.
unsigned tally_remarks(const struct tally *tally);

// Part of the slices that were quiet, over all executions; NaN: not told.
double tally_quiet(const struct tally *tally);

// Pool one tally. An execution with two modes may have been disturbed: a third of them or more
// make the variant unstable, fewer are told in the detail. status is what stands in summary.csv:
// pooled if at least half of the executions gave a value, else the worst reason. Executions that
// saw the cost change are not_constant; but nothing makes a run faster: where later iterations were
// faster, and other executions that were followed saw no change or the opposite one, the loop has
// two speeds. It is unstable then, and the interval holds both.
void tally_pool(const struct tally *tally, double precision, struct pooled *pooled);

// Should the variant be measured once more? True while its cycles' interval is wider than
// the precision and there is hope (executions give values, or only the reference chains disagree).
int tallies_too_wide(const struct tallies *tallies, double precision);

// Has it no value so far because the core was shared, or the reference chains disagreed, too often?
int tallies_lack_quiet(const struct tallies *tallies, double precision);
