// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/erratum.h"

#include <string.h>

enum { LINE = 32 };

static const struct {
    const char *mnemonic, *conditions; // each condition is followed by a space
} fusions[] = {
#define FUSES(mnemonic, conditions) {mnemonic, conditions},
#include "runner/prove/fusion.def"
#undef FUSES
};

// "cmpq" is "cmp" with a size: objdump adds it where no register tells.
static int same_but_size(const char *found, size_t length, const char *name) {
    size_t name_length = strlen(name);
    if (length < name_length || memcmp(found, name, name_length))
        return 0;
    return length == name_length ||
           (length == name_length + 1 && strchr("bwlq", found[name_length]));
}

static int has_condition(const char *conditions, const char *jump) {
    size_t length = strlen(jump + 1);
    for (const char *at = conditions; *at; at = strchr(at, ' ') + 1)
        if (strcspn(at, " ") == length && !memcmp(at, jump + 1, length))
            return 1;
    return 0;
}

static int fuses(const struct instruction *first, const struct instruction *jump) {
    const char *operands = first->text + canonical_mnemonic(first->text);
    // An immediate compared with memory, and RIP-relative memory, do not fuse.
    if (strstr(operands, "(%rip)") || (strchr(operands, '$') && strchr(operands, '(')))
        return 0;
    for (size_t i = 0; i < sizeof fusions / sizeof *fusions; i++)
        if (same_but_size(first->text, canonical_mnemonic(first->text), fusions[i].mnemonic))
            return jump->text[0] == 'j' && has_condition(fusions[i].conditions, jump->text);
    return 0;
}

int jcc_erratum(const struct instruction *instructions, size_t count, uint64_t end) {
    for (size_t i = 0; i < count; i++) {
        if (!canonical_is_jump(instructions[i].text))
            continue;
        uint64_t from = instructions[i].address;
        uint64_t behind = i + 1 < count ? instructions[i + 1].address : end;
        if (i && fuses(&instructions[i - 1], &instructions[i]))
            from = instructions[i - 1].address;
        if (from / LINE != (behind - 1) / LINE || behind % LINE == 0)
            return 1;
    }
    return 0;
}
