// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: the steps that both commands have in common.
#ifndef ASMSWEEP_PROVE_STEPS_H
#define ASMSWEEP_PROVE_STEPS_H

#include "common/options.h"
#include "runner/prove/proof.h"

// Parse argv, whose one positional is BUILD_DIR. 0; 1 if help was asked for and printed; -1 with
// *error.
int steps_parse(const struct option_list *list, int argc, char **argv, const char **build_dir,
                struct error *error);

// The paths of variants.csv and proof.csv; the caller frees both, also after an error. 0 or -1.
int steps_paths(const char *build_dir, char **plan, char **proof, struct error *error);

// Each variant that is not ok to stderr; how many.
size_t steps_report(const struct proof *proof);

// The error of a proof of which steps_report found `bad` (not 0) variants. -1.
int steps_not_proved(const char *path, const struct proof *proof, size_t bad, struct error *error);

// The error of a memory that is full. -1.
int steps_no_memory(struct error *error);

#endif
