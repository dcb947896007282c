// SPDX-License-Identifier: GPL-3.0-or-later
// results: the commands of asmsweep-results, one file each. What a person reads goes to stdout.
#pragma once

#include "common/program.h"

// A run's directory: summary.csv -> costs.csv and notes.csv in it.
program_function command_solve;

// Whether a run came to its own end (runs.h), for the shell; -1 with ERROR_INCOMPLETE: it did not.
program_function command_ended;

// The folder of published figures: its CSVs -> costs.csv in it.
program_function command_published;

// What changed from one run's directory to another's, as compare.h says. The report is printed in
// any case; -1 with ERROR_CHANGED if something changed.
program_function command_compare;

// All that a run's directory knows of a variant.
program_function command_explain;

// An archive of a run. Refuses a run that is not whole (whole.h), and a build whose programs are
// not those that were measured.
program_function command_bundle;

// One cost over time, as text with plots.
program_function command_history;
