// SPDX-License-Identifier: GPL-3.0-or-later
// common: the columns, statuses, quantities and privileges as C names.
//
// Everything here is generated from the .def lists; add a line there and
// nowhere else.
#ifndef ASMSWEEP_ROWS_H
#define ASMSWEEP_ROWS_H

#include <stddef.h>

enum csv_file {
    FILE_measurements,
    FILE_summary,
    FILE_samples,
    FILE_environment,
    FILE_costs,
    FILE_proof,
    FILE_night,
};

// COLUMN_measurements_run_id and so on, numbered in one sequence over all files.
enum column {
#define COLUMN(file, name) COLUMN_##file##_##name,
#include "common/columns.def"
#undef COLUMN
    COLUMN_COUNT
};

enum status {
#define STATUS(name, meaning) STATUS_##name,
#include "common/statuses.def"
#undef STATUS
    STATUS_COUNT
};

enum quantity {
#define QUANTITY(name, unit, meaning) QUANTITY_##name,
#include "common/quantities.def"
#undef QUANTITY
    QUANTITY_COUNT
};

enum privilege {
#define PRIVILEGE(name, meaning) PRIVILEGE_##name,
#include "common/privileges.def"
#undef PRIVILEGE
    PRIVILEGE_COUNT
};

// Names of a file's columns in order; *count gets how many. Static, not NULL-terminated.
const char *const *rows_columns(enum csv_file file, size_t *count);

// A column's place within its own file, from 0.
size_t rows_column_index(enum column column);

// Names and meanings; the argument must be in range. Static strings.
const char *status_name(enum status status);
const char *status_meaning(enum status status);
const char *quantity_name(enum quantity quantity);
const char *quantity_unit(enum quantity quantity);
const char *privilege_name(enum privilege privilege);
const char *privilege_meaning(enum privilege privilege);

// What begins so in the detail of proof.csv says why a loop may never end; a row that timed out
// repeats it.
#define PROOF_HINT "hint: "

// The inverse; -1 for a name that is none.
int status_from_name(const char *name);

// Of two statuses the one that stands in the row.
enum status status_worse(enum status a, enum status b);

#endif
