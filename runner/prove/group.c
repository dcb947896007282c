// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/group.h"

#include "common/memory.h"
#include "common/registers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORM = 2 * CANONICAL_SIZE, MOST = 1000000, OPERANDS = 8 };

// An instruction of the body: one for each text.
struct kind {
    char text[CANONICAL_SIZE], form[FORM];
    long count;
};

struct body {
    struct kind *kind;
    size_t count;
};

static size_t operands_length(const char *text) {
    size_t length = 0;
    for (int depth = 0; text[length]; length++) {
        if (depth == 0 && (text[length] == ';' || text[length] == ')'))
            break;
        depth += (text[length] == '(') - (text[length] == ')');
    }
    return length;
}

// Words with one space between, no space at a comma.
static void normal_text(const char *text, size_t length, char *out) {
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < CANONICAL_SIZE; i++) {
        bool space = isspace((unsigned char)text[i]);
        if (space && (used == 0 || out[used - 1] == ' ' || out[used - 1] == ','))
            continue;
        if (text[i] == ',' && used && out[used - 1] == ' ')
            used--;
        out[used++] = space ? ' ' : text[i];
    }
    while (used && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
}

// The items at *at, up to the end or the parenthesis that closes them.
static int read_items(const char **at, long times, bool enclosed, struct group *group) {
    while (*(*at += strspn(*at, "; \t"))) {
        size_t digits = strspn(*at, "0123456789");
        size_t star = digits + strspn(*at + digits, " ");
        long count = times;
        if (digits && (*at)[star] == '*') {
            count = digits < 8 ? times * strtol(*at, NULL, 10) : MOST + 1;
            *at += star + 1;
            *at += strspn(*at, " \t");
        }
        if (count > MOST)
            return -1;
        if (**at == ')')
            return ++*at, enclosed ? 0 : -1;
        if (**at == '(') {
            ++*at;
            if (read_items(at, count, true, group))
                return -1;
            continue;
        }
        struct group_item item = {.at = *at, .length = operands_length(*at), .count = count};
        while (item.length && item.at[item.length - 1] == ' ')
            item.length--;
        if (item.length == 0 || item.length >= CANONICAL_SIZE)
            return -1;
        normal_text(item.at, item.length, item.text);
        group->item = memory_more(group->item, group->count, sizeof item);
        group->item[group->count++] = item;
        *at += operands_length(*at);
    }
    return enclosed ? -1 : 0;
}

int group_read(const char *text, struct group *group) {
    *group = (struct group){.text = text};
    return read_items(&text, 1, false, group) || !group->count ? -1 : 0;
}

void group_free(struct group *group) {
    free(group->item);
    *group = (struct group){0};
}

// An operand's kind.
static void add_operand(const char *operand, size_t length, const char *const *before, size_t count,
                        char *form) {
    size_t used = strlen(form), name = 1, same = 0;
    const char *kind = NULL;
    while (name < length && isalnum((unsigned char)operand[name]))
        name++;
    if (*operand == '%' && !(name < length && operand[name] == ':'))
        kind = register_kind(operand + 1, name - 1);
    while (
        kind && same < count && // %xmm1 is not the beginning of %xmm14
        (strncmp(before[same], operand, name) != 0 || isalnum((unsigned char)before[same][name])))
        same++;
    if (*operand == '$')
        snprintf(form + used, FORM - used, "$");
    else if (kind && same < count) // a chain, maybe: the same register again
        snprintf(form + used, FORM - used, "%s=%zu%.*s", kind, same, (int)(length - name),
                 operand + name);
    else if (kind)
        snprintf(form + used, FORM - used, "%s%.*s", kind, (int)(length - name), operand + name);
    else if (*operand == '%' && !memchr(operand, ':', length))
        snprintf(form + used, FORM - used, "%.*s", (int)length, operand);
    else
        snprintf(form + used, FORM - used, "%sm", *operand == '*' ? "*" : "");
}

// "mov 0x8(%rbx),%rdx" is "mov m,r64".
static void form_of(const char *text, char *form) {
    const char *before[OPERANDS] = {0}, *at = text + canonical_mnemonic(text);
    size_t count = 0;
    snprintf(form, FORM, "%.*s ", (int)(at - text), text);
    for (at += strspn(at, " "); *at && count < OPERANDS; count++) {
        size_t length = 0;
        for (int depth = 0; at[length] && (depth || at[length] != ','); length++)
            depth += (at[length] == '(') - (at[length] == ')');
        add_operand(at, length, before, count, form);
        before[count] = at;
        at += length;
        if (*at == ',') {
            snprintf(form + strlen(form), FORM - strlen(form), ",");
            at++;
        }
    }
}

