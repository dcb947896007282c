// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: what was executed, where it is made at each load (struct execution_code): kept in the
// run's folder, a listing of the first load of a variant as code/VARIANT.txt, and what is told by
// it in the run's proof.csv. A later load that is not the same has no value.
#pragma once

#include "common/rows.h"
#include "runner/engine/engine.h"
#include "runner/run/store.h"

struct code {
    bool is_read;
    struct rows proof; // of the run's folder, once there was an execution with code
};

// Keep what an execution of the variant says of its code. It becomes unproved, and has no slices,
// where its code is not that of the first load. *code is zero at first; free it in the end. 0, or
// -1 with *error: a file cannot be read or written.
int code_keep(const struct store *store, const char *variant, struct execution *execution,
              struct code *code, struct error *error);

void code_free(struct code *code);
