// SPDX-License-Identifier: GPL-3.0-or-later
// common: the statuses and other lists as C names, and the rows of each CSV file as a struct with
// its writer and its checked reader.
//
// All of it is made from the .def lists; add a line there and nowhere else.
#pragma once

#include "common/columns.def"
#include "common/table.h"

#include <stdbool.h>

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

// Bit REMARK_name of a set of remarks.
enum remark {
#define REMARK(name, meaning) REMARK_##name,
#include "common/remarks.def"
#undef REMARK
    REMARK_COUNT
};

// What a cell of each type is in a row.
typedef const char *cell_text;  // never NULL in a row that was read
typedef long long cell_integer; // -1: empty
typedef double cell_number;     // NaN: empty
typedef unsigned cell_remarks;  // a bit for each; names with ';' between in the file
typedef enum status cell_status;
typedef enum quantity cell_quantity;
typedef enum privilege cell_privilege;
typedef enum method cell_method;
typedef enum additive cell_additive;

// clang-format off
// The columns that several files share, to be copied at once: a struct with ROWS_SHARE(LIST) has
// them as its members, and as a struct LIST of the same name.
#define ROWS_FIELD(file, name, type, unit) cell_##type name;
#define ROWS_SHARE(list) union { struct list list; struct { KEYS_##list(list, ROWS_FIELD) }; }

// struct summary_row and so on, a member for each column.
#define SHARED(file, list) ROWS_SHARE(list);
#define LIST(list) struct list { KEYS_##list(list, ROWS_FIELD) };
#define ROW(file) struct file##_row { COLUMNS_##file(ROWS_FIELD, ROWS_FIELD, SHARED) };
// clang-format on
SHARED_KEYS(LIST)
CSV_FILES(ROW)
#undef SHARED
#undef LIST
#undef ROW

enum cell_type {
    CELL_text,
    CELL_integer,
    CELL_number,
    CELL_remarks,
    CELL_status, // from here on a name of a list
    CELL_quantity,
    CELL_privilege,
    CELL_method,
    CELL_additive,
};

enum { ROWS_MOST_COLUMNS = 64 }; // of one file

struct column {
    const char *name;
    enum cell_type type;
    bool later;    // files of older versions lack it
    size_t offset; // in the file's row
};

// A file's columns in order; *count gets how many. Static.
const struct column *rows_columns(enum csv_file file, size_t *count);

// A file's rows as structs.
struct rows {
    enum csv_file file;
    struct table table;            // the texts as they were read; without columns if made
    const struct column **columns; // of the file's header, in its order; NULL: one not of ours
    void *row;                     // `count` of the file's struct
    size_t count;
    char **texts; // taken over by rows_own
    size_t text_count;
};

// Read a file. What is wrong in a cell names file, line and column, and `remedy` (NULL: none)
// stands behind all that is wrong. 0, or -1 with *error; free with rows_free in both cases.
int rows_read(const char *path, enum csv_file file, const char *remedy, struct rows *rows,
              struct error *error);

// The same from memory; `path` is used in messages only.
int rows_parse(const char *path, const char *text, size_t length, enum csv_file file,
               struct rows *rows, struct error *error);

// `count` empty rows.
void rows_make(enum csv_file file, size_t count, struct rows *rows);

// Row `index`, the file's struct.
void *rows_at(const struct rows *rows, size_t index);

// One more empty row at the end; `row` may move.
void *rows_add(struct rows *rows);

// Take over a text (text_make), which lives as long as the rows from now on.
const char *rows_own(struct rows *rows, char *text);

void rows_free(struct rows *rows);

// Make one row empty: texts "", numbers NaN, integers -1, names the first of their list.
void rows_empty(enum csv_file file, void *row);

// Append the header line, and a row, to a stream. `like`: the columns of a file that is gone on
// with; NULL: all. A text may be NULL: empty. -1 if the stream failed, else 0.
int rows_write_header(FILE *stream, enum csv_file file);
int rows_write(FILE *stream, enum csv_file file, const void *row, const struct rows *like);

// The header and all rows.
int rows_write_all(FILE *stream, const struct rows *rows);

// What older versions called a column or a setting; NULL: the same. Static.
const char *rows_former_name(const char *name);

// "summary.csv" and so on. Static.
const char *rows_file_name(enum csv_file file);

// Names and meanings; the argument must be in range. Static strings.
const char *status_name(enum status status);
const char *status_meaning(enum status status);
const char *quantity_name(enum quantity quantity);
const char *quantity_unit(enum quantity quantity);
const char *remark_name(enum remark remark);
const char *remark_meaning(enum remark remark);
const char *privilege_name(enum privilege privilege);
const char *privilege_meaning(enum privilege privilege);
const char *method_name(enum method method);
const char *additive_name(enum additive additive);

// May a row's value be used? "unstable" says that the interval is wide, and the interval says it
// too.
bool status_keeps_value(enum status status);

// May another execution bring a better value?
bool status_wants_retry(enum status status);

// Of two statuses the one that stands in the row.
enum status status_worse(enum status a, enum status b);
