// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-prove: what variants really hold, by disassembly and by running them.
#include "commands.h"

#include "streams.h"

#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv, struct error *error);
    const char *text;
} commands[] = {
    {"disassemble", command_disassemble, "write BUILD_DIR/proof.csv from BUILD_DIR/bin"},
    {"guest", command_guest, "execute every variant in QEMU, count into BUILD_DIR/proof.csv"},
};

static int usage(FILE *stream, int status) {
    fputs("usage: asmsweep-prove COMMAND ...\n", stream);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(stream, "  %-12s %s\n", commands[i].name, commands[i].text);
    fputs("COMMAND --help tells its options\n", stream);
    return status;
}

static int run_command(int argc, char **argv) {
    struct error error = {0};
    if (argc > 1 && !strcmp(argv[1], "--help"))
        return usage(stdout, 0);
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name))
            continue;
        if (!commands[i].run(argc - 1, argv + 1, &error))
            return 0;
        fprintf(stderr, "asmsweep-prove: %s\n", error.text);
        return (int)error.kind;
    }
    return usage(stderr, ERROR_INPUT);
}

int main(int argc, char **argv) {
    streams_open();
    return streams_close("asmsweep-prove", run_command(argc, argv));
}
