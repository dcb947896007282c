// SPDX-License-Identifier: GPL-3.0-or-later
// results: the context of a cost ("if=1->0;bits=df;branch=unpredictable") read and compared.
//
// Pure text. The keys that mean something here are listed in docs/interfaces.md.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Copy a key's value, cut at size. False (and "") if the key is not there.
bool context_get(const char *context, const char *key, char *value, size_t size);

// Does a restore there change any flag: `bits` other than none, or `if` with two different ends?
bool context_changes_flags(const char *context);

// Do both contexts leave the flags as they are, or both change them in the same way?
bool context_same_change(const char *a, const char *b);

// Does everything that `part` says stand in `whole` too? An empty context is part of any.
bool context_within(const char *part, const char *whole);

// Is the word of that length one of a list's, which stand between separators?
bool context_among(const char *word, size_t length, const char *list, char separator);
