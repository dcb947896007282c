// SPDX-License-Identifier: GPL-3.0-or-later
// results: the commands of asmsweep-results; main.c says what each is for. What a person reads goes
// to stdout. A report that ends with an error (ERROR_CHANGED, ERROR_INCOMPLETE) is printed whole.
#pragma once

#include "common/program.h"

program_function command_solve, command_ended, command_published, command_compare;
program_function command_explain, command_bundle, command_history;
