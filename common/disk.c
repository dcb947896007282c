// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/disk.h"

#include "common/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct path path_make(const char *format, ...) {
    struct path path;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path.text, sizeof path.text, format, arguments);
    va_end(arguments);
    return path;
}

char *disk_read(const char *path, size_t *length, struct error *error) {
    char *text, piece[65536];
    size_t whole, got;
    FILE *stream = fopen(path, "re");
    if (!stream) {
        error_errno(error, ERROR_INPUT, path, "cannot be read");
        return NULL;
    }
    FILE *memory = text_open(&text, &whole);
    while ((got = fread(piece, 1, sizeof piece, stream)))
        fwrite(piece, 1, got, memory);
    int failed = ferror(stream) ? error_errno(error, ERROR_INPUT, path, "cannot be read") : 0;
    fclose(stream);
    text_close(memory);
    if (failed) {
        free(text);
        return NULL;
    }
    if (length)
        *length = whole;
    return text;
}

int disk_write(int file, const char *text, size_t length) {
    while (length) {
        ssize_t written = write(file, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -1;
        text += written;
        length -= (size_t)written;
    }
    return 0;
}

int disk_make_folders(const char *path, struct error *error) {
    char *part = text_make("%s", path);
    int failed = 0;
    for (char *at = part + 1; !failed; at++) {
        if (*at && *at != '/')
            continue;
        char kept = *at;
        *at = '\0';
        if (mkdir(part, 0777) && errno != EEXIST)
            failed = error_errno(error, ERROR_INPUT, path, "the folder cannot be made");
        *at = kept;
        if (!kept)
            break;
    }
    free(part);
    return failed;
}
