// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-fleet: one sweep on many CPU generations, by Slurm.
#include "campaign/fleet/command.h"

static const struct program_command commands[] = {
    {"submit", "one job a generation of CPU, all with the same built variants", command_submit},
    {"status", "what is where, and what is missing", command_status},
    {"collect", "take what came back, list what is missing, print the table", command_collect},
    {"again", "submit once more those that are missing", command_again},
    {"generation", "this box's own generation, as a feature for slurm.conf", command_generation},
    {"node", "(a job calls it) check the node and measure", command_node},
    {"carry", "(submit calls it) one generation without a shared folder", command_carry},
};

int main(int argc, char **argv) {
    return program_run("asmsweep-fleet", commands, sizeof commands / sizeof *commands, argc, argv);
}
