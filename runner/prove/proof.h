// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: proof.csv in memory. `disassemble` makes the rows and what a
// disassembly can tell; `guest` fills in the instructions that really retired.
#pragma once

#include "common/memory.h"
#include "common/rows.h"

// Texts that are made for a row belong to `rows` (rows_own).
struct proof {
    struct rows rows;
    struct proof_row *row; // `count` of them
    size_t count;
};

// `count` empty rows.
struct proof proof_new(size_t count);

// Read a proof.csv. 0, or -1 with *error; free with proof_free in both cases.
int proof_read(const char *path, struct proof *proof, struct error *error);

// Write it whole or not at all. 0, or -1 with *error and the old file untouched.
int proof_write(const char *path, const struct proof *proof, struct error *error);

void proof_free(struct proof *proof);

// The row of a variant, most likely the one with the number `guess`; or NULL.
struct proof_row *proof_find(const struct proof *proof, size_t guess, const char *variant);

// Add a text, which the proof owns from now on, to the detail, and leave the status.
void proof_notes(struct proof *proof, struct proof_row *row, char *text);

// Name one more difference: the same, and the status becomes mismatch.
void proof_differs(struct proof *proof, struct proof_row *row, char *text);

// The same, and it is a mistake in the sweep's file, of this kind (`mend`: group, counter, bytes,
// section): nothing may be measured.
void proof_mend(struct proof *proof, struct proof_row *row, const char *kind, char *text);
