// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-run: measures the variants of a build.
#include "command.h"

#include "streams.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *about;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "measure the variants of a build directory", command_run},
    {"doctor", "what can be measured here, and why not, each by trying", command_doctor},
    {"pack", "write the variants of a build as a pack for the guest", command_pack},
    {"lists", "print the statuses, columns and quantities", command_lists},
};

static int usage(FILE *stream) {
    fprintf(stream, "usage: asmsweep-run COMMAND ...\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(stream, "  %-8s %s\n", commands[i].name, commands[i].about);
    return stream == stderr ? 2 : 0;
}

static int run_command(int argc, char **argv) {
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return usage(stdout);
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    if (argc > 1)
        fprintf(stderr, "asmsweep-run: no command '%s'\n", argv[1]);
    return usage(stderr);
}

int main(int argc, char **argv) {
    streams_open();
    return streams_close("asmsweep-run", run_command(argc, argv));
}
