// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/night: the commands of asmsweep-night, each a program_function.
#pragma once

#include "common/error.h"

// A night's folder (night.h): the candidates, a line "SWEEP<TAB>VARIANT,VARIANT" for each sweep
// that has some; "*" for more than fit.
int command_candidates(int argc, char **argv, struct error *error);

// A night's folder: what the night came to, into night.csv in it; its path to stdout. -1 with
// ERROR_CHANGED if something changed.
int command_verdict(int argc, char **argv, struct error *error);
