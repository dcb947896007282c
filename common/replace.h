// SPDX-License-Identifier: GPL-3.0-or-later
// common: write a file whole or not at all.
#pragma once

#include "common/error.h"

#include <stdio.h>

struct replacement {
    FILE *stream; // what is written here becomes the file
    char *path, *temporary;
};

// Begin a file that is to replace the one at `path`: several processes may do so at once, and the
// last one counts. 0, or -1 with *error that names the path.
int replace_begin(const char *path, struct replacement *replacement, struct error *error);

// End it: synced and renamed over `path`; where `failed` or where a write failed, what was there
// stays. 0, or -1 with *error, which is the caller's where it had `failed`,
// and errno.
int replace_end(struct replacement *replacement, int failed, struct error *error);

// Both, for a text.
int replace_text(const char *path, const char *text, size_t length, struct error *error);
