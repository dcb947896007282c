// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/proof.h"

#include "common/replace.h"

#include <string.h>

struct proof proof_new(size_t count) {
    struct proof proof = {.count = count};
    rows_make(FILE_proof, count, &proof.rows);
    proof.row = proof.rows.row;
    return proof;
}

int proof_read(const char *path, struct proof *proof, struct error *error) {
    int failed = rows_read(path, FILE_proof, "build the sweep again", &proof->rows, error);
    proof->row = proof->rows.row;
    proof->count = proof->rows.count;
    return failed;
}

int proof_write(const char *path, const struct proof *proof, struct error *error) {
    struct replacement file;
    if (replace_begin(path, &file, error))
        return -1;
    rows_write_all(file.stream, &proof->rows);
    return replace_end(&file, 0, error);
}

void proof_free(struct proof *proof) {
    rows_free(&proof->rows);
    *proof = (struct proof){0};
}

struct proof_row *proof_find(const struct proof *proof, size_t guess, const char *variant) {
    if (guess < proof->count && !strcmp(proof->row[guess].variant, variant))
        return &proof->row[guess];
    for (size_t i = 0; i < proof->count; i++)
        if (!strcmp(proof->row[i].variant, variant))
            return &proof->row[i];
    return NULL;
}

void proof_notes(struct proof *proof, struct proof_row *row, char *text) {
    rows_own(&proof->rows, text);
    row->detail =
        *row->detail ? rows_own(&proof->rows, text_make("%s; %s", row->detail, text)) : text;
}

void proof_differs(struct proof *proof, struct proof_row *row, char *text) {
    proof_notes(proof, row, text);
    row->status = "mismatch";
}

void proof_mend(struct proof *proof, struct proof_row *row, const char *kind, char *text) {
    row->mend = kind;
    proof_differs(proof, row, text);
}
