// SPDX-License-Identifier: GPL-3.0-or-later
// results: whether a run's folder is whole, and which build and sweep it was measured from.
#pragma once

#include "common/rows.h"

#include <stdbool.h>
#include <stddef.h>

// A CSV of a run's folder.
struct whole_file {
    enum csv_file file;
    bool needed;        // there in each run that came to its end
    const char *remedy; // where it is not what it should be
};

extern const struct whole_file whole_files[];
extern const size_t whole_count;

// Read one of whole_files: besides what rows_read looks at, no interval ends below its beginning.
// One that may be missing leaves no rows. 0, or -1 with *error: file, line and remedy. Free with
// rows_free in both cases.
int whole_read(const char *directory, enum csv_file file, bool may_miss, struct rows *rows,
               struct error *error);

// Read every CSV of the run so, and see that those that are needed have rows. 0, or -1 with *error.
int whole_run(const char *directory, struct error *error);

// The listing of a variant's code in the run's folder, code/VARIANT.txt, whose SHA-256 is `sum`;
// the caller frees it. NULL with *error: it is not there, or another.
char *listing_read(const char *directory, const char *variant, const char *sum, size_t *bytes,
                   struct error *error);

// The build that a run was measured from: the one its journal names, else BUILDS/SWEEP; `sweep`
// is the run's. `path` has room for `size` bytes. 0, or -1 with *error where no build is there.
int whole_build(const char *directory, const char *builds, const char *sweep, char *path,
                size_t size, struct error *error);

// The path of the user's own sweep that a run measured, cut at size; "" for a sweep of the
// project, and where the file is not there or says nothing.
void sweep_json_toml(const char *directory, char *path, size_t size);

// Text of a sweep.json with that path replaced by "anonymous"; the caller frees it. NULL for what
// is no JSON.
char *sweep_json_anonymous(const char *text);
