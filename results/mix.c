// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/mix.h"

#include "results/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mix_add(struct mix *mix, const char *name, size_t length, double count) {
    if (length == 0 || length >= MIX_NAME)
        return -1;
    for (size_t i = 0; i < mix->terms; i++) {
        if (strlen(mix->term[i].name) == length && memcmp(mix->term[i].name, name, length) == 0) {
            mix->term[i].count += count;
            return 0;
        }
    }
    if (mix->terms == MIX_TERMS)
        return -1;
    struct mix_term *term = &mix->term[mix->terms++];
    memcpy(term->name, name, length);
    term->name[length] = '\0';
    term->count = count;
    return 0;
}

int mix_parse(const char *text, struct mix *mix) {
    mix->terms = 0;
    while (*text != '\0') {
        char *star;
        double count = strtod(text, &star);
        if (star == text || *star != '*' || !(count > 0) || !isfinite(count))
            return -1;
        size_t length = strcspn(star + 1, "+");
        if (mix_add(mix, star + 1, length, count) != 0)
            return -1;
        text = star + 1 + length;
        if (*text == '+' && *++text == '\0')
            return -1;
    }
    return mix->terms > 0 ? 0 : -1;
}

static bool take_one(struct mix *mix, const char *name) {
    for (size_t i = 0; i < mix->terms; i++) {
        if (strcmp(mix->term[i].name, name) != 0 || mix->term[i].count < 1)
            continue;
        mix->term[i].count -= 1;
        if (mix->term[i].count <= 0) {
            mix->terms--;
            memmove(&mix->term[i], &mix->term[i + 1], (mix->terms - i) * sizeof mix->term[0]);
        }
        return true;
    }
    return false;
}

bool mix_strip_loop(struct mix *mix) {
    return mix_count(mix, "dec") >= 1 && mix_count(mix, "jnz") >= 1 && take_one(mix, "dec") &&
           take_one(mix, "jnz");
}

static bool is_prefix(const char *word, size_t length) {
    static const char prefixes[] =
#define PREFIX(name) name ";"
#include "common/prefixes.def"
#undef PREFIX
        ;
    return context_among(word, length, prefixes, ';');
}

// How long the mnemonic at `text` is with its prefixes: "lock incq (%rbx)" has one of 9.
static size_t mnemonic_length(const char *text) {
    size_t begin = 0, length = strcspn(text, ";) \t");
    while (text[length] == ' ' && is_prefix(text + begin, length - begin)) {
        size_t next = strcspn(text + length + 1, ";) \t");
        if (next == 0)
            break;
        begin = length + 1;
        length = begin + next;
    }
    return length;
}

// How long the operands at `text` are: to the next instruction, or to the end of the parentheses
// that hold this one. Parentheses of their own are within.
static size_t operands_length(const char *text) {
    size_t length = 0;
    for (int depth = 0; text[length] != '\0'; length++) {
        if (depth == 0 && (text[length] == ';' || text[length] == ')'))
            break;
        depth += (text[length] == '(') - (text[length] == ')');
    }
    return length;
}

// Count the instructions at *at, up to the end or the parenthesis that closes them.
static int add_instructions(const char **at, double times, bool enclosed, struct mix *mix) {
    while (*(*at += strspn(*at, "; \t")) != '\0') {
        char *end;
        double count = strtod(*at, &end); // a run: "27*cli", "4*(rol $7,%rbx; ror $7,%rbx)"
        if (end != *at && *end == '*')
            *at = end + 1;
        else
            count = 1;
        if (**at == ')')
            return ++*at, enclosed ? 0 : -1;
        if (**at == '(') {
            ++*at;
            if (add_instructions(at, times * count, true, mix) != 0)
                return -1;
            continue;
        }
        size_t length = mnemonic_length(*at);
        if (length == 0 || mix_add(mix, *at, length, times * count) != 0)
            return -1;
        *at += length;
        *at += operands_length(*at);
    }
    return enclosed ? -1 : 0;
}

int mix_of_group(const char *group, double groups, struct mix *mix) {
    mix->terms = 0;
    return add_instructions(&group, groups, false, mix);
}

double mix_count(const struct mix *mix, const char *name) {
    for (size_t i = 0; i < mix->terms; i++)
        if (strcmp(mix->term[i].name, name) == 0)
            return mix->term[i].count;
    return 0;
}

bool mix_equal(const struct mix *a, const struct mix *b) {
    if (a->terms != b->terms)
        return false;
    for (size_t i = 0; i < a->terms; i++)
        if (fabs(a->term[i].count - mix_count(b, a->term[i].name)) > 1e-9)
            return false;
    return true;
}

void mix_print(const struct mix *mix, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < mix->terms && used < size; i++) {
        int n = snprintf(text + used, size - used, "%s%g*%s", i > 0 ? "+" : "", mix->term[i].count,
                         mix->term[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
}
