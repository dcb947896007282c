// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/fleet_settings.h"

#include "campaign/fleet/slurm_text.h"
#include "common/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const fleet_setting_names[SETTING_COUNT] = {
#define SETTING(name, argument, text) #name,
#include "campaign/fleet/settings.def"
#undef SETTING
};

const char **fleet_setting(struct fleet_settings *settings, size_t index) {
    const char **values[SETTING_COUNT] = {
#define SETTING(name, argument, text) &settings->name,
#include "campaign/fleet/settings.def"
#undef SETTING
    };
    return values[index];
}

static char *skip_blanks(char *at) {
    return at + strspn(at, " \t");
}

// The value behind "=": a string without escapes, or a bare word. NULL: it is neither.
static char *take_value(char *at) {
    char *end, *value = at;
    if (*at == '"') {
        value = at + 1;
        end = value + strcspn(value, "\"\\");
        if (*end != '"')
            return NULL;
        *end++ = '\0';
        end = skip_blanks(end);
        return *end && *end != '#' ? NULL : value;
    }
    end = at + strcspn(at, " \t#");
    if (end == at || *(at + strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789")) != *end)
        return NULL;
    char *rest = skip_blanks(end);
    if (*rest && *rest != '#')
        return NULL;
    *end = '\0';
    return value;
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
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(name, fleet_setting_names[i]))
            continue;
        const char **target = fleet_setting(settings, i);
        if (!*target)
            *target = value;
        return 0;
    }
    return error_set(error, ERROR_INPUT, path, number,
                     "no setting '%s'; ./asmsweep fleet --help names them", name);
}

int fleet_settings_parse(const char *path, const char *text, struct fleet_settings *settings,
                         struct error *error) {
    settings->storage = strdup(text);
    if (!settings->storage)
        abort();
    char *rest = settings->storage, *line;
    for (size_t number = 1; (line = strsep(&rest, "\n")); number++) {
        line[strcspn(line, "\r")] = '\0';
        if (take_line(path, number, line, settings, error))
            return -1;
    }
    return 0;
}

int fleet_settings_complete(struct fleet_settings *settings, struct error *error) {
    long long attempts;
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (!*fleet_setting(settings, i))
            *fleet_setting(settings, i) = "";
    if (!*settings->time)
        settings->time = "2:00:00";
    if (!*settings->attempts)
        settings->attempts = "3";
    if (!*settings->shared || !strcmp(settings->shared, "true"))
        settings->shared = "yes";
    if (!strcmp(settings->shared, "false"))
        settings->shared = "no";
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
static const char *find_word(const char *list, const char *between, char stop, const char *word,
                             size_t *length) {
    while (*(list += strspn(list, between))) {
        *length = strcspn(list, between);
        size_t compared = strlen(word);
        if (compared <= *length && !strncmp(list, word, compared) &&
            (compared == *length ? !stop : list[compared] == stop))
            return list;
        list += *length;
    }
    return NULL;
}

void fleet_settings_claim(const struct fleet_settings *settings, const char *generation,
                          char *claim, size_t size) {
    size_t length, left = strlen(generation) + 1;
    const char *word = find_word(settings->claims, " ,", '=', generation, &length);
    if (word && length > left)
        snprintf(claim, size, "%.*s", (int)(length - left), word + left);
    else
        snprintf(claim, size, "%s", generation);
}

int fleet_settings_wants(const struct fleet_settings *settings, const char *generation) {
    size_t length;
    return !*settings->generations ||
           find_word(settings->generations, " ,", '\0', generation, &length);
}

void fleet_settings_free(struct fleet_settings *settings) {
    free(settings->storage);
    *settings = (struct fleet_settings){0};
}
