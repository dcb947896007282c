// SPDX-License-Identifier: GPL-3.0-or-later
// results: the text that goes with a bundle, for a reader who has nothing but the bundle.
#pragma once

#include "common/rows.h"

#include <stdbool.h>

// Write it: for a run's summary.csv, a bundle with or without guest/, and what the run lacks
// (runs.h), "" for nothing.
void reproduce_write(const struct summary_row *summary, size_t count, bool guest,
                     const char *unfinished, FILE *stream);
