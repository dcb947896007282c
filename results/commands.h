// SPDX-License-Identifier: GPL-3.0-or-later
// results: the subcommands of asmsweep-results, one file each. main parses, they work.
//
// Each returns 0, or -1 with *error. What a person reads goes to `out`.
#ifndef ASMSWEEP_COMMANDS_H
#define ASMSWEEP_COMMANDS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdio.h>

// A run's directory: summary.csv -> costs.csv and notes.csv in it. `published` is the folder of
// published figures, NULL for none.
int command_solve(const char *directory, const char *published, FILE *out, struct error *error);

// The folder of published figures: its CSVs -> costs.csv in it.
int command_published(const char *directory, FILE *out, struct error *error);

// What changed from one run's directory to another's, as compare.h says; `minimum` is a part of
// the base. The report goes to out in any case; -1 with ERROR_CHANGED if something changed.
int command_compare(const char *base_directory, const char *new_directory, double minimum,
                    FILE *out, struct error *error);

// All that a run's directory knows of a variant.
int command_explain(const char *directory, const char *variant, FILE *out, struct error *error);

struct bundle_options {
    const char *directory; // the run's
    const char *build;     // with bin/ and src/; NULL: the one the journal names, or BUILDS/SWEEP
    const char *builds;    // the folder of builds
    const char *guest;     // with kernel, pack-cpl0 and pack-cpl3; NULL: none
    const char *out;       // the archive; NULL: asmsweep-SWEEP-RUN.tar here
    bool anonymous;        // without host name, kernel version and kernel command line
    bool check;            // make no archive: the build's path to `out`
    FILE *notes;           // for what a reader should know and is no error
};

// An archive of a run. Refuses a run that is not whole (whole.h), and a build whose programs are
// not those that were measured.
int command_bundle(const struct bundle_options *options, FILE *out, struct error *error);

struct history_options {
    const char *store; // STORE/SWEEP/CPU/RUN
    const char *cpu;   // part of its name; NULL: all
    const char *svg;   // file to draw into; NULL: none
};

// One cost over time, as text with plots.
int command_history(const char *item, const struct history_options *options, FILE *out,
                    struct error *error);

#endif
