// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-fleet: one sweep on many CPU generations, by Slurm.
#include "command.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *about;
    int (*run)(int argc, char **argv, struct error *error);
} commands[] = {
    {"submit", "one job a generation of CPU, all with the same built variants", command_submit},
    {"status", "what is where, and what is missing", command_status},
    {"collect", "take what came back, list what is missing, print the table", command_collect},
    {"again", "submit once more those that are missing", command_again},
    {"generation", "this box's own generation, as a feature for slurm.conf", command_generation},
    {"node", "(a job calls it) check the node and measure", command_node},
    {"carry", "(submit calls it) one generation without a shared folder", command_carry},
};

static int usage(FILE *stream) {
    fprintf(stream, "usage: asmsweep-fleet COMMAND ...; --help after a command says more\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].about);
    return stream == stderr ? ERROR_INPUT : 0;
}

int main(int argc, char **argv) {
    struct error error = {0};
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return usage(stdout);
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name))
            continue;
        int status = commands[i].run(argc - 1, argv + 1, &error);
        if (status >= 0)
            return status;
        fprintf(stderr, "asmsweep-fleet: %s\n", error.text);
        return error.kind ? (int)error.kind : ERROR_INPUT;
    }
    if (argc > 1)
        fprintf(stderr, "asmsweep-fleet: no command '%s'\n", argv[1]);
    return usage(stderr);
}
