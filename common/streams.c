// SPDX-License-Identifier: GPL-3.0-or-later
#include "streams.h"

#include "error.h"

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
    error_errno(&error, ERROR_INPUT, "stdout",
                "not all could be printed (files are complete); give it a place with room");
    fprintf(stderr, "%s: %s\n", program, error.text);
    return (int)error.kind;
}
