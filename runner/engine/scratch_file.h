// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: a temporary file for a program to write its answer to.
#ifndef ASMSWEEP_SCRATCH_FILE_H
#define ASMSWEEP_SCRATCH_FILE_H

#include "error.h"

#include <stddef.h>

enum { SCRATCH_PATH = 512 };

// Make an empty file of ours alone in TMPDIR (or /tmp); its path goes into `path`
// (SCRATCH_PATH bytes). 0, or -1 with *error; then there is no file.
int scratch_file_make(char *path, struct error *error);

// At most `size` bytes of it into `text`; returns how many. The file is removed.
size_t scratch_file_take(const char *path, char *text, size_t size);

#endif
