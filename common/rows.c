// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/rows.h"

#include <string.h>

struct column_row {
    enum csv_file file;
    bool later;
    const char *name;
};

static const struct column_row column_rows[COLUMN_COUNT + 1] = {
#define COLUMN(file, name, type, unit) {FILE_##file, false, #name},
#define LATER(file, name, type, unit) {FILE_##file, true, #name},
#define SHARED(file, list) KEYS_##list(file, COLUMN)
#define ROW(file) COLUMNS_##file(COLUMN, LATER, SHARED)
    CSV_FILES(ROW)
#undef COLUMN
#undef LATER
#undef SHARED
#undef ROW
        {FILE_measurements, false, NULL},
};

struct named {
    const char *name, *text;
};

static const struct {
    const char *name, *text;
    bool keeps_value, retry;
} statuses[STATUS_COUNT] = {
#define STATUS(name, keeps_value, retry, mark, meaning) {#name, meaning, keeps_value, retry},
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

static const char *const methods[METHOD_COUNT] = {
#define METHOD(name, letter, meaning) #name,
#include "common/methods.def"
#undef METHOD
};

static const char *const additives[ADDITIVE_COUNT] = {
#define ADDITIVE(name, meaning) #name,
#include "common/additives.def"
#undef ADDITIVE
};

static const char *const file_names[CSV_FILE_COUNT] = {
#define NAME(file) #file ".csv",
    CSV_FILES(NAME)
#undef NAME
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
#define COLUMN(file, name, type, unit) #name,
#define SHARED(file, list) KEYS_##list(file, COLUMN)
#define ROW(file) COLUMNS_##file(COLUMN, COLUMN, SHARED)
        CSV_FILES(ROW)
#undef COLUMN
            NULL,
    };
    size_t first = first_of(file), last = first;
    while (last < COLUMN_COUNT && column_rows[last].file == file)
        last++;
    *count = last - first;
    return names + first;
}

bool rows_is_later(enum csv_file file, size_t index) {
    return column_rows[first_of(file) + index].later;
}

const char *rows_file_name(enum csv_file file) {
    return file_names[file];
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

const char *method_name(enum method method) {
    return methods[method];
}

const char *additive_name(enum additive additive) {
    return additives[additive];
}

bool status_keeps_value(enum status status) {
    return statuses[status].keeps_value;
}

bool status_wants_retry(enum status status) {
    return statuses[status].retry;
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
