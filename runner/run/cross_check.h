// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: the cross-check through hyperfine: whether there can be one, and whether it
// agreed with what the run measured.
#pragma once

#include "runner/run/measure.h"

// Before anything is measured: is there what --cross-check and the engine hyperfine need, a
// calibrator that is a unit (plan_calibrator), and for --cross-check hyperfine itself? Fills
// run->calibrator, run->calibrator_cycles and run->cross_check. 0 or -1 with *error.
int cross_check_find(struct measurement *run, struct error *error);

// Its first block measures every variant, each further one those that it contradicts yet.
enum { CROSS_CHECK_BLOCKS = 3 };

enum cross_check_verdict {
    CROSS_CHECK_agrees,
    CROSS_CHECK_disagrees, // the intervals leave a gap of more than a difference that matters
    CROSS_CHECK_blind,     // it could not have seen a difference that matters
    CROSS_CHECK_absent,    // one of both has no value
};

// What matters: margin_of the cycles. `cycles` gets the run's
// and the cross-check's value, *seen the smallest difference the cross-check could have seen, as a
// part of its value; NaN where absent.
enum cross_check_verdict cross_check_judge(const struct tallies *tallies, double precision,
                                           double cycles[2], double *seen);

// One line for the whole run.
void cross_check_report(const struct measurement *run, FILE *stream);
