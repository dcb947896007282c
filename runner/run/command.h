// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: the commands of asmsweep-run, each a program_function. Its exit status is 0, 1, 2
// or 3 (docs/reference.md).
#pragma once

#include "common/program.h"

// Of doctor: what is known of the cores that we may use, on stdout; about 3 s at most.
void doctor_cores(void);

program_function command_run, command_doctor, command_lists, command_pack;
