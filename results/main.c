// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-results: what the measurements mean.
#include "results/commands.h"

static const struct program_command commands[] = {
    {"solve", "costs of a run: summary.csv to costs.csv", command_solve},
    {"ended", "did a run come to its own end? exit 1: it did not", command_ended},
    {"published", "the published figures of a folder as costs.csv", command_published},
    {"compare", "what changed; exit 4 if something did", command_compare},
    {"explain", "everything about a row", command_explain},
    {"bundle", "an archive that a reader can check", command_bundle},
    {"history", "one cost over time", command_history},
};

int main(int argc, char **argv) {
    return program_run("asmsweep-results", commands, sizeof commands / sizeof *commands, argc,
                       argv);
}
