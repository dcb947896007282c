// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/item.h"

#include "common/registers.h"
#include "results/context.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUCTION 256
#define REGISTERS 8 // of one instruction; more keep the number of the last

struct word {
    const char *text;
    size_t length;
};

struct seen {
    struct word name[REGISTERS];
    const char *kind[REGISTERS];
    size_t count;
};

static const char *kind_of(struct word name) {
    return register_kind(name.text, name.length);
}

static bool same_word(struct word a, struct word b) {
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

// The register that `text` begins with, behind its %.
static struct word register_at(const char *text) {
    struct word name = {text + 1, 0};
    while (isalnum((unsigned char)name.text[name.length]))
        name.length++;
    return name;
}

// How long a memory operand's parentheses are; they stay as they are.
static size_t parentheses(const char *text) {
    size_t length = strcspn(text, ")");
    return text[length] == ')' ? length + 1 : length;
}

// The registers of one instruction, each once.
static void see_registers(const char *text, struct seen *seen) {
    seen->count = 0;
    while (*text != '\0' && *text != ';') {
        struct word name = register_at(text);
        size_t known = 0;
        if (*text == '(') {
            text += parentheses(text);
            continue;
        }
        if (*text++ != '%')
            continue;
        while (known < seen->count && !same_word(seen->name[known], name))
            known++;
        if (known < seen->count || known == REGISTERS)
            continue;
        seen->kind[known] = kind_of(name);
        seen->name[known] = name;
        seen->count += seen->kind[known] != NULL;
    }
}

// A register's kind, numbered if its instruction has others of that kind. Returns its length in
// the item.
static size_t general_register(const char *item, const struct seen *seen, char *text, size_t size) {
    struct word name = register_at(item);
    const char *kind = kind_of(name);
    size_t number = 0, others = 0;
    for (size_t i = 0; i < seen->count && kind != NULL; i++) {
        if (strcmp(seen->kind[i], kind) != 0)
            continue;
        others++;
        if (same_word(seen->name[i], name))
            number = others;
    }
    if (kind == NULL)
        snprintf(text, size, "%%%.*s", (int)name.length, name.text);
    else if (others > 1)
        snprintf(text, size, "%s.%zu", kind, number);
    else
        snprintf(text, size, "%s", kind);
    return 1 + name.length;
}

static size_t general_constant(const char *item, char *text, size_t size) {
    char *end;
    bool negative = item[1] == '-';
    int64_t value = (int64_t)strtoull(item + 1 + negative, &end, 0);
    value = negative ? -value : value;
    size_t length = strcspn(item, ",; \t");
    const char *kind = end != item + length                       ? "$imm"
                       : value >= INT8_MIN && value <= INT8_MAX   ? "$imm8"
                       : value >= INT32_MIN && value <= INT32_MAX ? "$imm32"
                                                                  : "$imm64";
    if (strncmp(item, "$imm", 4) == 0) // general already
        snprintf(text, size, "%.*s", (int)length, item);
    else
        snprintf(text, size, "%s", kind);
    return length;
}

// What stands at `item`, made general. Returns its length there.
static size_t general_part(const char *item, const struct seen *seen, char *text, size_t size) {
    if (*item == '%')
        return general_register(item, seen, text, size);
    if (*item == '$')
        return general_constant(item, text, size);
    size_t length = *item == '(' ? parentheses(item) : strcspn(item + 1, ",;%$( \t") + 1;
    snprintf(text, size, "%.*s", (int)length, item);
    return length;
}

void item_general(const char *item, char *text, size_t size) {
    struct seen seen;
    size_t used = 0;
    text[0] = '\0';
    see_registers(item, &seen);
    while (*item != '\0' && used + 1 < size) {
        if (*item == ' ' || *item == '\t') {
            // A space stays between words only.
            item += strspn(item, " \t");
            if (*item != '\0' && *item != ';' && used > 0 && strchr(",;", text[used - 1]) == NULL)
                text[used++] = ' ';
            text[used] = '\0';
            continue;
        }
        bool next = *item == ';';
        item += general_part(item, &seen, text + used, size - used);
        used += strlen(text + used);
        if (next)
            see_registers(item, &seen);
    }
}

// Is this the loop's own count, in the register or the place that its sweep chose, and jump?
static bool is_loop_end(const char *at) {
    size_t length = strcspn(at, ";");
    return strcmp(at + length, "; jnz") == 0 &&
           (strncmp(at, "dec %", 5) == 0 || strncmp(at, "decq 0x", 7) == 0);
}

// Copy the next instruction without its run ("16*"), and go on behind it. False at the end, which
// is where the loop's own dec and jnz stand.
static bool next_instruction(const char **order, char *text, size_t size) {
    const char *at = *order + strspn(*order, "; ");
    if (*at == '\0' || is_loop_end(at))
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
