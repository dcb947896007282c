// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: what is to be measured: variants.csv and proof.csv of one build, with the
// binaries' hashes checked against the proof.
#pragma once

#include "common/rows.h"
#include "runner/engine/engine.h"

// Texts belong to the plan's rows.
struct variant {
    // Of variants.csv and proof.csv; the mix is the claimed one, else the found one.
    ROWS_SHARE(variant_keys);
    ROWS_SHARE(plan_keys);
    const char *name;
    const char *mix_source; // "claimed", "found" (in the binary; not claimed), "": there is no mix
    enum target target;
    enum needs needs;
    int excluded_chain; // enum segment or CHAINS_all
    uint64_t iterations;
    double retired;                 // instructions per iteration; NaN: not known
    char *path;                     // of the ELF; owned
    const char *order_found, *hint; // of the proof, "" if none; why it may never end
    int unproved;
    char unproved_reason[200];
};

struct plan {
    char *directory;
    const char *sweep;  // of the rows
    const char *events; // of the sweep, with commas between; "" for none
    struct rows variants, proof;
    struct variant *rows;
    size_t count;
    struct variant calibrator; // path NULL: the build has none
    // Of variants.csv and of what a run takes from proof.csv (the binaries' hashes, their loops,
    // their statuses): what a resumed run must find again.
    char sha256[65];
};

// Read `directory` (build/SWEEP or a shipped copy of it). `only` is a list of globs with commas
// between, one of which a variant's name must match, or NULL. 0, or -1 with *error: no such build,
// a damaged file, nothing left by the glob. A binary that is not what the proof says is not an
// error: it is `unproved`. Free with plan_free in both cases.
int plan_read(const char *directory, const char *only, struct plan *plan, struct error *error);

void plan_free(struct plan *plan);

// The unit that the cross-check counts in: the variant of family "calibrator" in the whole build
// (`only` does not hide it), if its binary is proved and holds a chain of dependent add r,r and
// nothing else; *cycles gets how many links the disassembly found, a cycle each. Else NULL, and
// `why` (`size` bytes) says why, with the remedy.
const struct variant *plan_calibrator(const struct plan *plan, double *cycles, char *why,
                                      size_t size);

// A variant as the engines take it.
struct engine_job plan_job(const struct plan *plan, size_t index);
