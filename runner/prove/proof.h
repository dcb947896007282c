// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: proof.csv in memory. `disassemble` makes the rows and what a
// disassembly can tell; `guest` fills in the instructions that really retired.
#ifndef ASMSWEEP_PROOF_H
#define ASMSWEEP_PROOF_H

#include "common/error.h"
#include "common/memory.h"
#include "common/rows.h"
#include "common/table.h"

// One row; each cell a text of its own, or NULL for empty.
struct proof_row {
    char **cells;
};

struct proof {
    struct proof_row *rows;
    size_t count;
};

// `count` empty rows.
struct proof proof_new(size_t count);

// The rows of a table that has been read.
struct proof proof_of(const struct table *table);

// Read a proof.csv. 0, or -1 with *error; then *proof is empty.
int proof_read(const char *path, struct proof *proof, struct error *error);

// Write it whole or not at all. 0, or -1 with *error and the old file untouched.
int proof_write(const char *path, const struct proof *proof, struct error *error);

void proof_free(struct proof *proof);

// A cell by its COLUMN_proof_...; "" for an empty one. Owned by the row.
const char *proof_cell(const struct proof_row *row, enum column column);

// Replace a cell by a text that the row owns from now on (text_make).
void proof_set(struct proof_row *row, enum column column, char *text);

// The row of a variant, or NULL.
struct proof_row *proof_find(const struct proof *proof, const char *variant);

// Add a text, which the row owns from now on, to the detail, and leave the status.
void proof_notes(struct proof_row *row, char *text);

// Name one more difference: the same, and the status becomes mismatch.
void proof_differs(struct proof_row *row, char *text);

#endif
