// SPDX-License-Identifier: GPL-3.0-or-later
// common: write a file whole or not at all.
#ifndef ASMSWEEP_REPLACE_H
#define ASMSWEEP_REPLACE_H

#include "common/error.h"

#include <stdio.h>

// Call `write` on a temporary file beside `path`, sync it and rename it over `path`. On any
// failure what was at `path` stays. 0, or -1 with *error naming the path.
int replace_file(const char *path, int (*write)(FILE *stream, const void *data), const void *data,
                 struct error *error);

#endif
