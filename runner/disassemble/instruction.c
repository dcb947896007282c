// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/disassemble/instruction.h"

#include <stdio.h>
#include <string.h>

struct word {
    const char *text;
    size_t length;
};

static int is(struct word word, const char *text) {
    return strlen(text) == word.length && !memcmp(word.text, text, word.length);
}

static int is_prefix(struct word word) {
    static const char *const prefixes[] = {
#define PREFIX(name) name,
#include "common/prefixes.def"
#undef PREFIX
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (is(word, prefixes[i]))
            return 1;
    return 0;
}

static const char *rename_of(struct word word) {
    static const struct {
        const char *from, *to;
    } renames[] = {
#define RENAME(from, to) {from, to},
#include "runner/disassemble/canonical.def"
#undef RENAME
    };
    for (size_t i = 0; i < sizeof renames / sizeof *renames; i++)
        if (is(word, renames[i].from))
            return renames[i].to;
    return NULL;
}

static void append(char *out, const char *text, size_t length) {
    size_t used = strlen(out), room = CANONICAL_SIZE - 1 - used;
    if (length > room)
        length = room;
    memcpy(out + used, text, length);
    out[used + length] = '\0';
}

static struct word next_word(const char **at, const char *end) {
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    struct word word = {*at, 0};
    while (*at < end && **at != ' ' && **at != '\t')
        ++*at;
    word.length = (size_t)(*at - word.text);
    return word;
}

// A direct target is an address that moves with the loop: nothing to compare.
static int has_direct_target(struct word mnemonic) {
    return mnemonic.length && (mnemonic.text[0] == 'j' || !strncmp(mnemonic.text, "call", 4) ||
                               (mnemonic.length >= 4 && !strncmp(mnemonic.text, "loop", 4)) ||
                               !strncmp(mnemonic.text, "xbegin", 6));
}

void canonical_text(const char *text, size_t length, char *out) {
    const char *at = text, *end = text + length;
    const char *comment = memchr(text, '#', length);
    if (comment)
        end = comment;
    out[0] = '\0';
    struct word word = next_word(&at, end);
    while (word.length && is_prefix(word)) {
        append(out, word.text, word.length);
        word = next_word(&at, end);
        if (word.length)
            append(out, " ", 1);
    }
    // jne,pt and the like: a branch hint is no part of the name.
    const char *hint = memchr(word.text, ',', word.length);
    if (hint)
        word.length = (size_t)(hint - word.text);
    const char *renamed = rename_of(word);
    append(out, renamed ? renamed : word.text, renamed ? strlen(renamed) : word.length);
    int direct = has_direct_target(word);
    for (struct word rest = next_word(&at, end); rest.length; rest = next_word(&at, end)) {
        if (rest.text[0] == '<' || (direct && rest.text[0] != '*'))
            continue;
        append(out, " ", 1);
        append(out, rest.text, rest.length);
    }
}

size_t canonical_mnemonic(const char *canonical) {
    const char *at = canonical, *end = canonical + strlen(canonical);
    struct word word = next_word(&at, end);
    while (is_prefix(word)) {
        struct word next = next_word(&at, end);
        if (!next.length)
            break;
        word = next;
    }
    return (size_t)(word.text + word.length - canonical);
}

// The mnemonic behind its prefixes.
static struct word bare_mnemonic(const char *canonical) {
    const char *end = canonical + canonical_mnemonic(canonical), *word = end;
    while (word > canonical && word[-1] != ' ')
        word--;
    return (struct word){word, (size_t)(end - word)};
}

int canonical_is_jump(const char *canonical) {
    const char *word = bare_mnemonic(canonical).text;
    return word[0] == 'j' || !strncmp(word, "call", 4) || !strncmp(word, "ret", 3) ||
           !strncmp(word, "loop", 4);
}

// Is it this name, as it is or with the suffix of a size? objdump adds one where no register tells.
static int is_but_for_size(struct word word, const char *name) {
    size_t length = strlen(name);
    if (word.length == length + 1 && strchr("bwlq", word.text[length]))
        word.length--;
    return is(word, name);
}

enum { LINE = 32 };

static const struct {
    const char *mnemonic, *conditions; // each condition is followed by a space
} fusions[] = {
#define FUSES(mnemonic, conditions) {mnemonic, conditions},
#include "runner/disassemble/fusion.def"
#undef FUSES
};

static int has_condition(const char *conditions, const char *jump) {
    size_t length = strlen(jump + 1);
    for (const char *at = conditions; *at; at = strchr(at, ' ') + 1)
        if (strcspn(at, " ") == length && !memcmp(at, jump + 1, length))
            return 1;
    return 0;
}

int canonical_is(const char *canonical, const char *name) {
    return is_but_for_size(bare_mnemonic(canonical), name);
}

static int fuses(const struct instruction *first, const struct instruction *jump) {
    struct word word = {first->text, canonical_mnemonic(first->text)};
    const char *operands = word.text + word.length;
    // A result in memory, an immediate compared with memory, and RIP-relative memory do not fuse.
    const char *last = strrchr(operands, ',');
    if (!is_but_for_size(word, "test") && !is_but_for_size(word, "cmp") &&
        (last ? last[1] : operands[1]) != '%')
        return 0;
    if (strstr(operands, "(%rip)") || (strchr(operands, '$') && strchr(operands, '(')))
        return 0;
    for (size_t i = 0; i < sizeof fusions / sizeof *fusions; i++)
        if (is_but_for_size(word, fusions[i].mnemonic))
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
