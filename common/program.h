// SPDX-License-Identifier: GPL-3.0-or-later
// common: a program that is a list of commands. For main only.
#pragma once

#include "common/error.h"

// argv[0] is the command's name. Returns an exit status, or -1 with *error.
typedef int program_function(int argc, char **argv, struct error *error);

struct program_command {
    const char *name, *about;
    program_function *run;
};

// Run the command that argv[1] names and return the program's exit status. An error is one line on
// stderr that begins with the name of `program`; --help lists the commands, and so does stderr when
// argv[1] is none of them.
//
// The caller may have closed standard streams or pointed them at a full disk. A closed one is
// opened first on /dev/null (for reading, so that writing to it fails), or the next file that is
// opened would get its number, and what is printed would land in that file. When stdout did not
// take all that was printed, the status is 2 (ERROR_INPUT) after one line on stderr.
int program_run(const char *program, const struct program_command *commands, size_t count, int argc,
                char **argv);
