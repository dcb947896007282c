// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-night: the two looks at a night. `nightly` beside this calls both.
#include "campaign/night/commands.h"

#include "common/program.h"

static const struct program_command commands[] = {
    {"candidates", "what a night has to measure again", command_candidates},
    {"verdict", "what a night came to; exit 4 if something changed", command_verdict},
};

int main(int argc, char **argv) {
    return program_run("asmsweep-night", commands, sizeof commands / sizeof *commands, argc, argv);
}
