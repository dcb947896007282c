// SPDX-License-Identifier: GPL-3.0-or-later
// common: memory, and texts in memory. The one rule for when there is none left: the program says
// so in one line and ends with status 3 (ERROR_MISSING). Nothing here returns NULL, and no caller
// looks; what a run has measured is on the disk by then, and --resume resumes it.
#pragma once

#include <stddef.h>
#include <stdio.h>

// `count` items (0 is fine), all zero; the caller frees.
void *memory_zero(size_t count, size_t size);

// Room for one more behind `count` items, which may move: items = memory_more(items, count, ...).
void *memory_more(void *items, size_t count, size_t size);

// A text made by the format; the caller frees.
char *text_make(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A stream into memory; text_close leaves *text (the caller frees) and *length.
FILE *text_open(char **text, size_t *length);
void text_close(FILE *stream);
