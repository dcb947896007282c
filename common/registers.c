// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/registers.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *kind, *names;
} named[] = {{"r8", " al bl cl dl ah bh ch dh sil dil bpl spl "},
             {"r16", " ax bx cx dx si di bp sp "},
             {"r32", " eax ebx ecx edx esi edi ebp esp "},
             {"r64", " rax rbx rcx rdx rsi rdi rbp rsp "},
             {"sreg", " cs ds es fs gs ss "},
             {"st", " st "}};

// Registers that are counted: what stands before the number, and behind it.
static const struct {
    const char *kind, *letters, *suffix;
} numbered[] = {{"r8", "r", "b"},   {"r16", "r", "w"},  {"r32", "r", "d"},  {"r64", "r", ""},
                {"xmm", "xmm", ""}, {"ymm", "ymm", ""}, {"zmm", "zmm", ""}, {"tmm", "tmm", ""},
                {"mm", "mm", ""},   {"k", "k", ""},     {"cr", "cr", ""},   {"dr", "dr", ""}};

// The kind of a register named without its %, NULL for what is none.
const char *register_kind(const char *name, size_t length) {
    char spaced[16], *text = spaced + 1;
    if (length + 3 > sizeof spaced || length == 0)
        return NULL;
    snprintf(spaced, sizeof spaced, " %.*s ", (int)length, name);
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strstr(named[i].names, spaced) != NULL)
            return named[i].kind;
    text[length] = '\0';
    size_t letters = strcspn(text, "0123456789"), digits = strspn(text + letters, "0123456789");
    for (size_t i = 0; i < sizeof numbered / sizeof numbered[0] && digits > 0; i++)
        if (strncmp(numbered[i].letters, text, letters) == 0 &&
            numbered[i].letters[letters] == '\0' &&
            strcmp(numbered[i].suffix, text + letters + digits) == 0)
            return numbered[i].kind;
    return NULL;
}
