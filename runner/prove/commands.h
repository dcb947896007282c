// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: the subcommands of asmsweep-prove; the list is in main.c.
#ifndef ASMSWEEP_PROVE_COMMANDS_H
#define ASMSWEEP_PROVE_COMMANDS_H

#include "common/error.h"

// Each is a program_function and returns 0, or -1 with *error.

// Disassemble BUILD_DIR/bin and write BUILD_DIR/proof.csv; differences go to stderr, one line
// a variant, and are an error only with --strict.
int command_disassemble(int argc, char **argv, struct error *error);

// Execute each variant of BUILD_DIR in the guest and write into BUILD_DIR/proof.csv what it
// retires per iteration at CPL0 and CPL3; differences go to stderr and are an error.
int command_guest(int argc, char **argv, struct error *error);

#endif
