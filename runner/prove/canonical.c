// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/canonical.h"

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
#include "runner/prove/canonical.def"
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

int canonical_is_jump(const char *canonical) {
    size_t length = canonical_mnemonic(canonical);
    // The last word of the mnemonic, behind its prefixes.
    while (length && canonical[length - 1] != ' ')
        length--;
    const char *word = canonical + length;
    return word[0] == 'j' || !strncmp(word, "call", 4) || !strncmp(word, "ret", 3) ||
           !strncmp(word, "loop", 4);
}
