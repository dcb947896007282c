// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/body.h"

#include "results/context.h"
#include "results/item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUCTION 256

// Copy the next instruction without its run ("16*"), and go on behind it. False at the end, which
// is where the loop's own dec and jnz stand.
static bool next_instruction(const char **order, char *text, size_t size) {
    const char *at = *order + strspn(*order, "; ");
    if (*at == '\0' || strcmp(at, "dec %eax; jnz") == 0)
        return false;
    char *star;
    if (strtoul(at, &star, 10) > 0 && *star == '*')
        at = star + 1;
    size_t length = strcspn(at, ";");
    snprintf(text, size, "%.*s", (int)length, at);
    *order = at + length;
    return true;
}

bool body_holds_only(const char *order, const char *general) {
    char text[INSTRUCTION], form[INSTRUCTION];
    while (next_instruction(&order, text, sizeof text)) {
        item_general(text, form, sizeof form);
        if (!context_among(form, strlen(form), general, ';'))
            return false;
    }
    return true;
}

bool body_repeats_one(const char *order) {
    char first[INSTRUCTION], text[INSTRUCTION];
    if (!next_instruction(&order, first, sizeof first))
        return false;
    while (next_instruction(&order, text, sizeof text))
        if (strcmp(first, text) != 0)
            return false;
    return true;
}
