// SPDX-License-Identifier: GPL-3.0-or-later
// results: whether a run's folder is whole, and which build it was measured from.
#ifndef ASMSWEEP_WHOLE_H
#define ASMSWEEP_WHOLE_H

#include "common/error.h"
#include "common/table.h"

#include <stdbool.h>
#include <stddef.h>

// A CSV of a run's folder.
struct whole_file {
    const char *name;
    bool needed;        // there in each run that came to its end
    int columns;        // an enum csv_file (rows.h), or -1: not of columns.def
    const char *remedy; // where it is not what it should be
};

extern const struct whole_file whole_files[];
extern const size_t whole_count;

// Read every CSV of the run: all columns that common/columns.def has for it are there, each row
// is as long as the header, each number is one, each status is known, no interval ends below its
// beginning, and summary.csv has rows. 0, or -1 with *error: file, line and remedy.
int whole_run(const char *directory, struct error *error);

// The same for the cells of one file that was read already; `name` is one of whole_files.
int whole_cells(const struct table *table, const char *name, struct error *error);

// The build that a run was measured from: the one its journal names, else BUILDS/SWEEP; `sweep`
// is the run's. `path` has room for `size` bytes. 0, or -1 with *error where no build is there.
int whole_build(const char *directory, const char *builds, const char *sweep, char *path,
                size_t size, struct error *error);

#endif
