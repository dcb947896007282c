// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/rows.h"

#include "common/disk.h"
#include "common/memory.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_CELL_ROOM = 96 }; // a number, or the names of all remarks

// The names that a cell of a list's type may hold, each with what is said of it.
struct name {
    const char *name, *text;
};

static const struct name statuses[] = {
#define STATUS(name, keeps_value, retry, mark, meaning) {#name, meaning},
#include "common/statuses.def"
#undef STATUS
};

static const struct {
    bool keeps_value, retry;
} status_rules[] = {
#define STATUS(name, keeps_value, retry, mark, meaning) {keeps_value, retry},
#include "common/statuses.def"
#undef STATUS
};

static const struct name quantities[] = {
#define QUANTITY(name, unit, meaning) {#name, unit},
#include "common/quantities.def"
#undef QUANTITY
};

static const struct name remarks[] = {
#define REMARK(name, meaning) {#name, meaning},
#include "common/remarks.def"
#undef REMARK
};

static const struct name privileges[] = {
#define PRIVILEGE(name, meaning) {#name, meaning},
#include "common/privileges.def"
#undef PRIVILEGE
};

static const struct name methods[] = {
#define METHOD(name, letter, meaning) {#name, meaning},
#include "common/methods.def"
#undef METHOD
};

static const struct name additives[] = {
#define ADDITIVE(name, meaning) {#name, meaning},
#include "common/additives.def"
#undef ADDITIVE
};

static const struct name renamed[] = {
#define RENAMED(name, former) {#name, #former},
#include "common/renamed.def"
#undef RENAMED
};

const char *rows_former_name(const char *name) {
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(renamed[i].name, name) == 0)
            return renamed[i].text;
    return NULL;
}

static const struct {
    const struct name *names;
    int count;
} lists[] = {
    [CELL_remarks] = {remarks, REMARK_COUNT},
    [CELL_status] = {statuses, STATUS_COUNT},
    [CELL_quantity] = {quantities, QUANTITY_COUNT},
    [CELL_privilege] = {privileges, PRIVILEGE_COUNT},
    [CELL_method] = {methods, METHOD_COUNT},
    [CELL_additive] = {additives, ADDITIVE_COUNT},
};

static int name_from(enum cell_type list, const char *text, size_t length) {
    for (int i = 0; i < lists[list].count; i++) {
        const char *name = lists[list].names[i].name;
        if (strlen(name) == length && strncmp(name, text, length) == 0)
            return i;
    }
    return -1;
}

static int scan_remarks(const char *text, cell_remarks *set) {
    *set = 0;
    for (size_t length; *text != '\0'; text += length + (text[length] == ';')) {
        length = strcspn(text, ";");
        int number = name_from(CELL_remarks, text, length);
        if (number < 0)
            return -1;
        *set |= 1U << number;
    }
    return 0;
}

static const char *print_remarks(cell_remarks set, char room[ROWS_CELL_ROOM]) {
    room[0] = '\0';
    for (int i = 0; i < REMARK_COUNT; i++)
        if (set >> i & 1) {
            size_t used = strlen(room);
            snprintf(room + used, ROWS_CELL_ROOM - used, "%s%s", used ? ";" : "", remarks[i].name);
        }
    return room;
}

