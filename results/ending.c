// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/ending.h"

#include "common/journal.h"

#include <stdio.h>
#include <string.h>

// How many executions a variant has: "3 executions a variant", "2 to 3 ...". Blocks are executed
// one after the other, each a round of all variants; those beyond the planned number hold only
// some.
static void print_executions(const struct journal *journal, char *text, size_t size) {
    const struct journal_line *lines = journal->lines;
    const struct journal_line *last = journal->count > 0 ? &lines[journal->count - 1] : NULL;
    long here = 0, before = 0; // executions in the last block, and in the one before it
    for (size_t i = 0; i < journal->count; i++) {
        here += lines[i].core == last->core && lines[i].block == last->block;
        before += lines[i].core == last->core && lines[i].block == last->block - 1;
    }
    long most = last != NULL ? last->block + 1 : 0;
    // The first block has none before it that tells how many variants there are.
    long least = most > 1 && here >= before ? most : most - 1;
    if (most <= 0)
        snprintf(text, size, "no execution");
    else if (least <= 0)
        snprintf(text, size, "at most 1 execution a variant");
    else if (least < most)
        snprintf(text, size, "%ld to %ld executions a variant", least, most);
    else
        snprintf(text, size, "%ld executions a variant", most);
}

void ending_unfinished(const char *folder, char *text) {
    struct journal journal;
    struct error ignored;
    char executions[80];
    text[0] = '\0';
    if (journal_read(folder, false, &journal, &ignored) != 0)
        return;
    const char *how =
        strcmp(journal.end, "budget") == 0 ? "ended by its time budget" : "interrupted";
    long long planned = journal.settings.blocks;
    print_executions(&journal, executions, sizeof executions);
    if (strcmp(journal.end, "complete") == 0)
        text[0] = '\0';
    else if (planned <= 0) // a journal without settings
        snprintf(text, ENDING_TEXT, "%s", how);
    else if (journal.count > 0 && journal.lines[journal.count - 1].block >= planned)
        snprintf(text, ENDING_TEXT,
                 "%s: the %lld planned executions a variant, but not all further ones", how,
                 planned);
    else
        snprintf(text, ENDING_TEXT, "%s: %s of %lld planned", how, executions, planned);
    journal_free(&journal);
}

void ending_remedy(const char *folder, char *text, size_t size) {
    snprintf(text, size, "./asmsweep run --resume -o %s resumes it", folder);
}
