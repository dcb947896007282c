// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/disassemble/counter.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { OPERANDS = 5, HOLDERS = 48, UNDOABLE = 256 };

// An instruction taken apart.
struct parts {
    const char *text;
    char copy[CANONICAL_SIZE];
    const char *operand[OPERANDS];
    size_t count;
};

// A register by the family that it is part of ("ax": RAX to AL); "" for what is none.
struct family {
    char name[8];
    bool whole; // a write of it leaves nothing of the count that was there
};

// Where the count is.
struct places {
    struct family counter;
    char holder[HOLDERS][8]; // registers that hold it
    size_t holders;
    bool memory;                        // it was stored, or pushed
    const char *undoable[UNDOABLE + 1]; // what was done to the counter since it was held, in order
    size_t changes;
};

static void take_apart(const char *text, struct parts *parts) {
    *parts = (struct parts){.text = text};
    size_t mnemonic = canonical_mnemonic(text);
    int depth = 0;
    snprintf(parts->copy, sizeof parts->copy, "%s", text[mnemonic] ? text + mnemonic + 1 : "");
    if (*parts->copy)
        parts->operand[parts->count++] = parts->copy;
    for (char *at = parts->copy; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at != ',' || depth)
            continue;
        *at = '\0';
        if (parts->count < OPERANDS)
            parts->operand[parts->count++] = at + 1;
    }
}

static struct family family_of(const char *operand) {
    struct family family = {"", false};
    size_t length = 0;
    char name[8];
    if (*operand++ != '%')
        return family;
    while (isalnum((unsigned char)operand[length]))
        length++;
    if (length < 2 || length >= sizeof name || operand[length] == ':')
        return family;
    snprintf(name, sizeof name, "%.*s", (int)length, operand);
    if (name[0] == 'r' && isdigit((unsigned char)name[1])) {
        size_t digits = strspn(name + 1, "0123456789");
        family.whole = !name[1 + digits] || name[1 + digits] == 'd';
        name[1 + digits] = '\0';
        snprintf(family.name, sizeof family.name, "%s", name);
    } else if (isdigit((unsigned char)name[length - 1])) { // xmm0, mm0, k1
        family.whole = true;
        memcpy(family.name, name, sizeof name);
        if (name[0] == 'y' || name[0] == 'z')
            family.name[0] = 'x';
    } else if (length == 3 && (name[0] == 'r' || name[0] == 'e')) {
        family.whole = true;
        memcpy(family.name, name + 1, 3);
    } else if (length == 3) { // sil
        memcpy(family.name, name, 2);
    } else {
        family.name[0] = name[0];
        family.name[1] = strchr("lh", name[1]) ? 'x' : name[1];
    }
    return family;
}

static bool is_memory(const char *operand) {
    return *operand && *operand != '$' && !*family_of(operand).name;
}

static bool same_family(struct family a, struct family b) {
    return *a.name && strcmp(a.name, b.name) == 0;
}

static size_t find(const struct places *places, const char *name) {
    size_t at = 0;
    while (at < places->holders && strcmp(places->holder[at], name) != 0)
        at++;
    return at;
}

// Does the operand hold the whole count?
static bool holds(const struct places *places, const char *operand) {
    struct family family = family_of(operand);
    if (!*family.name)
        return is_memory(operand) && places->memory;
    return family.whole && find(places, family.name) < places->holders;
}

// The operand holds the count from now on, or does not.
static void set(struct places *places, const char *operand, bool held) {
    struct family family = family_of(operand);
    size_t at = find(places, family.name);
    if (!*family.name) {
        places->memory |= held; // another place may hold it still
        return;
    }
    if (same_family(family, places->counter))
        places->changes = 0;
    if (held && family.whole && at == places->holders && at < HOLDERS)
        memcpy(places->holder[places->holders++], family.name, sizeof family.name);
    else if (!(held && family.whole) && at < places->holders)
        memmove(places->holder[at], places->holder[--places->holders], sizeof places->holder[at]);
}

static bool is_one_of(const char *text, const char *const *names) {
    while (*names && !canonical_is(text, *names))
        names++;
    return *names != NULL;
}

// Does the second instruction undo the first? Both have the same operands.
static bool undoes(const char *first, const char *second) {
    static const char *const pairs[][2] = {{"not", "not"}, {"neg", "neg"},  {"bswap", "bswap"},
                                           {"xor", "xor"}, {"inc", "dec"},  {"dec", "inc"},
                                           {"add", "sub"}, {"sub", "add"},  {"rol", "ror"},
                                           {"ror", "rol"}, {"xchg", "xchg"}};
    if (strcmp(first + canonical_mnemonic(first), second + canonical_mnemonic(second)) != 0)
        return false;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (canonical_is(first, pairs[i][0]) && canonical_is(second, pairs[i][1]))
            return true;
    return false;
}

// The counter's register is changed by an instruction that another may undo.
static void change(struct places *places, const char *text) {
    size_t *changes = &places->changes;
    if (*changes && undoes(places->undoable[*changes - 1], text))
        --*changes;
    else if (*changes < UNDOABLE)
        places->undoable[(*changes)++] = text;
    else
        places->holders = 0; // too much to follow
}

