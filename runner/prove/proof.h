// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: proof.csv in memory. `disassemble` makes the rows and what a
// disassembly can tell; `guest` fills in the instructions that really retired.
#ifndef ASMSWEEP_PROOF_H
#define ASMSWEEP_PROOF_H

#include "common/error.h"
#include "common/rows.h"

// One row; each cell a malloc'd string, or NULL for empty.
struct proof_row {
    char **cells;
};

struct proof {
    struct proof_row *rows;
    size_t count;
};

// Make `count` empty rows. 0, or -1 with *error.
int proof_new(size_t count, struct proof *proof, struct error *error);

// Read a proof.csv. 0, or -1 with *error; then *proof is empty.
int proof_read(const char *path, struct proof *proof, struct error *error);

// The same from the file's text; `path` is used in messages only.
int proof_parse(const char *path, const char *text, size_t length, struct proof *proof,
                struct error *error);

// Write it in one step (a temporary file beside it, synced, renamed). 0, or -1 with *error
// and the old file untouched.
int proof_write(const char *path, const struct proof *proof, struct error *error);

void proof_free(struct proof *proof);

// A cell by its COLUMN_proof_...; "" for an empty one. Owned by the row.
const char *proof_cell(const struct proof_row *row, enum column column);

// Replace a cell by a printf'd text. 0, or -1 when memory is short.
int proof_set(struct proof_row *row, enum column column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The row of a variant, or NULL.
struct proof_row *proof_find(const struct proof *proof, const char *variant);

// Add to the detail, and leave the status. 0, or -1 when memory is short.
int proof_notes(struct proof_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Name one more difference: status becomes mismatch, `what` is added to detail.
int proof_differs(struct proof_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
