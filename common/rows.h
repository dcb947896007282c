// SPDX-License-Identifier: GPL-3.0-or-later
// common: the columns, statuses, quantities and privileges as C names, and a struct for the rows of
// each CSV file.
//
// Everything here is generated from the .def lists; add a line there and
// nowhere else.
#ifndef ASMSWEEP_ROWS_H
#define ASMSWEEP_ROWS_H

#include "common/columns.def"

#include <stdbool.h>
#include <stddef.h>

enum csv_file {
#define FILE_NUMBER(file) FILE_##file,
    CSV_FILES(FILE_NUMBER)
#undef FILE_NUMBER
        CSV_FILE_COUNT
};

enum status {
#define STATUS(name, keeps_value, retry, mark, meaning) STATUS_##name,
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

enum method {
#define METHOD(name, letter, meaning) METHOD_##name,
#include "common/methods.def"
#undef METHOD
    METHOD_COUNT
};

enum additive {
#define ADDITIVE(name, meaning) ADDITIVE_##name,
#include "common/additives.def"
#undef ADDITIVE
    ADDITIVE_COUNT
};

// COLUMN_measurements_run_id and so on, numbered in one sequence over all files.
enum column {
#define NUMBER(file, name, type, unit) COLUMN_##file##_##name,
#define SHARED(file, list) KEYS_##list(file, NUMBER)
#define ROW(file) COLUMNS_##file(NUMBER, NUMBER, SHARED)
    CSV_FILES(ROW)
#undef NUMBER
#undef SHARED
#undef ROW
        COLUMN_COUNT
};

// Names of a file's columns in order; *count gets how many. Static, not NULL-terminated.
const char *const *rows_columns(enum csv_file file, size_t *count);

// Whether files of older versions lack the column.
bool rows_is_later(enum csv_file file, size_t index);

// A column's place within its own file, from 0.
size_t rows_column_index(enum column column);

// "summary.csv" and so on. Static.
const char *rows_file_name(enum csv_file file);

// Names and meanings; the argument must be in range. Static strings.
const char *status_name(enum status status);
const char *status_meaning(enum status status);
const char *quantity_name(enum quantity quantity);
const char *quantity_unit(enum quantity quantity);
const char *privilege_name(enum privilege privilege);
const char *privilege_meaning(enum privilege privilege);
const char *method_name(enum method method);
const char *additive_name(enum additive additive);

// What begins so in the detail of proof.csv says why a loop may never end; a row that timed out
// repeats it.
#define PROOF_HINT "hint: "

// The inverse; -1 for a name that is none.
int status_from_name(const char *name);

// May a row's value be used? "unstable" says that the interval is wide, and the interval says it
// too.
bool status_keeps_value(enum status status);

// May another execution bring a better value?
bool status_wants_retry(enum status status);

// Of two statuses the one that stands in the row.
enum status status_worse(enum status a, enum status b);

#endif
