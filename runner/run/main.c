// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-run: measures the variants of a build.
#include "runner/run/command.h"

#include "common/program.h"

static const struct program_command commands[] = {
    {"run", "measure the variants of a build directory", command_run},
    {"doctor", "what can be measured here, and why not, each by trying", command_doctor},
    {"pack", "write the variants of a build as a pack for the guest", command_pack},
    {"lists", "print the statuses, columns and quantities", command_lists},
};

int main(int argc, char **argv) {
    return program_run("asmsweep-run", commands, sizeof commands / sizeof *commands, argc, argv);
}
