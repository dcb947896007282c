// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/program.h"

#include <stdio.h>
#include <string.h>

static void list(const char *program, const struct program_command *commands, size_t count,
                 FILE *stream) {
    fprintf(stream, "usage: %s COMMAND ...; --help after a command says more\n", program);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "  %-12s %s\n", commands[i].name, commands[i].about);
}

int program_run(const char *program, const struct program_command *commands, size_t count, int argc,
                char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        list(program, commands, count, stdout);
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, commands[i].name))
            continue;
        struct error error = {0};
        int status = commands[i].run(argc - 1, argv + 1, &error);
        if (status >= 0)
            return status;
        fprintf(stderr, "%s: %s\n", program, error.text);
        return error.kind ? (int)error.kind : ERROR_INPUT;
    }
    if (argc > 1)
        fprintf(stderr, "%s: no command '%s'\n", program, name);
    list(program, commands, count, stderr);
    return ERROR_INPUT;
}
