// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void open_streams(void) {
    int file;
    do
        file = open("/dev/null", O_RDONLY);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0)
        close(file);
}

static int close_streams(const char *program, int status) {
    struct error error;
    if (!fflush(stdout) && !ferror(stdout))
        return status;
    // The failure may be long ago, and its errno gone: the same descriptor fails again.
    clearerr(stdout);
    if (fputc('\n', stdout) == EOF || fflush(stdout))
        error_errno(&error, ERROR_INPUT, "stdout",
                    "not all could be printed (files are complete); %s",
                    errno == EBADF ? "leave it open" : "give it a place with room");
    else
        error_set(&error, ERROR_INPUT, "stdout", 0,
                  "not all could be printed (files are complete)");
    fprintf(stderr, "%s: %s\n", program, error.text);
    return (int)error.kind;
}

static void list(const char *program, const struct program_command *commands, size_t count,
                 FILE *stream) {
    fprintf(stream, "usage: %s COMMAND ...; --help after a command says more\n", program);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "  %-12s %s\n", commands[i].name, commands[i].about);
}

static int run(const char *program, const struct program_command *commands, size_t count, int argc,
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
        if (status >= 0 || error.kind == ERROR_HELP)
            return status >= 0 ? status : 0;
        fprintf(stderr, "%s: %s\n", program, error.text);
        return error.kind ? (int)error.kind : ERROR_INPUT;
    }
    if (argc > 1)
        fprintf(stderr, "%s: no command '%s'\n", program, name);
    list(program, commands, count, stderr);
    return ERROR_INPUT;
}

int program_run(const char *program, const struct program_command *commands, size_t count, int argc,
                char **argv) {
    open_streams();
    return close_streams(program, run(program, commands, count, argc, argv));
}
