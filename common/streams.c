// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/streams.h"

#include "common/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void streams_open(void) {
    int file;
    do
        file = open("/dev/null", O_RDONLY);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0)
        close(file);
}

int streams_close(const char *program, int status) {
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
