// SPDX-License-Identifier: GPL-3.0-or-later
// runner/host: a temporary file for a program to write its answer to.
//
// It lives in memory (memfd_create(2)) and is reached as /proc/self/fd/N, which the program
// inherits: a runner that is killed leaves nothing behind, and no folder need be writable.
#pragma once

#include "common/error.h"

#include <stddef.h>

enum { SCRATCH_PATH = 32 };

// Make an empty file; the path by which this process and its children open it goes into
// `path` (SCRATCH_PATH bytes). 0, or -1 with *error; then there is no file.
int scratch_file_make(char *path, struct error *error);

// At most `size` bytes of it into `text`; returns how many. The file is removed.
size_t scratch_file_take(const char *path, char *text, size_t size);
