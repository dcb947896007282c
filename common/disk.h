// SPDX-License-Identifier: GPL-3.0-or-later
// common: whole files and folders. What fails with *error leaves errno, too. See replace.h for
// writing whole files.
#pragma once

#include "common/error.h"

// A path made by a format, for as long as the expression that it stands in: PATH("%s/bin", folder).
// One that is too long stays too long for the kernel, too, which says so.
struct path {
    char text[4200];
};
struct path path_make(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define PATH(...) (path_make(__VA_ARGS__).text)

// A whole file with a NUL behind it, *length (may be NULL) without it; the caller frees. NULL with
// *error.
char *disk_read(const char *path, size_t *length, struct error *error);

// Write all `length` bytes to a descriptor, however few write(2) takes at a time. 0 or -1 with
// errno.
int disk_write(int file, const char *text, size_t length);

// Make a folder and those above it; one that is there already is fine. `path` is not empty. 0 or
// -1.
int disk_make_folders(const char *path, struct error *error);
