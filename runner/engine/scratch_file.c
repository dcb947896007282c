// SPDX-License-Identifier: GPL-3.0-or-later
#include "scratch_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int scratch_file_make(char *path, struct error *error) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, SCRATCH_PATH, "%s/asmsweep-XXXXXX", folder && *folder ? folder : "/tmp");
    int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return error_errno(error, ERROR_INPUT, path,
                           "no temporary file; set TMPDIR to a writable folder");
    close(file);
    return 0;
}

size_t scratch_file_take(const char *path, char *text, size_t size) {
    FILE *stream = fopen(path, "re");
    size_t length = stream ? fread(text, 1, size, stream) : 0;
    if (stream)
        fclose(stream);
    unlink(path);
    return length;
}
