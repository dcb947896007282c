// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: programs that a fleet calls, with errors that say what they said.
#pragma once

#include "common/disk.h"
#include "runner/host/process.h"

// Bytes of a program's output that are taken: one job's results fit.
#define TOOL_MOST_OUTPUT ((size_t)1 << 30)

// Run a program to its end; a failure of any kind is an error with the first line of what it said
// on stderr. Free *result in both cases. 0 or -1.
int tool_run(const char *const *argv, struct process_result *result, struct error *error);

// The same where what it prints does not matter.
int tool_do(const char *const *argv, struct error *error);

// A file beside this program: the folder of /proc/self/exe, then `relative`.
struct path tool_beside(const char *relative);

// An argument vector that grows. Start with all 0; argv ends with NULL once it has a word.
struct words {
    const char **argv;
    size_t count;
};

// The text (text_make) becomes theirs.
void words_add(struct words *words, char *text);

// All of a list that ends with NULL.
void words_list(struct words *words, const char *const *list);

// The words of a text, which blanks divide.
void words_split(struct words *words, const char *text);

void words_free(struct words *words);
