// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/groups.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Texts that the assembler is asked of, each once: sorted after texts_sort.
struct texts {
    char **text;
    struct reading *reading;
    size_t count;
};

static void add(struct texts *texts, char *text) {
    texts->text = memory_more(texts->text, texts->count, sizeof *texts->text);
    texts->text[texts->count++] = text;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int ask(struct texts *texts, const struct tools *tools, const char *folder,
               struct error *error) {
    size_t kept = 0;
    if (!texts->count)
        return 0;
    qsort(texts->text, texts->count, sizeof *texts->text, by_text);
    for (size_t i = 0; i < texts->count; i++)
        if (kept && !strcmp(texts->text[kept - 1], texts->text[i]))
            free(texts->text[i]);
        else
            texts->text[kept++] = texts->text[i];
    texts->count = kept;
    texts->reading = memory_zero(kept, sizeof *texts->reading);
    return tools_read(tools, folder, (const char *const *)texts->text, kept, texts->reading, error);
}

static const struct reading *reading_of(const struct texts *texts, const char *text) {
    char **found = bsearch(&text, texts->text, texts->count, sizeof *texts->text, by_text);
    return &texts->reading[found - texts->text];
}

static void texts_free(struct texts *texts) {
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
    free(texts->reading);
}

// No assembler for programs of the CPU knows the words of a program of the kernel, which is told as
// its JIT makes it: its group is spelt like that.
static bool is_of_kernel(const struct variants_row *plan) {
    return !strcmp(plan->target, "bpf");
}

static void collect(const struct group *group, const char *order, struct texts *texts) {
    for (size_t i = 0; i < group->count; i++) {
        char **alias;
        size_t aliases = group_aliases(&group->item[i], order, &alias);
        add(texts, text_make("%s", group->item[i].text));
        for (size_t k = 0; k < aliases; k++)
            add(texts, alias[k]);
        free(alias);
    }
}

static void answer(struct group *group, const char *order, const struct texts *texts) {
    for (size_t i = 0; i < group->count; i++) {
        struct group_item *item = &group->item[i];
        char **alias;
        size_t aliases = group_aliases(item, order, &alias);
        item->reading = *reading_of(texts, item->text);
        for (size_t k = 0; k < aliases; k++) {
            const char *reading = reading_of(texts, alias[k])->text[SYNTAX_ATT];
            if (!*item->alias && *reading && group_alias_fits(reading, order))
                memcpy(item->alias, reading, canonical_mnemonic(reading));
            free(alias[k]);
        }
        free(alias);
    }
}

static void answer_as_spelt(struct group *group) {
    for (size_t i = 0; i < group->count; i++)
        memcpy(group->item[i].reading.text[SYNTAX_ATT], group->item[i].text, CANONICAL_SIZE);
}

// Is there a group, and a body to compare it with? The empty loop's is a name.
static bool is_comparable(const struct variants_row *plan, const struct proof_row *row) {
    const char *first = strchr(row->order_found, ';');
    return *plan->group && plan->groups >= 1 && first && strchr(first + 1, ';');
}

static void compare(const struct variants_row *plan, const struct group *group, struct proof *proof,
                    struct proof_row *row) {
    char *spelt = NULL;
    char *wrong = group->count ? group_compare(group, row->order_found, (long)plan->groups, &spelt)
                               : text_make("'%s' is no list of instructions", plan->group);
    // The loop's name, where no group is given: a word, unless it says how often it is there.
    bool is_word = !strcmp(plan->group, plan->family) && plan->groups == 1;
    if (spelt)
        row->group = rows_own(&proof->rows, spelt);
    if (wrong && !is_word)
        proof_mend(proof, row, "group", text_make("group: %s", wrong));
    free(wrong);
}

int groups_check(const struct tools *tools, const char *folder, const struct rows *plan,
                 struct proof *proof, struct error *error) {
    const struct variants_row *variant = plan->row;
    struct group *group = memory_zero(plan->count, sizeof *group);
    struct texts texts = {0};
    for (size_t i = 0; i < plan->count; i++) {
        if (!is_comparable(&variant[i], &proof->row[i]))
            continue;
        if (group_read(variant[i].group, &group[i]))
            group_free(&group[i]);
        if (!is_of_kernel(&variant[i]))
            collect(&group[i], proof->row[i].order_found, &texts);
    }
    int failed = ask(&texts, tools, folder, error);
    for (size_t i = 0; i < plan->count; i++) {
        if (!failed && is_comparable(&variant[i], &proof->row[i])) {
            if (is_of_kernel(&variant[i]))
                answer_as_spelt(&group[i]);
            else
                answer(&group[i], proof->row[i].order_found, &texts);
            compare(&variant[i], &group[i], proof, &proof->row[i]);
        }
        group_free(&group[i]);
    }
    free(group);
    texts_free(&texts);
    return failed;
}
