// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/host/scratch_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const char place[] = "/proc/self/fd/";

int scratch_file_make(char *path, struct error *error) {
    int file = memfd_create("asmsweep", 0); // open in the child as well: no MFD_CLOEXEC
    if (file < 0)
        return error_errno(error, ERROR_MISSING, NULL, "no memory file for a program's answer");
    snprintf(path, SCRATCH_PATH, "%s%d", place, file);
    return 0;
}

size_t scratch_file_take(const char *path, char *text, size_t size) {
    FILE *stream = fopen(path, "re");
    size_t length = stream ? fread(text, 1, size, stream) : 0;
    if (stream)
        fclose(stream);
    close(atoi(path + sizeof place - 1));
    return length;
}
