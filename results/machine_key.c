// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/machine_key.h"

#include "results/whole.h"

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
#define MACHINE_KEY(column) key->part[MACHINE_KEY_##column] = loops->loop[0].row->column;
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