// The instructions of the body, without the two of the loop itself, which stand last.
static struct body read_body(const char *order) {
    struct body body = {0};
    size_t last = 0, before = 0;
    for (size_t length; *order; order += length + 2 * (order[length] == ';')) {
        struct kind kind = {.count = 1};
        size_t digits = strspn(order, "0123456789"), k = 0;
        if (digits && order[digits] == '*') {
            kind.count = strtol(order, NULL, 10);
            order += digits + 1;
        }
        length = strcspn(order, ";");
        snprintf(kind.text, sizeof kind.text, "%.*s", (int)length, order);
        form_of(kind.text, kind.form);
        while (k < body.count && strcmp(body.kind[k].text, kind.text) != 0)
            k++;
        if (k < body.count) {
            body.kind[k].count += kind.count;
        } else {
            body.kind = memory_more(body.kind, body.count, sizeof kind);
            body.kind[body.count++] = kind;
        }
        before = last;
        last = k;
    }
    if (body.count) {
        body.kind[last].count--;
        body.kind[before].count--;
    }
    return body;
}

static bool has_mnemonic(const char *text, const char *name) {
    size_t length = canonical_mnemonic(text);
    return strlen(name) == length && !memcmp(text, name, length);
}

static const struct kind *kind_of_mnemonic(const struct body *body, const char *name) {
    for (size_t k = 0; k < body->count; k++)
        if (body->kind[k].count > 0 && has_mnemonic(body->kind[k].text, name))
            return &body->kind[k];
    return NULL;
}

// What an item of a group is in one syntax.
struct meant {
    char text[CANONICAL_SIZE], form[FORM]; // form "": the mnemonic alone, with any operands
};

// A mnemonic alone, or a jump, whose target is no part of its text. "": it is something else.
static void bare_name(const struct group_item *item, char *name) {
    canonical_text(item->text, strlen(item->text), name);
    if (name[canonical_mnemonic(name)])
        *name = '\0';
}

static bool has_form(const struct body *body, const char *reading) {
    char form[FORM];
    form_of(reading, form);
    for (size_t k = 0; k < body->count; k++)
        if (body->kind[k].count > 0 && strcmp(body->kind[k].form, form) == 0)
            return true;
    return false;
}

static bool understand(const struct group_item *item, enum syntax syntax, const struct body *body,
                       struct meant *meant) {
    const char *reading = item->reading.text[syntax];
    bare_name(item, meant->text);
    meant->form[0] = '\0';
    if (*meant->text && kind_of_mnemonic(body, meant->text))
        return true;
    // "stosq" has operands of its own, and is a "stos" with others than "stosb".
    if (*item->alias && !has_form(body, reading)) {
        snprintf(meant->text, sizeof meant->text, "%s", item->alias);
        return true;
    }
    if (!*reading)
        return false;
    snprintf(meant->text, sizeof meant->text, "%s", reading);
    form_of(meant->text, meant->form);
    return true;
}

// How often one copy of the group has what this item has: its form, its text, its mnemonic.
static long in_group(const struct group *group, const struct meant *meant, size_t at, bool exact) {
    long count = 0;
    for (size_t i = 0; i < group->count; i++)
        if (exact || !*meant[at].form
                ? !strcmp(meant[i].text, meant[at].text) && !*meant[i].form == !*meant[at].form
                : !strcmp(meant[i].form, meant[at].form))
            count += group->item[i].count;
    return count;
}

static bool taken_by_form(const struct group *group, const struct meant *meant, const char *form) {
    for (size_t i = 0; i < group->count; i++)
        if (!strcmp(meant[i].form, form))
            return true;
    return false;
}

static bool is_held(const struct group *group, const struct meant *meant, size_t at,
                    const struct body *body, long copies, long *found) {
    long exactly = 0, odd = 0;
    *found = 0;
    for (size_t k = 0; k < body->count; k++) {
        const struct kind *kind = &body->kind[k];
        bool bare = !*meant[at].form;
        if (!bare && !strcmp(kind->text, meant[at].text))
            exactly += kind->count;
        if (bare ? has_mnemonic(kind->text, meant[at].text) &&
                       !taken_by_form(group, meant, kind->form)
                 : !strcmp(kind->form, meant[at].form))
            *found += kind->count;
    }
    for (size_t k = 0; k < body->count && !*meant[at].form; k++) {
        long same = 0; // of this kind of operands: in each copy as often as in the next
        for (size_t other = 0; other < body->count; other++)
            if (!strcmp(body->kind[k].form, body->kind[other].form))
                same += body->kind[other].count;
        odd |= has_mnemonic(body->kind[k].text, meant[at].text) ? same % copies : 0;
    }
    if (*found == copies * in_group(group, meant, at, false))
        return !odd;
    return *meant[at].form && exactly == copies * in_group(group, meant, at, true);
}

