// SPDX-License-Identifier: GPL-3.0-or-later
// results: the machine that a run was made on, as far as its costs depend on it.
#pragma once

#include "results/loops.h"

struct machine_key {
    struct machine_keys keys; // of the loops' rows
    char mitigations[4096];   // "spectre_v2=...; tsa=..." in the file's order
};

// The key of the run in `folder` whose loops (at least one) are given. 0, or -1 with *error:
// environment.csv cannot be read.
int machine_key_read(const char *folder, const struct loops *loops, struct machine_key *key,
                     struct error *error);

// What differs, as "microcode: 0x1, now 0x2; kernel: ...", cut at size; returns text, "" if nothing
// does. Host and name of the CPU are no part of a key; the core type is compared loop by loop.
const char *machine_key_difference(const struct machine_key *before, const struct machine_key *now,
                                   char *text, size_t size);
