// SPDX-License-Identifier: GPL-3.0-or-later
// common: whole files and folders. A failure is -1 or NULL with errno, for the caller knows what to
// do about it and says so.
#ifndef ASMSWEEP_DISK_H
#define ASMSWEEP_DISK_H

#include <stddef.h>

// A whole file with a NUL behind it, *length (may be NULL) without it; the caller frees.
char *disk_read(const char *path, size_t *length);

// Write all `length` bytes to a descriptor, however few write(2) takes at a time.
int disk_write(int file, const char *text, size_t length);

// Replace the file at `path`: written as `temporary`, synced, renamed, so that there is the old
// file or the new one at any moment. `temporary` is a name beside it that nobody else writes to;
// it is gone afterwards, also after a failure.
int disk_replace(const char *path, const char *temporary, const char *text, size_t length);

// Make a folder and those above it; one that is there already is fine. `path` is not empty.
int disk_make_folders(const char *path);

#endif
