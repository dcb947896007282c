// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/machine_key.h"

#include "results/whole.h"

#include <stdio.h>
#include <string.h>

static const char prefix[] = "mitigation_";

static int read_mitigations(const char *folder, char *text, size_t size, struct error *error) {
    struct rows rows;
    size_t used = 0;
    text[0] = '\0';
    int failed = whole_read(folder, FILE_environment, false, &rows, error);
    const struct environment_row *row = rows.row;
    for (size_t i = 0; i < rows.count && failed == 0; i++)
        if (strncmp(row[i].key, prefix, sizeof prefix - 1) == 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s", used > 0 ? "; " : "",
                                     row[i].key + sizeof prefix - 1, row[i].value);
    rows_free(&rows);
    return failed;
}

int machine_key_read(const char *folder, const struct loops *loops, struct machine_key *key,
                     struct error *error) {
    key->keys = loops->loop[0].row->machine_keys;
    // What two runs that are compared may differ in.
    key->keys.host = key->keys.cpu_name = key->keys.core_type = "";
    return read_mitigations(folder, key->mitigations, sizeof key->mitigations, error);
}

static size_t add_difference(const char *name, const char *before, const char *now, char *text,
                             size_t size, size_t used) {
    if (strcmp(before, now) == 0 || used >= size)
        return used;
    return used + (size_t)snprintf(text + used, size - used, "%s%s: %s, now %s",
                                   used > 0 ? "; " : "", name, before[0] ? before : "none",
                                   now[0] ? now : "none");
}

const char *machine_key_difference(const struct machine_key *before, const struct machine_key *now,
                                   char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
#define DIFFERENCE(file, name, type, unit)                                                         \
    used = add_difference(#name, before->keys.name, now->keys.name, text, size, used);
    KEYS_machine_keys(machine, DIFFERENCE)
#undef DIFFERENCE
        add_difference("mitigations", before->mitigations, now->mitigations, text, size, used);
    return text;
}
