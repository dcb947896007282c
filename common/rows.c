// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/rows.h"

#include <string.h>

struct column_row {
    enum csv_file file;
    const char *name;
};

static const struct column_row column_rows[COLUMN_COUNT + 1] = {
#define COLUMN(file, name) {FILE_##file, #name},
#include "common/columns.def"
#undef COLUMN
    {FILE_measurements, NULL},
};

struct named {
    const char *name, *text;
};

static const struct named statuses[STATUS_COUNT] = {
#define STATUS(name, meaning) {#name, meaning},
#include "common/statuses.def"
#undef STATUS
};

static const struct named quantities[QUANTITY_COUNT] = {
#define QUANTITY(name, unit, meaning) {#name, unit},
#include "common/quantities.def"
#undef QUANTITY
};

static const struct named privileges[PRIVILEGE_COUNT] = {
#define PRIVILEGE(name, meaning) {#name, meaning},
#include "common/privileges.def"
#undef PRIVILEGE
};

static size_t first_of(enum csv_file file) {
    size_t first = 0;
    while (first < COLUMN_COUNT && column_rows[first].file != file)
        first++;
    return first;
}

const char *const *rows_columns(enum csv_file file, size_t *count) {
    // One array of names for all files; each file's part is followed by the
    // next file's, so the caller goes by the count.
    static const char *const names[COLUMN_COUNT + 1] = {
#define COLUMN(file, name) #name,
#include "common/columns.def"
#undef COLUMN
        NULL,
    };
    size_t first = first_of(file), last = first;
    while (last < COLUMN_COUNT && column_rows[last].file == file)
        last++;
    *count = last - first;
    return names + first;
}

size_t rows_column_index(enum column column) {
    return (size_t)column - first_of(column_rows[column].file);
}

const char *status_name(enum status status) {
    return statuses[status].name;
}

const char *status_meaning(enum status status) {
    return statuses[status].text;
}

const char *quantity_name(enum quantity quantity) {
    return quantities[quantity].name;
}

const char *quantity_unit(enum quantity quantity) {
    return quantities[quantity].text;
}

const char *privilege_name(enum privilege privilege) {
    return privileges[privilege].name;
}

const char *privilege_meaning(enum privilege privilege) {
    return privileges[privilege].text;
}

int status_from_name(const char *name) {
    for (int i = 0; i < STATUS_COUNT; i++)
        if (!strcmp(statuses[i].name, name))
            return i;
    return -1;
}

enum status status_worse(enum status a, enum status b) {
    return a < b ? a : b;
}