static void unnamed(struct places *places, const struct parts *parts) {
    static const struct {
        const char *mnemonic, *families;
    } writers[] = {
#define UNNAMED(mnemonic, families) {mnemonic, families},
#include "runner/disassemble/unnamed.def"
#undef UNNAMED
    };
    char name[9] = "%e";
    const char *found = strncmp(parts->text, "rep", 3) == 0 ? "cx " : "";
    if (parts->count == 1 && canonical_is(parts->text, "imul"))
        found = "ax dx ";
    for (size_t i = 0; i < sizeof writers / sizeof *writers && !*found; i++)
        if (canonical_is(parts->text, writers[i].mnemonic))
            found = writers[i].families;
    if (strncmp(parts->text, "rep", 3) == 0 && canonical_is(parts->text, "lods"))
        found = "ax cx ";
    for (size_t length; *found; found += length + 1) {
        length = strcspn(found, " ");
        snprintf(name, sizeof name, "%%%s%.*s", *found == 'r' ? "" : "e", (int)length, found);
        set(places, name, false);
    }
}

// Anything but a move of the whole: what it writes holds the count no more.
static void clobber(struct places *places, const struct parts *parts) {
    static const char *const reading[] = {
        "cmp",    "test",     "bt",       "push",      "scas",    "nop",    "verr",
        "verw",   "lldt",     "ltr",      "lmsw",      "out",     "call",   "jmp",
        "wrmsr",  "wrfsbase", "wrgsbase", "ptwrite",   "umwait",  "tpause", "umonitor",
        "clzero", "monitor",  "enqcmd",   "movdir64b", "invpcid", NULL};
    static const char *const both[] = {"xchg", "xadd", "mulx", NULL};
    const char *last = parts->count ? parts->operand[parts->count - 1] : "";
    unnamed(places, parts);
    if (is_one_of(parts->text, reading) || !parts->count)
        return;
    bool held = holds(places, last) || (places->changes > 0 && *last == '%');
    if (same_family(family_of(last), places->counter) && held &&
        (parts->count == 1 || !same_family(family_of(parts->operand[0]), places->counter) ||
         canonical_is(parts->text, "xchg")))
        change(places, parts->text);
    else if (!is_memory(last))
        set(places, last, false);
    const char *before = parts->count > 1 ? parts->operand[parts->count - 2] : last;
    if (is_one_of(parts->text, both) && !is_memory(before) &&
        !same_family(family_of(before), family_of(last)))
        set(places, before, false);
}

static void exchange(struct places *places, const struct parts *parts) {
    const char *a = parts->operand[0], *b = parts->operand[1];
    bool in_a = holds(places, a), in_b = holds(places, b);
    set(places, a, in_b);
    set(places, b, in_a);
}

static void step_over(struct places *places, const char *text) {
    static const char *const moves[] = {"mov",   "movabs", "movd",   "vmovd", "vmov",
                                        "kmovd", "kmov",   "movnti", NULL};
    struct parts parts;
    take_apart(text, &parts);
    bool intact = places->changes == 0; // else the counter's register holds something else
    const char *first = parts.count ? parts.operand[0] : "";
    bool held = holds(places, first) && (intact || !same_family(family_of(first), places->counter));
    if (canonical_is(text, "xchg") && parts.count == 2 && !strcmp(first, parts.operand[1]))
        return; // a nop
    if (parts.count == 2 && is_one_of(text, moves))
        set(places, parts.operand[1], held);
    else if (canonical_is(text, "push"))
        places->memory |= held;
    else if (canonical_is(text, "pop") && parts.count == 1)
        set(places, first, places->memory);
    else if (canonical_is(text, "xchg") && parts.count == 2 && intact &&
             !same_family(family_of(first), family_of(parts.operand[1])))
        exchange(places, &parts);
    else
        clobber(places, &parts);
}

bool counter_is_step(const char *canonical) {
    return strcmp(canonical, "dec %eax") == 0 || strcmp(canonical, "dec %r15") == 0 ||
           strncmp(canonical, "decq 0x", 7) == 0;
}

// The first instruction that writes a counter in memory by its address; NULL: none.
static const struct instruction *writer_of_memory(const struct instruction *body, size_t count,
                                                  const char *counter) {
    static const char *const writing[] = {"mov", "movnti", "add", "sub",  "adc", "sbb",
                                          "and", "or",     "xor", "inc",  "dec", "neg",
                                          "not", "xchg",   "pop", "xadd", NULL};
    for (size_t i = 0; i < count; i++) {
        struct parts parts;
        take_apart(body[i].text, &parts);
        if (parts.count && !strcmp(parts.operand[parts.count - 1], counter) &&
            is_one_of(body[i].text, writing))
            return &body[i];
    }
    return NULL;
}

enum counter_use counter_use(const struct instruction *body, size_t count, const char *step,
                             const struct instruction **writer) {
    struct parts parts;
    take_apart(step, &parts);
    struct places places = {.counter = family_of(parts.count ? parts.operand[0] : "")};
    const char *counter = parts.count ? parts.operand[0] : "";
    bool held = true;
    *writer = NULL;
    if (!*places.counter.name) { // in memory
        *writer = writer_of_memory(body, count, counter);
        return *writer == NULL ? COUNTER_KEPT : COUNTER_LOST;
    }
    set(&places, counter, true);
    for (size_t i = 0; i < count; i++) {
        step_over(&places, body[i].text);
        bool now = holds(&places, counter) && !places.changes;
        if (held && !now)
            *writer = &body[i];
        held = now;
    }
    return *writer == NULL ? COUNTER_KEPT : held ? COUNTER_PUT_BACK : COUNTER_LOST;
}
