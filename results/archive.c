// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/archive.h"

#include <sha2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 512

// The header of a file, all fields text (POSIX.1-2017, pax, table 4-14).
struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100];
    char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

static void fill_header(struct header *header, const char *folder, const char *name,
                        bool executable, size_t bytes) {
    memset(header, 0, sizeof *header);
    memcpy(header->name, name, strlen(name));
    memcpy(header->prefix, folder, strlen(folder));
    snprintf(header->mode, sizeof header->mode, "%07o", executable ? 0755 : 0644);
    snprintf(header->uid, sizeof header->uid, "%07o", 0);
    snprintf(header->gid, sizeof header->gid, "%07o", 0);
    snprintf(header->size, sizeof header->size, "%011zo", bytes);
    snprintf(header->mtime, sizeof header->mtime, "%011o", 0);
    header->type = '0';
    memcpy(header->magic, "ustar", 6);
    memcpy(header->version, "00", 2);
    // The sum is taken with its own field blank.
    memset(header->checksum, ' ', sizeof header->checksum);
    const unsigned char *byte = (const unsigned char *)header;
    unsigned sum = 0;
    for (size_t i = 0; i < BLOCK; i++)
        sum += byte[i];
    snprintf(header->checksum, sizeof header->checksum, "%06o", sum);
}

void archive_sha256(const void *data, size_t bytes, char text[65]) {
    SHA256Data(data, bytes, text);
}

static int add_sum(struct archive *archive, const char *name, const void *data, size_t bytes) {
    size_t room = 64 + 2 + strlen(name) + 2;
    char *sums = realloc(archive->sums, archive->sums_bytes + room), sum[65];
    if (sums == NULL)
        return -1;
    archive_sha256(data, bytes, sum);
    archive->sums = sums;
    archive->sums_bytes +=
        (size_t)snprintf(sums + archive->sums_bytes, room, "%s  %s\n", sum, name);
    return 0;
}

static int write_file(struct archive *archive, const char *name, bool executable, const void *data,
                      size_t bytes) {
    static const char zero[BLOCK];
    struct header header;
    size_t padding = (BLOCK - bytes % BLOCK) % BLOCK;
    fill_header(&header, archive->folder, name, executable, bytes);
    return fwrite(&header, BLOCK, 1, archive->stream) == 1 &&
                   fwrite(data, 1, bytes, archive->stream) == bytes &&
                   fwrite(zero, 1, padding, archive->stream) == padding
               ? 0
               : -1;
}

int archive_not_written(const char *path, struct error *error) {
    return error_errno(error, ERROR_INPUT, path,
                       "cannot be written; name another place with --out");
}

int archive_add(struct archive *archive, const char *name, bool executable, const void *data,
                size_t bytes, struct error *error) {
    if (strlen(name) > sizeof(((struct header *)0)->name))
        return error_set(error, ERROR_INPUT, name, 0,
                         "longer than the 100 bytes an archive can hold; shorten the name");
    if (write_file(archive, name, executable, data, bytes) != 0)
        return archive_not_written(archive->path, error);
    if (add_sum(archive, name, data, bytes) != 0)
        return error_set(error, ERROR_INPUT, name, 0, "out of memory");
    return 0;
}

int archive_finish(struct archive *archive, struct error *error) {
    static const char end[2 * BLOCK];
    if (write_file(archive, "SHA256SUMS", false, archive->sums, archive->sums_bytes) != 0 ||
        fwrite(end, sizeof end, 1, archive->stream) != 1)
        return archive_not_written(archive->path, error);
    return 0;
}

void archive_free(struct archive *archive) {
    free(archive->sums);
    archive->sums = NULL;
    archive->sums_bytes = 0;
}
