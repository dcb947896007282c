// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/proof.h"

#include "common/replace.h"

#include <stdlib.h>
#include <string.h>

static size_t column_count(void) {
    size_t count;
    rows_columns(FILE_proof, &count);
    return count;
}

struct proof proof_new(size_t count) {
    struct proof proof = {memory_zero(count, sizeof *proof.rows), count};
    for (size_t i = 0; i < count; i++)
        proof.rows[i].cells = memory_zero(column_count(), sizeof(char *));
    return proof;
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

struct proof proof_of(const struct table *table) {
    size_t count;
    const char *const *names = rows_columns(FILE_proof, &count);
    struct proof proof = proof_new(table->rows);
    for (size_t i = 0; i < table->rows; i++)
        for (size_t c = 0; c < count; c++)
            proof.rows[i].cells[c] = text_make("%s", table_cell(table, i, names[c]));
    return proof;
}

int proof_read(const char *path, struct proof *proof, struct error *error) {
    static const char *const required[] = {"variant", "elf_sha256", "status", NULL};
    struct table table;
    int failed = table_read(path, required, &table, error);
    *proof = (struct proof){0};
    if (!failed)
        *proof = proof_of(&table);
    table_free(&table);
    return failed;
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

void proof_set(struct proof_row *row, enum column column, char *text) {
    char **cell = &row->cells[rows_column_index(column)];
    free(*cell);
    *cell = text;
}

struct proof_row *proof_find(const struct proof *proof, const char *variant) {
    for (size_t i = 0; i < proof->count; i++)
        if (!strcmp(proof_cell(&proof->rows[i], COLUMN_proof_variant), variant))
            return &proof->rows[i];
    return NULL;
}

void proof_notes(struct proof_row *row, char *text) {
    const char *before = proof_cell(row, COLUMN_proof_detail);
    proof_set(row, COLUMN_proof_detail, text_make("%s%s%s", before, *before ? "; " : "", text));
    free(text);
}

void proof_differs(struct proof_row *row, char *text) {
    proof_notes(row, text);
    proof_set(row, COLUMN_proof_status, text_make("mismatch"));
}
