// SPDX-License-Identifier: GPL-3.0-or-later
// results: the machine that a run was made on, as far as its costs depend on it.
#pragma once

#include "results/loops.h"

enum machine_key_part {
#define MACHINE_KEY(column) MACHINE_KEY_##column,
#include "results/machine_keys.def"
#undef MACHINE_KEY
    MACHINE_KEY_mitigations,
    MACHINE_KEY_COUNT
};

struct machine_key {
    const char *part[MACHINE_KEY_COUNT]; // of the loops' table, but for the mitigations
    char mitigations[4096];              // "spectre_v2=...; tsa=..." in the file's order
};

// The key of the run in `folder` whose loops (at least one) are given. 0, or -1 with *error:
// environment.csv cannot be read.
int machine_key_read(const char *folder, const struct loops *loops, struct machine_key *key,
                     struct error *error);

bool machine_key_equal(const struct machine_key *a, const struct machine_key *b);

// What differs, as "microcode: 0x1, now 0x2; kernel: ...", cut at size. "" if nothing does.
void machine_key_difference(const struct machine_key *before, const struct machine_key *now,
                            char *text, size_t size);
