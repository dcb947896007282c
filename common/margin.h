// SPDX-License-Identifier: GPL-3.0-or-later
// common: the practical margin, in cycles per iteration. Pure.
#pragma once

#include <math.h>

#define MARGIN(name, value, meaning) static const double margin_##name = value;
#include "common/margins.def"
#undef MARGIN

// What a value of that many cycles may be off before it matters.
static inline double margin_of(double cycles) {
    return fmax(margin_part * fabs(cycles), margin_cycles);
}
