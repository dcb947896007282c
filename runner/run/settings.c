// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/settings.h"

#include "common/units.h"

#include <stddef.h>
#include <string.h>

static const char first_line[] = "asmsweep-journal 1\n", last_line[] = "begin\n";

enum kind { KIND_text, KIND_number, KIND_real };

static const struct row {
    const char *name;
    enum kind kind;
    size_t offset, size; // of the field
} rows[] = {
#define TEXT(name, size) {#name, KIND_text, offsetof(struct settings, name), size},
#define NUMBER(name) {#name, KIND_number, offsetof(struct settings, name), sizeof(long long)},
#define REAL(name) {#name, KIND_real, offsetof(struct settings, name), sizeof(double)},
    SETTINGS(TEXT, NUMBER, REAL)
#undef TEXT
#undef NUMBER
#undef REAL
};

enum { ROWS = sizeof rows / sizeof *rows };

void settings_write(const struct settings *settings, FILE *stream) {
    fputs(first_line, stream);
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
    fputs(last_line, stream);
}

int settings_keep(char *to, size_t size, const char *what, const char *text, struct error *error) {
    if (!text)
        text = "";
    if (strchr(text, '\n') || strlen(text) >= size)
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "%s has a line break or over %zu bytes: a run's journal cannot keep it; "
                         "give a shorter one",
                         what, size - 1);
    memcpy(to, text, strlen(text) + 1);
    return 0;
}

// The next line must be "NAME VALUE".
static int read_row(FILE *stream, const struct row *row, struct settings *settings) {
    char line[5000];
    void *field = (char *)settings + row->offset;
    size_t length = strlen(row->name);
    if (!fgets(line, sizeof line, stream) || !strchr(line, '\n'))
        return -1;
    line[strcspn(line, "\n")] = '\0';
    const char *value = line + length + 1;
    if (strncmp(line, row->name, length) != 0 || line[length] != ' ')
        return -1;
    if (row->kind == KIND_number)
        return units_scan_integer(value, -1, __LONG_LONG_MAX__, field);
    if (row->kind == KIND_real)
        return units_scan_number(value, field);
    return (size_t)snprintf(field, row->size, "%s", value) < row->size ? 0 : -1;
}

static int read_line(FILE *stream, const char *expected) {
    char line[64];
    return fgets(line, sizeof line, stream) && !strcmp(line, expected) ? 0 : -1;
}

// What is wrong with the journal's head; NULL: nothing.
static const char *read_rows(FILE *stream, struct settings *settings) {
    if (read_line(stream, first_line))
        return "its first line";
    for (size_t i = 0; i < ROWS; i++)
        if (read_row(stream, &rows[i], settings))
            return rows[i].name;
    return read_line(stream, last_line) ? "begin" : NULL;
}

int settings_read(const char *path, FILE *stream, struct settings *settings, struct error *error) {
    *settings = (struct settings){0};
    const char *wrong = read_rows(stream, settings);
    if (wrong == NULL)
        return 0;
    if (ferror(stream))
        return error_errno(error, ERROR_INPUT, path, "cannot be read; nothing is lost, try again");
    return error_set(error, ERROR_INPUT, path, 0,
                     "not a whole journal (%s is missing or wrong); start the run anew in "
                     "another folder",
                     wrong);
}
