// SPDX-License-Identifier: GPL-3.0-or-later
// common: CSV files as RFC 4180 has them, read whole and written row by row.
//
// Reading is libcsv's in strict mode; a row with too few or too many fields, a
// cut-off last row and a NUL byte are errors that name file and line. Writing
// quotes only what needs it.
#pragma once

#include "common/error.h"

#include <stdio.h>

struct table {
    size_t columns, rows; // rows without the header
    char **header;        // columns names
    char **cells;         // rows * columns, row by row
    size_t count;         // of the cells
    char *path;           // for messages
};

// Read a whole file. `required` names columns that must be there (NULL-terminated, may be
// NULL). 0, or -1 with *error; then *table is empty. Free with table_free in both cases.
int table_read(const char *path, const char *const *required, struct table *table,
               struct error *error);

// The same from memory; `path` is used in messages only.
int table_parse(const char *path, const char *text, size_t length, const char *const *required,
                struct table *table, struct error *error);

void table_free(struct table *table);

// A column's number, or -1.
int table_column(const struct table *table, const char *name);

// A cell by the column's name; "" where there is no such column. Owned by the table.
const char *table_cell(const struct table *table, size_t row, const char *name);

// The line of the file a row without quoted newlines stands on: for messages.
static inline size_t table_line(size_t row) {
    return row + 2;
}

// Append `count` fields as one line with CRLF to a stream.
// A NULL field is empty. -1 if the stream failed, else 0.
int table_write_row(FILE *stream, const char *const *fields, size_t count);

// Append a row of a file of keys and values; a NaN is empty.
void table_write_pair(FILE *stream, const char *key, const char *value);
void table_write_number(FILE *stream, const char *key, double value);
