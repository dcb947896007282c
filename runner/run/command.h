// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: the commands of asmsweep-run, each a program_function. Its exit status is 0, 1, 2
// or 3 (docs/reference.md).
#ifndef ASMSWEEP_COMMAND_H
#define ASMSWEEP_COMMAND_H

#include "common/error.h"

int command_run(int argc, char **argv, struct error *error);
int command_doctor(int argc, char **argv, struct error *error);
int command_lists(int argc, char **argv, struct error *error);
int command_pack(int argc, char **argv, struct error *error);

#endif
