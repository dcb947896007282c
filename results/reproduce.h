// SPDX-License-Identifier: GPL-3.0-or-later
// results: the text that goes with a bundle, for a reader who has nothing but the bundle.
#ifndef ASMSWEEP_REPRODUCE_H
#define ASMSWEEP_REPRODUCE_H

#include "common/table.h"

#include <stdbool.h>

// Write it: for a run's summary.csv, a bundle with or without guest/, and what the run lacks
// (ending.h), "" for nothing.
void reproduce_write(const struct table *summary, bool guest, const char *unfinished, FILE *stream);

#endif
