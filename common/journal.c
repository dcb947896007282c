// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/journal.h"

#include "common/memory.h"
#include "common/rows.h"
#include "common/units.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL = 4096 }; // bytes in which all sizes and the end stand

static const char first_line[] = "asmsweep-journal 1", last_line[] = "begin";

enum kind { KIND_text, KIND_number, KIND_real };

static const struct row {
    const char *name;
    enum kind kind;
    size_t offset, size; // of the field
    bool later;          // older runs lack it: 0
} rows[] = {
#define SETTING_TEXT(name, size) {#name, KIND_text, offsetof(struct settings, name), size, false},
#define SETTING_NUMBER(name) {#name, KIND_number, offsetof(struct settings, name), 0, false},
#define SETTING_LATER(name) {#name, KIND_number, offsetof(struct settings, name), 0, true},
#define SETTING_REAL(name) {#name, KIND_real, offsetof(struct settings, name), 0, false},
#define JOURNAL_LINE(kind, fields, meaning)
#include "common/journal.def"
};

enum { ROWS = sizeof rows / sizeof *rows };

int settings_keep(char *to, size_t size, const char *what, const char *text, struct error *error) {
    if (text == NULL)
        text = "";
    if (strchr(text, '\n') || strlen(text) >= size)
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "%s has a line break or over %zu bytes: a run's journal cannot keep it; "
                         "give a shorter one",
                         what, size - 1);
    memcpy(to, text, strlen(text) + 1);
    return 0;
}

void settings_write(const struct settings *settings, FILE *stream) {
    fprintf(stream, "%s\n", first_line);
    for (size_t i = 0; i < ROWS; i++) {
        const void *field = (const char *)settings + rows[i].offset;
        fprintf(stream, "%s ", rows[i].name);
        if (rows[i].kind == KIND_text)
            fprintf(stream, "%s\n", (const char *)field);
        else if (rows[i].kind == KIND_number)
            fprintf(stream, "%lld\n", *(const long long *)field);
        else
            fprintf(stream, "%.17g\n", *(const double *)field);
    }
    fprintf(stream, "%s\n", last_line);
}

void journal_write(const struct journal_line *line, FILE *stream) {
    fprintf(stream, "done %d %ld %ld %s %lld %lld\n", line->core, line->block, line->slot,
            line->variant, line->measurements_bytes, line->samples_bytes);
}

static int scan_value(const struct row *row, const char *value, struct settings *settings) {
    void *field = (char *)settings + row->offset;
    if (row->kind == KIND_number)
        return units_scan_integer(value, -1, __LONG_LONG_MAX__, field);
    if (row->kind == KIND_real)
        return units_scan_number(value, field);
    return (size_t)snprintf(field, row->size, "%s", value) < row->size ? 0 : -1;
}

// What stands behind "NAME " in a line; NULL: it begins otherwise.
static const char *value_of(const char *line, const char *name) {
    size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

// A line of the head; found[i] becomes true for the setting that it holds. False: it holds none.
static bool take_setting(const char *line, bool *found, struct settings *settings) {
    for (size_t i = 0; i < ROWS; i++) {
        const char *former = rows_former_name(rows[i].name);
        const char *value = value_of(line, rows[i].name);
        if (value == NULL && former != NULL)
            value = value_of(line, former);
        if (value == NULL)
            continue;
        found[i] = scan_value(&rows[i], value, settings) == 0;
        return true;
    }
    return false;
}

// A line behind the head. False: it is none, or torn.
static bool take_line(const char *text, struct journal *journal) {
    struct journal_line line;
    struct journal_size size;
    int end = 0;
    journal->end[0] = '\0';
    if (sscanf(text, "done %d %ld %ld %255s %lld %lld%n", &line.core, &line.block, &line.slot,
               line.variant, &line.measurements_bytes, &line.samples_bytes, &end) == 6 &&
        text[end] == '\0' && line.core >= 0 && line.block >= 0 && line.block < INT_MAX) {
        journal->lines = memory_more(journal->lines, journal->count, sizeof line);
        journal->lines[journal->count++] = line;
        return true;
    }
    if (sscanf(text, "size %63s %lld%n", size.file, &size.bytes, &end) == 2 && text[end] == '\0') {
        if (journal->size_count < sizeof journal->sizes / sizeof *journal->sizes)
            journal->sizes[journal->size_count++] = size;
        return true;
    }
    if (strcmp(text, "end complete") != 0 && strcmp(text, "end budget") != 0)
        return false;
    strcpy(journal->end, text + strlen("end "));
    return true;
}

void journal_parse(const char *text, size_t length, bool whole, struct journal *journal) {
    bool found[ROWS] = {false}, in_head = whole;
    const char *at = text, *newline;
    *journal = (struct journal){0};
    for (; (newline = memchr(at, '\n', length - (size_t)(at - text))) != NULL; at = newline + 1) {
        size_t before = journal->count;
        char *line = text_make("%.*s", (int)(newline - at), at);
        bool begins = in_head && strcmp(line, last_line) == 0, good = true;
        if (in_head && at == text && strcmp(line, first_line) != 0)
            journal->wrong = "its first line";
        if (!begins && (!in_head || !take_setting(line, found, &journal->settings)))
            good = take_line(line, journal) || in_head || !whole;
        in_head = in_head && !begins;
        free(line);
        if (!good)
            break; // torn: this execution is done again
        if (begins || before != journal->count)
            journal->bytes = newline + 1 - text;
    }
    if (at < text + length) // a line without its end
        journal->end[0] = '\0';
    for (size_t i = 0; i < ROWS && journal->wrong == NULL; i++)
        if (!found[i] && !rows[i].later)
            journal->wrong = rows[i].name;
    if (in_head && journal->wrong == NULL)
        journal->wrong = last_line;
}

int journal_read(const char *folder, bool end_only, struct journal *journal, struct error *error) {
    char *path = text_make("%s/journal", folder), *text = NULL;
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC), failed = file < 0 || fstat(file, &status) != 0;
    *journal = (struct journal){0};
    if (!failed) {
        off_t from = end_only && status.st_size > TAIL ? status.st_size - TAIL : 0;
        size_t length = (size_t)(status.st_size - from);
        text = memory_zero(length + 1, 1);
        ssize_t got = pread(file, text, length, from);
        failed = got < 0;
        const char *begin = from > 0 && got > 0 ? memchr(text, '\n', (size_t)got) : NULL;
        begin = begin != NULL ? begin + 1 : text;
        if (!failed)
            journal_parse(begin, (size_t)(text + got - begin), from == 0, journal);
    }
    if (failed)
        error_errno(error, ERROR_INPUT, path, "cannot be read; nothing is lost, try again");
    int kept = errno;
    if (file >= 0)
        close(file);
    free(text);
    free(path);
    errno = kept;
    return failed ? -1 : 0;
}

void journal_free(struct journal *journal) {
    free(journal->lines);
    *journal = (struct journal){0};
}

int journal_check(const struct journal *journal, const char *path, struct error *error) {
    return journal->wrong == NULL
               ? 0
               : error_set(error, ERROR_INPUT, path, 0,
                           "not a whole journal (%s is missing or wrong); start the run anew in "
                           "another folder",
                           journal->wrong);
}
