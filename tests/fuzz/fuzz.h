// SPDX-License-Identifier: GPL-3.0-or-later
// tests/fuzz: what the libFuzzer targets share. A target checks more than "no crash": what
// must hold of any answer is an abort when it does not.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Abort, so that libFuzzer keeps the input.
static inline void must(int holds) {
    if (!holds)
        abort();
}

// Write a file of a folder.
static inline void fuzz_file(const char *folder, const char *name, const void *data, size_t size) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "w");
    must(stream && fwrite(data, 1, size, stream) == size && !fclose(stream));
}

// The input with a NUL behind it, for parsers of texts; the caller frees.
static inline char *fuzz_text(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    must(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}
