// SPDX-License-Identifier: GPL-3.0-or-later
// common: SHA256SUMS, as sha256sum writes and checks it.
#pragma once

#include <sha2.h>
#include <stdio.h>

// The line of a file: `data` is all that it holds, `name` its path below the list's folder.
static inline void sums_add(FILE *sums, const char *name, const void *data, size_t bytes) {
    char digits[SHA256_DIGEST_STRING_LENGTH];
    fprintf(sums, "%s  %s\n", SHA256Data(data, bytes, digits), name);
}
