// SPDX-License-Identifier: GPL-3.0-or-later
// results: an uncompressed POSIX ustar archive that carries its own checksums.
//
// Format: POSIX.1-2017, pax, "ustar Interchange Format". Nothing of the machine gets in: owner
// 0, no names of users, time 0; the same files make the same bytes.
#ifndef ASMSWEEP_ARCHIVE_H
#define ASMSWEEP_ARCHIVE_H

#include "common/error.h"

#include <stdbool.h>
#include <stdio.h>

struct archive {
    FILE *stream;       // where the archive goes; owned by the caller
    const char *path;   // of the archive, for messages
    const char *folder; // all files lie in it; at most 100 bytes
    char *sums;         // lines as sha256sum prints them
    size_t sums_bytes;
};

// -1 with *error: the archive, errno, and what to do.
int archive_not_written(const char *path, struct error *error);

// Add a file. `name` is its path below the folder, at most 100 bytes; `data` stays the caller's.
// 0, or -1 with *error (name too long, stream failed, out of memory).
int archive_add(struct archive *archive, const char *name, bool executable, const void *data,
                size_t bytes, struct error *error);

// Add SHA256SUMS (of all files so far) and the end. 0, or -1 with *error.
int archive_finish(struct archive *archive, struct error *error);

// Free what the archive owns; the stream stays open.
void archive_free(struct archive *archive);

// SHA-256 of some bytes as 64 hexadecimal digits and NUL.
void archive_sha256(const void *data, size_t bytes, char text[65]);

#endif
