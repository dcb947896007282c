// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/claims.h"

#include "common/generation.h"
#include "common/units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const struct claim_row claims[CLAIM_COUNT] = {
#define CLAIM(name, meaning) {#name, meaning},
#include "campaign/fleet/claims.def"
#undef CLAIM
};

// Letters and digits in lower case, '+' as "plus", all else dropped. Returns the length.
static size_t squeeze(const char *text, size_t length, char *out, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < length && used + 5 < size; i++) {
        if (isalnum((unsigned char)text[i]))
            out[used++] = (char)tolower((unsigned char)text[i]);
        else if (text[i] == '+')
            used += (size_t)snprintf(out + used, size - used, "plus");
    }
    out[used] = '\0';
    return used;
}

// Is `claimed` (squeezed) the whole of `name`, or its first words?
static int names_it(const char *claimed, const char *name) {
    char words[64];
    for (const char *end = name; *end; end++) {
        end += strcspn(end, " ");
        squeeze(name, (size_t)(end - name), words, sizeof words);
        if (!strcmp(words, claimed))
            return 1;
        if (!*end)
            break;
    }
    return 0;
}

enum claim claim_check(const char *claimed, const char *vendor, const char *family,
                       const char *model, const char **found) {
    char wanted[64];
    long long family_number = -1, model_number = -1;
    int listed = 0, settled = 0;
    *found = "";
    squeeze(claimed, strlen(claimed), wanted, sizeof wanted);
    units_scan_integer(family, 0, 4095, &family_number);
    units_scan_integer(model, 0, 255, &model_number);
    for (const struct cpu_generation *g = cpu_generations; g->name != NULL; g++) {
        int named = names_it(wanted, g->name);
        listed |= named;
        if (settled || strcmp(g->vendor, vendor) || g->family != family_number ||
            model_number < g->first || model_number > g->last)
            continue;
        if (named || !**found)
            *found = g->name;
        if (named)
            return CLAIM_confirmed;
        // The first row counts; a hybrid CPU has one for each type of core.
        settled = !*g->core_type;
    }
    return listed ? CLAIM_mismatch : CLAIM_unlisted;
}

const char *claim_feature(const char *name, char *text, size_t size) {
    size_t used = 0;
    for (; *name && used + 1 < size; name += *name == ' ') {
        size_t length = strcspn(name, " ");
        used += squeeze(name, length, text + used, size - used);
        name += length;
        if (*name && used + 1 < size)
            text[used++] = '-';
    }
    text[used] = '\0';
    return text;
}
