// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: the independent witness of --witness: whether there can be one, and whether it
// agreed with what the run measured.
#pragma once

#include "runner/run/measure.h"

// Before anything is measured: is there what --witness and the engine hyperfine need, a
// calibrator that is a unit (plan_calibrator), and for --witness hyperfine itself? Fills
// run->calibrator, run->calibrator_cycles and run->witness. 0 or -1 with *error.
int witness_check(struct measurement *run, struct error *error);

// Its first block measures every variant, each further one those that it contradicts yet.
enum { WITNESS_BLOCKS = 3 };

enum witness_verdict {
    WITNESS_agrees,
    WITNESS_disagrees, // the intervals leave a gap of more than a difference that matters
    WITNESS_blind,     // it could not have seen a difference that matters
    WITNESS_absent,    // one of both has no value
};

// What matters: 2 % of the cycles, or 0.1 cycle, whichever is larger. `cycles` gets the run's
// and the witness's value, *seen the smallest difference the witness could have seen, as a part of
// its value; NaN where absent.
enum witness_verdict witness_judge(const struct tallies *tallies, double precision,
                                   double cycles[2], double *seen);

// One line for the whole run.
void witness_report(const struct measurement *run, FILE *stream);
