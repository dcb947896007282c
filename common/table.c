// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/table.h"

#include "common/disk.h"
#include "common/memory.h"
#include "common/units.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct table *table;
    struct error *error;
    size_t line;   // of the row being read, counted by row ends
    size_t fields; // in the row being read
    int failed;
};

static void fail(struct reading *reading, const char *what) {
    if (!reading->failed)
        error_set(reading->error, ERROR_INPUT, reading->table->path, reading->line, "%s", what);
    reading->failed = 1;
}

static void on_field(void *data, size_t length, void *context) {
    struct reading *reading = context;
    struct table *table = reading->table;
    if (reading->failed)
        return;
    if (data && memchr(data, '\0', length)) {
        fail(reading, "a NUL byte in the file; it is damaged");
        return;
    }
    int in_header = reading->line == 1;
    if (!in_header && reading->fields >= table->columns) {
        fail(reading, "more fields than the header has");
        return;
    }
    char ***list = in_header ? &table->header : &table->cells;
    size_t *at = in_header ? &table->columns : &table->count;
    *list = memory_more(*list, *at, sizeof **list);
    (*list)[*at] = memory_zero(length + 1, 1);
    if (data)
        memcpy((*list)[*at], data, length);
    ++*at;
    reading->fields++;
}

static void on_row(int terminator, void *context) {
    struct reading *reading = context;
    struct table *table = reading->table;
    if (reading->failed)
        return;
    if (terminator == -1) {
        fail(reading, "the last line is cut off; the file is incomplete");
        return;
    }
    if (reading->fields < table->columns) {
        fail(reading, "fewer fields than the header has");
        return;
    }
    table->rows += reading->line > 1;
    reading->line++;
    reading->fields = 0;
}

static int never_a_space(unsigned char character) {
    (void)character;
    return 0;
}

static int check_header(const struct table *table, const char *const *required,
                        struct error *error) {
    if (!table->columns)
        return error_set(error, ERROR_INPUT, table->path, 1, "empty; a header line is expected");
    if (!strncmp(table->header[0], "\xef\xbb\xbf", 3)) // as spreadsheets write it
        return error_set(error, ERROR_INPUT, table->path, 1,
                         "begins with a byte order mark; save it as UTF-8 without one");
    for (size_t i = 1; i < table->columns; i++)
        if ((size_t)table_column(table, table->header[i]) != i)
            return error_set(error, ERROR_INPUT, table->path, 1, "column '%s' comes twice",
                             table->header[i]);
    for (; required && *required; required++)
        if (table_column(table, *required) < 0)
            return error_set(error, ERROR_INPUT, table->path, 1, "no column '%s'", *required);
    return 0;
}

int table_parse(const char *path, const char *text, size_t length, const char *const *required,
                struct table *table, struct error *error) {
    *table = (struct table){.path = text_make("%s", path)};
    struct reading reading = {.table = table, .error = error, .line = 1};
    struct csv_parser parser;
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    // Our own files use no blanks around fields: keep them if somebody else's do.
    csv_set_space_func(&parser, never_a_space);
    size_t parsed = csv_parse(&parser, text, length, on_field, on_row, &reading);
    if (parsed != length)
        fail(&reading, "a quote in the middle of a field");
    else if (csv_fini(&parser, on_field, on_row, &reading))
        fail(&reading, "the last line is cut off inside quotes; the file is incomplete");
    csv_free(&parser);
    if (reading.failed || check_header(table, required, error)) {
        table_free(table);
        return -1;
    }
    return 0;
}

int table_read(const char *path, const char *const *required, struct table *table,
               struct error *error) {
    *table = (struct table){0};
    size_t length;
    char *text = disk_read(path, &length, error);
    if (!text)
        return -1;
    int result = table_parse(path, text, length, required, table, error);
    free(text);
    return result;
}

void table_free(struct table *table) {
    for (size_t i = 0; i < table->columns; i++)
        free(table->header[i]);
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->header);
    free(table->cells);
    free(table->path);
    *table = (struct table){0};
}

int table_column(const struct table *table, const char *name) {
    for (size_t i = 0; i < table->columns; i++)
        if (!strcmp(table->header[i], name))
            return (int)i;
    return -1;
}

const char *table_cell(const struct table *table, size_t row, const char *name) {
    int column = table_column(table, name);
    return column < 0 ? "" : table->cells[row * table->columns + (size_t)column];
}

int table_write_row(FILE *stream, const char *const *fields, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *text = fields[i] ? fields[i] : "";
        if (i)
            fputc(',', stream);
        if (text[strcspn(text, ",\"\r\n")])
            csv_fwrite(stream, text, strlen(text));
        else
            fputs(text, stream);
    }
    fputs("\r\n", stream);
    return ferror(stream) ? -1 : 0;
}

void table_write_pair(FILE *stream, const char *key, const char *value) {
    table_write_row(stream, (const char *const[]){key, value}, 2);
}

void table_write_number(FILE *stream, const char *key, double value) {
    char text[32];
    table_write_pair(stream, key, units_format_value(value, text, sizeof text));
}
