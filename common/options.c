// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/options.h"

#include "common/units.h"

#include <string.h>

static int store(const struct option_row *row, const char *value, struct error *error) {
    int bad = 0;
    const char *form = "";
    switch (row->type) {
    case OPTION_FLAG:
        *(int *)row->target = 1;
        break;
    case OPTION_TEXT:
        *(const char **)row->target = value;
        bad = !*value;
        form = "a text that is not empty";
        break;
    case OPTION_INTEGER:
        bad = units_scan_integer(value, row->minimum, row->maximum, row->target);
        break;
    case OPTION_SECONDS:
        bad = units_scan_seconds(value, row->target);
        form = "a time like 90s, 5m or 2h";
        break;
    case OPTION_PART:
        bad = units_scan_part(value, row->target);
        form = "a part like 0.5% or 0.005";
        break;
    }
    if (bad && row->type == OPTION_INTEGER)
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "--%s takes a whole number from %lld to %lld, not '%s'", row->name,
                         row->minimum, row->maximum, value);
    if (bad)
        return error_set(error, ERROR_INPUT, NULL, 0, "--%s takes %s, not '%s'", row->name, form,
                         value);
    return 0;
}

// The row of "--name", "--name=value" or "-l"; *value gets what stands behind the "=".
static const struct option_row *find(const struct option_list *list, const char *word,
                                     const char **value) {
    *value = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct option_row *row = &list->rows[i];
        if (word[1] != '-') {
            if (row->letter && word[1] == row->letter && !word[2])
                return row;
            continue;
        }
        size_t length = strlen(row->name);
        if (strncmp(word + 2, row->name, length))
            continue;
        if (!word[2 + length])
            return row;
        if (word[2 + length] == '=') {
            *value = word + 2 + length + 1;
            return row;
        }
    }
    return NULL;
}

// A list that is given twice: the second would silently take the first one's place.
static int check_once(const struct option_row *row, char **argv, int last, struct error *error) {
    const char *value;
    if (row->type != OPTION_TEXT || !strchr(row->argument, ','))
        return 0;
    struct option_list alone = {.rows = row, .count = 1};
    for (int i = 1; i < last; i++)
        if (argv[i][0] == '-' && argv[i][1] && find(&alone, argv[i], &value))
            return error_set(error, ERROR_INPUT, NULL, 0,
                             "--%s is there twice; it takes one list: --%s A,B", row->name,
                             row->name);
    return 0;
}

int options_parse(const struct option_list *list, int argc, char **argv, const char **positionals,
                  size_t least, size_t most, struct error *error) {
    size_t count = 0;
    int only_positionals = 0;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value;
        if (only_positionals || word[0] != '-' || !word[1]) {
            if (count == most)
                return error_set(error, ERROR_INPUT, NULL, 0, "one argument too many: '%s'", word);
            positionals[count++] = word;
            continue;
        }
        if (!strcmp(word, "--")) {
            only_positionals = 1;
            continue;
        }
        if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
            options_help(list, stdout);
            error->kind = ERROR_HELP;
            return -1;
        }
        const struct option_row *row = find(list, word, &value);
        if (!row)
            return error_set(error, ERROR_INPUT, NULL, 0, "unknown option '%s'; try --help", word);
        if (check_once(row, argv, i, error))
            return -1;
        if (row->type == OPTION_FLAG && value)
            return error_set(error, ERROR_INPUT, NULL, 0, "--%s takes no value", row->name);
        if (row->type != OPTION_FLAG && !value) {
            // "-o" behind "--only" is an option, and no glob; "--only=-o" is one.
            if (i + 1 == argc || (argv[i + 1][0] == '-' && find(list, argv[i + 1], &value)))
                return error_set(error, ERROR_INPUT, NULL, 0, "--%s needs a value: %s", row->name,
                                 row->argument);
            value = argv[++i];
        }
        if (store(row, value, error))
            return -1;
    }
    int name = (int)strcspn(list->usage, " ");
    if (count < least)
        return error_set(error, ERROR_INPUT, NULL, 0, "%.*s takes%s", name, list->usage,
                         list->usage + name);
    return 0;
}

void options_help(const struct option_list *list, FILE *stream) {
    fprintf(stream, "usage: %s %s\n%s\n\n", list->program, list->usage, list->about);
    for (size_t i = 0; i < list->count; i++) {
        const struct option_row *row = &list->rows[i];
        char left[64];
        snprintf(left, sizeof left, "%s%c%s--%s%s%s", row->letter ? "-" : "  ",
                 row->letter ? row->letter : ' ', row->letter ? ", " : " ", row->name,
                 row->argument ? " " : "", row->argument ? row->argument : "");
        fprintf(stream, "  %-26s %s\n", left, row->text);
    }
    fprintf(stream, "  %-26s %s\n", "    --help", "print this");
}
