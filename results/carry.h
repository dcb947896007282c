// SPDX-License-Identifier: GPL-3.0-or-later
// results: what a cost takes over from the loops that it rests on.
//
// Pure. A derived cost is never better than its loops: the worst of their statuses, the fewest of
// their executions and what their rows say stand in its row, too.
#pragma once

#include "results/loops.h"

// After all costs are solved: each that has a value gets what its loops have. Its interval ends at
// 0 where it would reach below, unless it is a difference; what cannot be told from 0 says so.
void carry_all(const struct loops *loops, struct costs *costs);