static char *not_held(const struct group_item *item, const struct meant *meant,
                      const struct body *body, long copies, long wanted, long found) {
    char *text;
    size_t size;
    const char *between = "";
    if (found != copies * wanted)
        return text_make("'%s' stands %ld times in the body, and not %ld times (groups = %ld)",
                         item->text, found, copies * wanted, copies);
    FILE *stream = text_open(&text, &size);
    fprintf(stream, "'%s' stands for operands of several kinds: ", item->text);
    for (size_t k = 0, told = 0; k < body->count && told < 3; k++)
        if (body->kind[k].count > 0 && has_mnemonic(body->kind[k].text, meant->text)) {
            fprintf(stream, "%s%ld*%s", between, body->kind[k].count, body->kind[k].text);
            between = ", ";
            told++;
        }
    text_close(stream);
    return text;
}

// The group with each item as the disassembly spells it; as it is written, where that is so.
static char *spell(const struct group *group, const struct meant *meant, enum syntax syntax,
                   const struct body *body) {
    char *text;
    size_t size;
    FILE *stream = text_open(&text, &size);
    const char *at = group->text;
    for (size_t i = 0; i < group->count; i++) {
        const struct group_item *item = &group->item[i];
        size_t length = canonical_mnemonic(meant[i].text);
        const char *spelt = meant[i].text;
        for (size_t k = body->count; k-- > 0 && *meant[i].form;)
            if (!strcmp(body->kind[k].form, meant[i].form))
                spelt = body->kind[k].text;
        bool as_is = syntax == SYNTAX_ATT && canonical_mnemonic(item->text) == length &&
                     !memcmp(item->text, meant[i].text, length);
        fwrite(at, 1, (size_t)(item->at - at), stream);
        fprintf(stream, "%.*s", as_is ? (int)item->length : (int)strlen(spelt),
                as_is ? item->at : spelt);
        at = item->at + item->length;
    }
    fputs(at, stream);
    text_close(stream);
    return text;
}

static char *compare(const struct group *group, const struct body *body, long copies,
                     enum syntax syntax, struct meant *meant, char **spelt) {
    long found;
    for (size_t i = 0; i < group->count; i++)
        if (!understand(&group->item[i], syntax, body, &meant[i]))
            return text_make("'%s' is no instruction that the assembler takes and the body holds",
                             group->item[i].text);
    for (size_t i = 0; i < group->count; i++)
        if (!is_held(group, meant, i, body, copies, &found))
            return not_held(&group->item[i], &meant[i], body, copies,
                            in_group(group, meant, i, false), found);
    *spelt = spell(group, meant, syntax, body);
    return NULL;
}

char *group_compare(const struct group *group, const char *order, long copies, char **spelt) {
    struct body body = read_body(order);
    struct meant *meant = memory_zero(group->count, sizeof *meant);
    *spelt = NULL;
    char *wrong = compare(group, &body, copies, SYNTAX_ATT, meant, spelt);
    if (wrong) {
        char *other = compare(group, &body, copies, SYNTAX_INTEL, meant, spelt);
        if (!other) {
            free(wrong);
            wrong = NULL;
        }
        free(other);
    }
    free(meant);
    free(body.kind);
    return wrong;
}

size_t group_aliases(const struct group_item *item, const char *order, char ***texts) {
    static const char *const suffixes[] = {"", "b", "w", "l", "q"};
    struct body body = read_body(order);
    char name[CANONICAL_SIZE];
    size_t count = 0;
    bare_name(item, name);
    *texts = NULL;
    for (size_t k = 0; *name && !kind_of_mnemonic(&body, name) && k < body.count && k < 64; k++)
        for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++) {
            const char *text = body.kind[k].text;
            *texts = memory_more(*texts, count, sizeof **texts);
            (*texts)[count++] =
                text_make("%s%s%s", item->text, suffixes[s], text + canonical_mnemonic(text));
        }
    free(body.kind);
    return count;
}

bool group_alias_fits(const char *reading, const char *order) {
    struct body body = read_body(order);
    bool fits = false;
    for (size_t k = 0; k < body.count && !fits; k++)
        fits = body.kind[k].count > 0 && strcmp(body.kind[k].text, reading) == 0;
    free(body.kind);
    return fits;
}
