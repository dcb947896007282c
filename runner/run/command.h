// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: the commands of asmsweep-run. Each takes its own arguments (argv[0] is the
// command), prints its errors and returns the exit status of design: 0, 1, 2 or 3.
#ifndef ASMSWEEP_COMMAND_H
#define ASMSWEEP_COMMAND_H

int command_run(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_lists(int argc, char **argv);
int command_pack(int argc, char **argv);

#endif
