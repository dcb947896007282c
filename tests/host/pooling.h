// SPDX-License-Identifier: GPL-3.0-or-later
// tests/host: executions pooled as a run does it, by way of their rows in measurements.csv.
#pragma once

#include "runner/estimate/stopwatch.h"

// To the precision that a run asks for by default. *remarks gets the bits of the pooled row.
void pool_executions(const struct stopwatch_value *values, size_t count, struct pooled *pooled,
                     unsigned *remarks);
