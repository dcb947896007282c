// SPDX-License-Identifier: GPL-3.0-or-later
// results: whether loops that hold the same cost the same, so that one cost may tell them all.
//
// Pure. Loops of one mix differ where their intervals are disjoint and further apart than
// margin_of; by which axis is read from their parameters.
#pragma once

#include "results/loops.h"

// Why the loops are not to be pooled, for the caller to free; NULL: they agree, or those with a
// value are all of different mixes.
char *agree_why_not(const struct loop *const *loop, size_t count);

// An axis that changes together with the loops' length and is no length itself, as its values are
// no numbers: what a misfit between lengths comes from is not known then. "" for none.
void agree_confounded(const struct loop *const *loop, size_t count, char *axis, size_t size);
