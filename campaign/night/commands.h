// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/night: the commands of asmsweep-night, each a program_function.
#pragma once

#include "common/program.h"

// A night's folder (night.h): the candidates, a line "SWEEP<TAB>VARIANT,VARIANT" for each sweep
// that has some; "*" for more than fit.
program_function command_candidates;

// A night's folder: what the night came to, into night.csv in it; its path to stdout. -1 with
// ERROR_CHANGED if something changed.
program_function command_verdict;
