// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/proof.h"

#include "common/replace.h"
#include "common/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t column_count(void) {
    size_t count;
    rows_columns(FILE_proof, &count);
    return count;
}

int proof_new(size_t count, struct proof *proof, struct error *error) {
    proof->count = count;
    proof->rows = calloc(count + 1, sizeof *proof->rows);
    for (size_t i = 0; proof->rows && i < count; i++) {
        proof->rows[i].cells = calloc(column_count(), sizeof(char *));
        if (!proof->rows[i].cells) {
            proof->count = i;
            proof_free(proof);
        }
    }
    if (!proof->rows)
        return error_set(error, ERROR_MISSING, NULL, 0, "not enough memory for the proof");
    return 0;
}

void proof_free(struct proof *proof) {
    for (size_t i = 0; i < proof->count; i++) {
        for (size_t c = 0; c < column_count(); c++)
            free(proof->rows[i].cells[c]);
        free(proof->rows[i].cells);
    }
    free(proof->rows);
    *proof = (struct proof){0};
}

static const char *const required[] = {"variant", "elf_sha256", "status", NULL};

static int take_rows(const struct table *table, struct proof *proof, struct error *error) {
    size_t count;
    const char *const *names = rows_columns(FILE_proof, &count);
    int result = proof_new(table->rows, proof, error);
    for (size_t i = 0; !result && i < table->rows; i++)
        for (size_t c = 0; c < count; c++) {
            proof->rows[i].cells[c] = strdup(table_cell(table, i, names[c]));
            if (!proof->rows[i].cells[c])
                result = error_set(error, ERROR_MISSING, table->path, 0, "not enough memory");
        }
    if (result)
        proof_free(proof);
    return result;
}

int proof_read(const char *path, struct proof *proof, struct error *error) {
    struct table table;
    *proof = (struct proof){0};
    int failed = table_read(path, required, &table, error) || take_rows(&table, proof, error);
    table_free(&table);
    return failed ? -1 : 0;
}

int proof_parse(const char *path, const char *text, size_t length, struct proof *proof,
                struct error *error) {
    struct table table;
    *proof = (struct proof){0};
    int failed =
        table_parse(path, text, length, required, &table, error) || take_rows(&table, proof, error);
    table_free(&table);
    return failed ? -1 : 0;
}

int proof_write(const char *path, const struct proof *proof, struct error *error) {
    struct replacement file;
    size_t count;
    const char *const *names = rows_columns(FILE_proof, &count);
    if (replace_begin(path, &file, error))
        return -1;
    table_write_row(file.stream, names, count);
    for (size_t i = 0; i < proof->count; i++)
        table_write_row(file.stream, (const char *const *)proof->rows[i].cells, count);
    return replace_end(&file, 0, error);
}

const char *proof_cell(const struct proof_row *row, enum column column) {
    const char *text = row->cells[rows_column_index(column)];
    return text ? text : "";
}

static int replace(struct proof_row *row, enum column column, char *text) {
    char **cell = &row->cells[rows_column_index(column)];
    free(*cell);
    *cell = text;
    return text ? 0 : -1;
}

int proof_set(struct proof_row *row, enum column column, const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return replace(row, column, text);
}

struct proof_row *proof_find(const struct proof *proof, const char *variant) {
    for (size_t i = 0; i < proof->count; i++)
        if (!strcmp(proof_cell(&proof->rows[i], COLUMN_proof_variant), variant))
            return &proof->rows[i];
    return NULL;
}

// Put a printf'd text behind what the detail says.
static int add_detail(struct proof_row *row, const char *format, va_list arguments) {
    char *what, *both;
    if (vasprintf(&what, format, arguments) < 0)
        return -1;
    const char *before = proof_cell(row, COLUMN_proof_detail);
    int length = asprintf(&both, "%s%s%s", before, *before ? "; " : "", what);
    free(what);
    return length < 0 ? -1 : replace(row, COLUMN_proof_detail, both);
}

int proof_notes(struct proof_row *row, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int failed = add_detail(row, format, arguments);
    va_end(arguments);
    return failed;
}

int proof_differs(struct proof_row *row, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int failed = add_detail(row, format, arguments);
    va_end(arguments);
    return failed || proof_set(row, COLUMN_proof_status, "mismatch") ? -1 : 0;
}
