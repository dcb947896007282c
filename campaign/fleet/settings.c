// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/fields.h"
#include "campaign/fleet/fleet.h"
#include "common/memory.h"
#include "common/units.h"

#include <stdlib.h>
#include <string.h>

static const struct field fields[] = {
#define SETTING(name, argument, otherwise, text) FIELD_OF(struct fleet_settings, name),
#include "campaign/fleet/settings.def"
#undef SETTING
};

static const char *const defaults[] = {
#define SETTING(name, argument, otherwise, text) otherwise,
#include "campaign/fleet/settings.def"
#undef SETTING
};

enum { SETTINGS = sizeof fields / sizeof *fields };

static char *skip_blanks(char *at) {
    return at + strspn(at, " \t");
}

// The value behind "=": a string without escapes, or a bare word. NULL: it is neither.
static char *take_value(char *at) {
    int quoted = *at == '"';
    char *value = at + quoted;
    char *end = value + (quoted ? strcspn(value, "\"\\")
                                : strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789"));
    if (quoted ? *end != '"' : end == value || !strchr(" \t#", *end))
        return NULL;
    char *rest = skip_blanks(end + quoted);
    int last = !*rest || *rest == '#';
    *end = '\0';
    return last ? value : NULL;
}

static int take_line(const char *path, size_t number, char *line, struct fleet_settings *settings,
                     struct error *error) {
    char *name = skip_blanks(line);
    if (!*name || *name == '#')
        return 0;
    char *end = name + strcspn(name, " \t=#");
    char *equals = skip_blanks(end);
    char *value = *equals == '=' ? take_value(skip_blanks(equals + 1)) : NULL;
    if (!value)
        return error_set(error, ERROR_INPUT, path, number,
                         "not of the form NAME = \"VALUE\" (no tables, lists or escapes)");
    *end = '\0';
    for (size_t i = 0; i < SETTINGS; i++) {
        if (strcmp(name, fields[i].name))
            continue;
        if (!*field_text(&fields[i], settings) && field_set(&fields[i], settings, value))
            return error_set(error, ERROR_INPUT, path, number, "longer than %d bytes",
                             SETTING_SIZE - 1);
        return 0;
    }
    return error_set(error, ERROR_INPUT, path, number,
                     "no setting '%s'; ./asmsweep fleet --help names them", name);
}

int fleet_settings_parse(const char *path, const char *text, struct fleet_settings *settings,
                         struct error *error) {
    char *copy = text_make("%s", text), *rest = copy, *line;
    int failed = 0;
    for (size_t number = 1; !failed && (line = strsep(&rest, "\n")); number++) {
        line[strcspn(line, "\r")] = '\0';
        failed = take_line(path, number, line, settings, error);
    }
    free(copy);
    return failed;
}

int fleet_settings_complete(struct fleet_settings *settings, struct error *error) {
    long long attempts;
    for (size_t i = 0; i < SETTINGS; i++)
        if (!*field_text(&fields[i], settings))
            field_set(&fields[i], settings, defaults[i]);
    if (!strcmp(settings->shared, "true"))
        strcpy(settings->shared, "yes");
    if (!strcmp(settings->shared, "false"))
        strcpy(settings->shared, "no");
    if (strcmp(settings->shared, "yes") && strcmp(settings->shared, "no"))
        return error_set(error, ERROR_INPUT, NULL, 0, "shared is yes or no, not '%s'",
                         settings->shared);
    if (units_scan_integer(settings->attempts, 1, 100, &attempts))
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "attempts is a number from 1 to 100, not '%s'", settings->attempts);
    return 0;
}

// Find a word of a list; *length is its length. NULL: it is not there. `stop` ends the compared
// part of a word, so that A in "A=B" is found by A.
static const char *find_word(const char *list, char stop, const char *word, size_t *length) {
    size_t compared = strlen(word);
    for (; *(list += strspn(list, " ,")); list += *length) {
        *length = strcspn(list, " ,");
        if (compared <= *length && !strncmp(list, word, compared) &&
            (compared == *length ? !stop : list[compared] == stop))
            return list;
    }
    return NULL;
}

void fleet_settings_claim(const struct fleet_settings *settings, const char *generation,
                          char *claim, size_t size) {
    size_t length, left = strlen(generation) + 1;
    const char *word = find_word(settings->claims, '=', generation, &length);
    if (word && length > left)
        snprintf(claim, size, "%.*s", (int)(length - left), word + left);
    else
        snprintf(claim, size, "%s", generation);
}

int fleet_settings_wants(const struct fleet_settings *settings, const char *generation) {
    size_t length;
    return !*settings->generations || find_word(settings->generations, '\0', generation, &length);
}
