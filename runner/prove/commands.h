// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: the subcommands of asmsweep-prove, each a program_function, and the steps that
// both have. The list is in main.c.
#pragma once

#include "common/options.h"
#include "common/program.h"
#include "runner/prove/proof.h"

// Disassemble BUILD_DIR/bin and write BUILD_DIR/proof.csv; differences go to stderr, one line
// a variant, and are an error only with --strict.
program_function command_disassemble;

// Execute each variant of BUILD_DIR in the guest and write into BUILD_DIR/proof.csv what it
// retires per iteration at CPL0 and CPL3; differences go to stderr and are an error.
program_function command_guest;

// Each variant that is not ok to stderr; how many.
size_t prove_report(const struct proof *proof);

// The error of a proof in which prove_report found `bad` variants: -1, or 0 if there is none.
int prove_end(const char *path, const struct proof *proof, size_t bad, struct error *error);
