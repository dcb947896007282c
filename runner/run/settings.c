// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/settings.h"

#include "common/units.h"

#include <string.h>

static const char first_line[] = "asmsweep-journal 1\n";

void settings_write(const struct settings *settings, FILE *stream) {
    fputs(first_line, stream);
#define TEXT(name, size) fprintf(stream, #name " %s\n", settings->name);
#define NUMBER(name) fprintf(stream, #name " %lld\n", settings->name);
#define REAL(name) fprintf(stream, #name " %.17g\n", settings->name);
    SETTINGS(TEXT, NUMBER, REAL)
#undef TEXT
#undef NUMBER
#undef REAL
    fprintf(stream, "begin\n");
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

// The next line must be "NAME VALUE"; returns the value's place in line, or NULL.
static const char *take(FILE *stream, const char *name, char *line, size_t size) {
    size_t length = strlen(name);
    if (!fgets(line, (int)size, stream) || !strchr(line, '\n'))
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return strncmp(line, name, length) || line[length] != ' ' ? NULL : line + length + 1;
}

int settings_read(const char *path, FILE *stream, struct settings *settings, struct error *error) {
    char line[5000];
    const char *value, *wrong = "its first line";
    *settings = (struct settings){0};
    if (!fgets(line, sizeof line, stream) || strcmp(line, first_line))
        goto damaged;
#define TEXT(name, size)                                                                           \
    wrong = #name;                                                                                 \
    if (!(value = take(stream, #name, line, sizeof line)) || strlen(value) >= size)                \
        goto damaged;                                                                              \
    memcpy(settings->name, value, strlen(value) + 1);
#define NUMBER(name)                                                                               \
    wrong = #name;                                                                                 \
    if (!(value = take(stream, #name, line, sizeof line)) ||                                       \
        units_scan_integer(value, -1, __LONG_LONG_MAX__, &settings->name))                         \
        goto damaged;
#define REAL(name)                                                                                 \
    wrong = #name;                                                                                 \
    if (!(value = take(stream, #name, line, sizeof line)) ||                                       \
        units_scan_number(value, &settings->name))                                                 \
        goto damaged;
    SETTINGS(TEXT, NUMBER, REAL)
#undef TEXT
#undef NUMBER
#undef REAL
    wrong = "begin";
    if (fgets(line, sizeof line, stream) && !strcmp(line, "begin\n"))
        return 0;
damaged:
    if (ferror(stream))
        return error_errno(error, ERROR_INPUT, path, "cannot be read; nothing is lost, try again");
    return error_set(error, ERROR_INPUT, path, 0,
                     "not a whole journal (%s is missing or wrong); start the run anew in "
                     "another folder",
                     wrong);
}
