// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/fields.h"

#include "common/memory.h"
#include "common/replace.h"

#include <string.h>

const char *const fields_pair[] = {"key", "value", NULL};

const char *field_text(const struct field *field, const void *item) {
    return (const char *)item + field->offset;
}

int field_set(const struct field *field, void *item, const char *text) {
    int length = snprintf((char *)item + field->offset, field->size, "%s", text);
    return length < (int)field->size ? 0 : -1;
}

int fields_write_rows(const char *path, const struct fields *fields, const void *items,
                      size_t count, struct error *error) {
    struct replacement file;
    const char *cells[fields->count];
    if (replace_begin(path, &file, error))
        return -1;
    for (size_t i = 0; i < fields->count; i++)
        cells[i] = fields->list[i].name;
    table_write_row(file.stream, cells, fields->count);
    for (const char *item = items; count--; item += fields->size) {
        for (size_t i = 0; i < fields->count; i++)
            cells[i] = field_text(&fields->list[i], item);
        table_write_row(file.stream, cells, fields->count);
    }
    return replace_end(&file, 0, error);
}

int fields_read_rows(const char *path, const struct fields *fields, void *items, size_t *count,
                     struct error *error) {
    struct table table;
    char *read = NULL;
    int failed = table_read(path, NULL, &table, error);
    for (size_t row = 0; row < table.rows && !failed; row++) {
        read = memory_more(read, row, fields->size);
        char *item = memset(read + row * fields->size, 0, fields->size);
        for (size_t i = 0; i < fields->count && !failed; i++)
            if (field_set(&fields->list[i], item, table_cell(&table, row, fields->list[i].name)))
                failed = error_set(error, ERROR_INPUT, path, table_line(row), "damaged");
    }
    *(void **)items = read;
    *count = failed ? 0 : table.rows;
    table_free(&table);
    return failed;
}

int fields_write_pairs(const char *path, const struct fields *fields, const void *item,
                       struct error *error) {
    struct replacement file;
    if (replace_begin(path, &file, error))
        return -1;
    table_write_row(file.stream, fields_pair, 2);
    for (size_t i = 0; i < fields->count; i++)
        table_write_row(
            file.stream,
            (const char *const[]){fields->list[i].name, field_text(&fields->list[i], item)}, 2);
    return replace_end(&file, 0, error);
}

int fields_take_pairs(const struct table *table, const struct fields *fields, void *item,
                      struct error *error) {
    for (size_t row = 0; row < table->rows; row++)
        for (size_t i = 0; i < fields->count; i++)
            if (!strcmp(fields->list[i].name, table_cell(table, row, "key")) &&
                field_set(&fields->list[i], item, table_cell(table, row, "value")))
                return error_set(error, ERROR_INPUT, table->path, table_line(row),
                                 "the value is too long");
    return 0;
}
