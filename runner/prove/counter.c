// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/counter.h"

#include <stdio.h>
#include <string.h>

// Is `word` one of these names, as it is or with the suffix of a size?
static int is_one_of(const char *word, const char *const *names) {
    for (; *names; names++) {
        size_t length = strlen(*names);
        if (!strncmp(word, *names, length) &&
            (!word[length] || (strchr("bwlq", word[length]) && !word[length + 1])))
            return 1;
    }
    return 0;
}

static int is_part_of_rax(const char *operand) {
    static const char *const parts[] = {"%rax", "%eax", "%ax", "%al", "%ah"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(operand, parts[i]))
            return 1;
    return 0;
}

static int writes_eax(const char *text) {
    static const char *const unnamed[] = {
        "mul",  "div", "idiv", "cpuid", "rdtsc",   "rdtscp",    "rdpmc",      "rdmsr",   "xgetbv",
        "lods", "in",  "cwtl", "cltq",  "cbtw",    "lahf",      "xlat",       "syscall", "rdpkru",
        "aaa",  "aas", "daa",  "das",   "cmpxchg", "cmpxchg8b", "cmpxchg16b", NULL};
    static const char *const both[] = {"xchg", "xadd", "mulx", NULL};
    static const char *const reading[] = {"cmp",  "test", "bt",    "push",     "scas",     "nop",
                                          "verr", "verw", "lldt",  "ltr",      "lmsw",     "out",
                                          "call", "jmp",  "wrmsr", "wrfsbase", "wrgsbase", NULL};
    char word[CANONICAL_SIZE], operands[CANONICAL_SIZE];
    size_t length = canonical_mnemonic(text), start = length;
    while (start && text[start - 1] != ' ') // behind the prefixes
        start--;
    snprintf(word, sizeof word, "%.*s", (int)(length - start), text + start);
    snprintf(operands, sizeof operands, "%s", text[length] ? text + length + 1 : "");
    char *last = strrchr(operands, ',');
    int single = !last && *operands;
    if (is_one_of(word, unnamed) || (single && is_one_of(word, (const char *[]){"imul", NULL})))
        return 1;
    if (is_one_of(word, reading) || !*operands)
        return 0;
    if (is_part_of_rax(last ? last + 1 : operands))
        return 1;
    if (!last || !is_one_of(word, both))
        return 0;
    *last = '\0';
    const char *before = strrchr(operands, ',');
    return is_part_of_rax(before ? before + 1 : operands);
}

int counter_is_written(const struct instruction *body, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (writes_eax(body[i].text))
            return 1;
    return 0;
}
