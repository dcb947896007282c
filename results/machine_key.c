// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/machine_key.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define MACHINE_KEY(column) #column,
#include "results/machine_keys.def"
#undef MACHINE_KEY
    "mitigations",
};

static const char prefix[] = "mitigation_";

static int read_mitigations(const char *folder, char *text, size_t size, struct error *error) {
    static const char *const required[] = {"key", "value", NULL};
    char path[4096];
    struct table table;
    size_t used = 0;
    text[0] = '\0';
    snprintf(path, sizeof path, "%s/environment.csv", folder);
    if (table_read(path, required, &table, error) != 0)
        return -1;
    for (size_t row = 0; row < table.rows; row++) {
        const char *name = table_cell(&table, row, "key");
        if (strncmp(name, prefix, sizeof prefix - 1) == 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s", used > 0 ? "; " : "",
                                     name + sizeof prefix - 1, table_cell(&table, row, "value"));
    }
    table_free(&table);
    return 0;
}

int machine_key_read(const char *folder, const struct loops *loops, struct machine_key *key,
                     struct error *error) {
#define MACHINE_KEY(column) key->part[MACHINE_KEY_##column] = table_cell(&loops->table, 0, #column);
#include "results/machine_keys.def"
#undef MACHINE_KEY
    key->part[MACHINE_KEY_mitigations] = key->mitigations;
    return read_mitigations(folder, key->mitigations, sizeof key->mitigations, error);
}

bool machine_key_equal(const struct machine_key *a, const struct machine_key *b) {
    for (size_t i = 0; i < MACHINE_KEY_COUNT; i++)
        if (strcmp(a->part[i], b->part[i]) != 0)
            return false;
    return true;
}

void machine_key_difference(const struct machine_key *before, const struct machine_key *now,
                            char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < MACHINE_KEY_COUNT && used < size; i++) {
        const char *a = before->part[i], *b = now->part[i];
        if (strcmp(a, b) != 0)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s: %s, now %s", used > 0 ? "; " : "",
                                 names[i], a[0] ? a : "none", b[0] ? b : "none");
    }
}
