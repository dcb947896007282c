// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *disk_read(const char *path, size_t *length) {
    FILE *stream = fopen(path, "re");
    if (!stream)
        return NULL;
    char *text, piece[65536];
    size_t whole, got;
    FILE *memory = open_memstream(&text, &whole);
    if (!memory)
        abort();
    while ((got = fread(piece, 1, sizeof piece, stream)))
        fwrite(piece, 1, got, memory);
    int failure = ferror(stream) ? errno : 0;
    fclose(stream);
    if (fclose(memory))
        abort();
    if (failure) {
        free(text);
        errno = failure;
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

int disk_replace(const char *path, const char *temporary, const char *text, size_t length) {
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int failed = file < 0 || disk_write(file, text, length) || fsync(file);
    failed |= file >= 0 && close(file);
    if (!failed && !rename(temporary, path))
        return 0;
    int failure = errno;
    unlink(temporary);
    errno = failure;
    return -1;
}

int disk_make_folders(const char *path) {
    char *part = strdup(path);
    if (!part)
        abort();
    int failed = 0;
    for (char *at = part + 1; !failed; at++) {
        if (*at && *at != '/')
            continue;
        char kept = *at;
        *at = '\0';
        failed = mkdir(part, 0777) && errno != EEXIST;
        *at = kept;
        if (!kept)
            break;
    }
    free(part);
    return failed ? -1 : 0;
}
