// SPDX-License-Identifier: GPL-3.0-or-later
// common: the journal of a run: what decides which executions it has, and which are safely on disk.
// journal.def lists its lines. The only reader; the runner's store appends to it.
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stdio.h>

// Stored with the run, so that a resumed run is the same run.
struct settings {
#define SETTING_TEXT(name, size) char name[size];
#define SETTING_NUMBER(name) long long name;
#define SETTING_LATER(name) long long name;
#define SETTING_REAL(name) double name;
#define JOURNAL_LINE(kind, fields, meaning)
#include "common/journal.def"
#undef SETTING_TEXT
#undef SETTING_NUMBER
#undef SETTING_LATER
#undef SETTING_REAL
#undef JOURNAL_LINE
};

// An execution that is safely on disk.
struct journal_line {
    int core;         // index of the core type
    long block, slot; // slot: place within the block
    char variant[256];
    long long measurements_bytes, samples_bytes; // of the files, with its rows
};

struct journal {
    struct settings settings;   // what could be read of them
    const char *wrong;          // the first of the head's lines that could not; NULL: none
    struct journal_line *lines; // count of them
    size_t count;
    long long bytes; // of the head and these lines; what is behind them is not resumed
    struct journal_size {
        char file[64];
        long long bytes;
    } sizes[16];
    size_t size_count;
    char end[16]; // complete, budget; "": it did not come to its own end, or was resumed
};

// Copy `text` (NULL: nothing) to a text of the settings with `size` bytes. ERROR_INPUT naming
// `what` if a journal could not keep it: a line break, or too long.
int settings_keep(char *to, size_t size, const char *what, const char *text, struct error *error);

// The journal's head.
void settings_write(const struct settings *settings, FILE *stream);

// The line of an execution.
void journal_write(const struct journal_line *line, FILE *stream);

// Read FOLDER/journal; a torn last line is forgotten. With `end_only` only as much of its end as
// holds sizes and end. 0, or -1 with *error and errno: it cannot be read. Free in both cases.
int journal_read(const char *folder, bool end_only, struct journal *journal, struct error *error);

// The same from a text; not `whole`: it is the end of one, and may begin anywhere, also in the
// head.
void journal_parse(const char *text, size_t length, bool whole, struct journal *journal);
void journal_free(struct journal *journal);

// ERROR_INPUT naming `path` and what is wrong with the head; 0 if nothing is.
int journal_check(const struct journal *journal, const char *path, struct error *error);
