// SPDX-License-Identifier: GPL-3.0-or-later
// runner/estimate: in which slices of an execution the core was not shared.
//
// Another hardware thread of the core takes half of its width, whoever it belongs to. A segment
// that is limited by nothing else shows it, right before and after the loop. The choice looks at
// those segments and at the reference chains; never at the loop's own time, so it cannot bias it.
#pragma once

#include "runner/estimate/stopwatch.h"

// Ticks of a segment in a slice, ticks(2n) - ticks(n), per iteration; of a reference chain per
// link.
double segment_ticks(const struct slices *slices, size_t at, int segment);

struct quiet {
    bool *accepted;     // slice by slice
    double *unit;       // TSC ticks a cycle, slice by slice
    size_t count;       // slices accepted
    size_t interrupted; // slices that an interrupt spoiled
    size_t unsound;     // slices of about the right width whose one-cycle chains disagree
    size_t fleeting;    // slices on the level before or behind the loop, a little above it there
    double width;       // mean cycles of the width segments in the accepted; NaN: none
    double excess;      // mean part by which they are above their level; NaN: none
    double excess_sd;   // standard error of that mean
    bool watched;       // the watch segments take a whole number of cycles a link, as they must
};

// Choose. `excluded` and `level` as in stopwatch_evaluate. Free with quiet_free.
void quiet_choose(const struct slices *slices, int excluded, double level, struct quiet *quiet);

void quiet_free(struct quiet *quiet);
