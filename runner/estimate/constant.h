// SPDX-License-Identifier: GPL-3.0-or-later
// runner/estimate: is the cost of an iteration a constant?
//
// A slice sees iterations n to 2n. A loop may cost something else further on: its numbers become
// subnormal, or it walks through more memory than 2n iterations reach, and begins anew in each
// segment. So some slices are followed by a run of 4n, and a few by one of many times n (checks).
#pragma once

#include "runner/estimate/quiet.h"

enum verdict { VERDICT_unknown, VERDICT_constant, VERDICT_changes, VERDICT_speeds };

struct constancy {
    enum verdict verdict;
    bool tried;     // runs of more than 4n were there, or there was room for them
    uint32_t times; // changes, speeds: seen at so many times n
    double cycles;  // changes, speeds: of an iteration up to there, from 2n (4) or n on
};

// Compare the checks behind accepted slices with `cycles`, the execution's value, whose standard
// error is slices_error. A check in which the core was shared can only be slower: it may confirm
// the value, and never contradicts it. Within a run of many times n a neighbour may come and go
// unseen: that such runs are slower counts only where nothing else of the execution was disturbed.
// Nothing makes a run faster: where some are, and others confirm the value, the loop has two
// speeds.
struct constancy constant_judge(const struct slices *slices, const struct quiet *quiet,
                                double cycles, double slices_error);