// clang-format off
#define COLUMN(file, name, type, unit) {#name, CELL_##type, false, offsetof(struct file##_row, name)},
#define LATER(file, name, type, unit) {#name, CELL_##type, true, offsetof(struct file##_row, name)},
#define KEYS(file, list) KEYS_##list(file, COLUMN)
#define ROW(file) static const struct column file##_columns[] = {COLUMNS_##file(COLUMN, LATER, KEYS)};
CSV_FILES(ROW)
#define FILE_ROW(file) {#file ".csv", file##_columns, sizeof file##_columns / sizeof(struct column), \
                        sizeof(struct file##_row)},
// clang-format on

static const struct {
    const char *name;
    const struct column *columns;
    size_t count, size;
} files[] = {CSV_FILES(FILE_ROW)};

const struct column *rows_columns(enum csv_file file, size_t *count) {
    *count = files[file].count;
    return files[file].columns;
}

const char *rows_file_name(enum csv_file file) {
    return files[file].name;
}

// Put a text into its cell. -1: it is none of the type.
static int scan_cell(const struct column *column, const char *text, void *row) {
    void *cell = (char *)row + column->offset;
    switch (column->type) {
    case CELL_text:
        *(cell_text *)cell = text;
        return 0;
    case CELL_integer:
        *(cell_integer *)cell = -1;
        return *text == '\0' ? 0 : units_scan_integer(text, 0, __LONG_LONG_MAX__, cell);
    case CELL_number:
        *(cell_number *)cell = NAN;
        return *text == '\0' ? 0 : units_scan_number(text, cell);
    case CELL_remarks:
        return scan_remarks(text, cell);
    default:;
        int number = name_from(column->type, text, strlen(text));
        *(unsigned *)cell = number < 0 ? 0 : (unsigned)number;
        return number < 0 ? -1 : 0;
    }
}

// A cell as text, which may stand in `room`.
static const char *print_cell(const struct column *column, const void *row,
                              char room[ROWS_CELL_ROOM]) {
    const void *cell = (const char *)row + column->offset;
    switch (column->type) {
    case CELL_text:
        return *(const cell_text *)cell;
    case CELL_integer:
        snprintf(room, ROWS_CELL_ROOM, "%lld", *(const cell_integer *)cell);
        return *(const cell_integer *)cell < 0 ? "" : room;
    case CELL_number:
        return units_format_value(*(const cell_number *)cell, room, ROWS_CELL_ROOM);
    case CELL_remarks:
        return print_remarks(*(const cell_remarks *)cell, room);
    default:
        return lists[column->type].names[*(const unsigned *)cell].name;
    }
}

void rows_empty(enum csv_file file, void *row) {
    memset(row, 0, files[file].size);
    for (size_t i = 0; i < files[file].count; i++)
        scan_cell(&files[file].columns[i], "", row);
}

// The columns that the header names. -1 with *error: one that must be there is not.
static int find_columns(struct rows *rows, struct error *error) {
    const struct table *table = &rows->table;
    if (table->columns > ROWS_MOST_COLUMNS)
        return error_set(error, ERROR_INPUT, table->path, 1, "%zu columns are none of our files",
                         table->columns);
    rows->columns = memory_zero(table->columns, sizeof *rows->columns);
    for (size_t i = 0; i < files[rows->file].count; i++) {
        const struct column *column = &files[rows->file].columns[i];
        const char *former = rows_former_name(column->name);
        int at = table_column(table, column->name);
        if (at < 0 && former != NULL)
            at = table_column(table, former);
        if (at >= 0)
            rows->columns[at] = column;
        else if (!column->later)
            return error_set(error, ERROR_INPUT, table->path, 1, "no column '%s'", column->name);
    }
    return 0;
}

static int wrong_cell(const struct rows *rows, size_t row, const struct column *column,
                      const char *text, struct error *error) {
    const char *what = column->type == CELL_number    ? "no number"
                       : column->type == CELL_integer ? "no whole number from 0"
                                                      : "no word of this version";
    return error_set(error, ERROR_INPUT, rows->table.path, table_line(row), "%s is '%.40s', %s",
                     column->name, text, what);
}

// The rows of the table that was read.
static int take_cells(struct rows *rows, struct error *error) {
    const struct table *table = &rows->table;
    if (find_columns(rows, error) != 0)
        return -1;
    rows->row = memory_zero(table->rows, files[rows->file].size);
    for (; rows->count < table->rows; rows->count++) {
        void *row = rows_at(rows, rows->count);
        rows_empty(rows->file, row);
        for (size_t i = 0; i < table->columns; i++) {
            const char *text = table->cells[rows->count * table->columns + i];
            if (rows->columns[i] != NULL && scan_cell(rows->columns[i], text, row) != 0)
                return wrong_cell(rows, rows->count, rows->columns[i], text, error);
        }
    }
    return 0;
}

int rows_parse(const char *path, const char *text, size_t length, enum csv_file file,
               struct rows *rows, struct error *error) {
    *rows = (struct rows){.file = file};
    return table_parse(path, text, length, NULL, &rows->table, error) != 0 ||
                   take_cells(rows, error) != 0
               ? -1
               : 0;
}

int rows_read(const char *path, enum csv_file file, const char *remedy, struct rows *rows,
              struct error *error) {
    *rows = (struct rows){.file = file};
    if (table_read(path, NULL, &rows->table, error) == 0 && take_cells(rows, error) == 0)
        return 0;
    size_t length = strlen(error->text);
    if (remedy != NULL)
        snprintf(error->text + length, sizeof error->text - length, "; %s", remedy);
    return -1;
}

void rows_make(enum csv_file file, size_t count, struct rows *rows) {
    *rows =
        (struct rows){.file = file, .count = count, .row = memory_zero(count, files[file].size)};
    for (size_t i = 0; i < count; i++)
        rows_empty(file, rows_at(rows, i));
}

void *rows_at(const struct rows *rows, size_t index) {
    return (char *)rows->row + index * files[rows->file].size;
}

void *rows_add(struct rows *rows) {
    size_t size = files[rows->file].size;
    rows->row = memory_more(rows->row, rows->count, size);
    void *row = rows_at(rows, rows->count++);
    rows_empty(rows->file, row);
    return row;
}

const char *rows_own(struct rows *rows, char *text) {
    rows->texts = memory_more(rows->texts, rows->text_count, sizeof *rows->texts);
    return rows->texts[rows->text_count++] = text;
}

void rows_free(struct rows *rows) {
    for (size_t i = 0; i < rows->text_count; i++)
        free(rows->texts[i]);
    free(rows->texts);
    free(rows->row);
    free(rows->columns);
    table_free(&rows->table);
    *rows = (struct rows){.file = rows->file};
}

int rows_write_header(FILE *stream, enum csv_file file) {
    const char *names[ROWS_MOST_COLUMNS];
    for (size_t i = 0; i < files[file].count; i++)
        names[i] = files[file].columns[i].name;
    return table_write_row(stream, names, files[file].count);
}

int rows_write(FILE *stream, enum csv_file file, const void *row, const struct rows *like) {
    const char *cells[ROWS_MOST_COLUMNS];
    char room[ROWS_MOST_COLUMNS][ROWS_CELL_ROOM];
    const struct column *const *old = like != NULL ? like->columns : NULL;
    size_t count = old != NULL ? like->table.columns : files[file].count;
    for (size_t i = 0; i < count; i++) {
        const struct column *column = old != NULL ? old[i] : &files[file].columns[i];
        cells[i] = column == NULL ? "" : print_cell(column, row, room[i]);
    }
    return table_write_row(stream, cells, count);
}

int rows_write_all(FILE *stream, const struct rows *rows) {
    rows_write_header(stream, rows->file);
    for (size_t i = 0; i < rows->count; i++)
        rows_write(stream, rows->file, rows_at(rows, i), NULL);
    return ferror(stream) ? -1 : 0;
}

#define TEXT_OF(type, list, what, member)                                                          \
    const char *type##_##what(enum type type) {                                                    \
        return list[type].member;                                                                  \
    }
TEXT_OF(status, statuses, name, name)
TEXT_OF(status, statuses, meaning, text)
TEXT_OF(quantity, quantities, name, name)
TEXT_OF(quantity, quantities, unit, text)
TEXT_OF(remark, remarks, name, name)
TEXT_OF(remark, remarks, meaning, text)
TEXT_OF(privilege, privileges, name, name)
TEXT_OF(privilege, privileges, meaning, text)
TEXT_OF(method, methods, name, name)
TEXT_OF(additive, additives, name, name)

bool status_keeps_value(enum status status) {
    return status_rules[status].keeps_value;
}

bool status_wants_retry(enum status status) {
    return status_rules[status].retry;
}

enum status status_worse(enum status a, enum status b) {
    return a < b ? a : b;
}
