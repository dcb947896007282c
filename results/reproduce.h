// SPDX-License-Identifier: GPL-3.0-or-later
// results: the text that goes with a bundle, for a reader who has nothing but the bundle.
#ifndef ASMSWEEP_REPRODUCE_H
#define ASMSWEEP_REPRODUCE_H

#include "common/table.h"

#include <stdbool.h>

struct reproduce {
    const struct table *summary; // the run's
    const char *example;         // a variant with a value
    bool guest;                  // the bundle has guest/
    const char *unfinished;      // what the run lacks (ending.h), "" for nothing
};

// Write the text. -1 if the stream failed, else 0.
int reproduce_write(const struct reproduce *text, FILE *stream);

#endif
