// SPDX-License-Identifier: GPL-3.0-or-later
// common: command-line options as rows. A row names, bounds, documents and stores
// an option; parsing and --help both go by the rows, so they cannot disagree.
#pragma once

#include "common/error.h"

#include <stdio.h>

enum option_type {
    OPTION_FLAG,    // int *: set to 1
    OPTION_TEXT,    // const char **: points into argv
    OPTION_INTEGER, // long long *: within minimum..maximum
    OPTION_SECONDS, // double *: units_scan_seconds
    OPTION_PART,    // double *: units_scan_part
};

struct option_row {
    const char *name; // without the dashes
    char letter;      // 0: none
    enum option_type type;
    void *target;
    const char *argument; // its name in the help; NULL for a flag
    long long minimum, maximum;
    const char *text;
};

struct option_list {
    const char *program; // as a user calls it
    const char *usage;   // the command's name, then what it takes
    const char *about;   // one sentence
    const struct option_row *rows;
    size_t count;
};

// Parse argv[1..]. Takes --name VALUE, --name=VALUE, -l VALUE; "--" ends the options. `least` to
// `most` words that are no options go to positionals[]; those not given stay as they are. 0, or -1
// with *error. --help prints the help to stdout and is -1 with ERROR_HELP: a command ends as after
// any error, and program_run knows that it is none.
int options_parse(const struct option_list *list, int argc, char **argv, const char **positionals,
                  size_t least, size_t most, struct error *error);

// The help, from the rows.
void options_help(const struct option_list *list, FILE *stream);
