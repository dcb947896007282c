// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/ending.h"

#include <stdio.h>
#include <string.h>

// What the journal has to say. Blocks are executed one after the other, each a round of all
// variants; those beyond the planned number hold only some of them.
struct journal {
    long planned;      // blocks
    long core, block;  // of the last line; -1: none
    long here, before; // executions in that block, and in the one before it
    char end[16];      // complete, budget, "": none
};

static void take_line(const char *line, struct journal *journal) {
    long core, block;
    if (sscanf(line, "done %ld %ld ", &core, &block) == 2) {
        if (core != journal->core || block != journal->block) {
            journal->before = core == journal->core ? journal->here : 0;
            journal->here = 0;
        }
        journal->core = core;
        journal->block = block;
        journal->here++;
    } else if (journal->core < 0) {
        sscanf(line, "blocks %ld", &journal->planned);
    }
    if (sscanf(line, "end %15s", journal->end) != 1)
        journal->end[0] = '\0';
}

// 0, or -1 if there is none.
static int read_journal(const char *folder, struct journal *journal) {
    char line[5000];
    *journal = (struct journal){.core = -1, .block = -1};
    snprintf(line, sizeof line, "%s/journal", folder);
    FILE *stream = fopen(line, "re");
    if (stream == NULL)
        return -1;
    while (fgets(line, sizeof line, stream) != NULL)
        take_line(line, journal);
    fclose(stream);
    return 0;
}

// How many executions a variant has: "3 executions a variant", "2 to 3 ...".
static void print_executions(const struct journal *journal, char *text, size_t size) {
    long most = journal->block + 1;
    // The first block has none before it that tells how many variants there are.
    long least = journal->block > 0 && journal->here >= journal->before ? most : journal->block;
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
    char executions[80];
    text[0] = '\0';
    if (read_journal(folder, &journal) != 0 || strcmp(journal.end, "complete") == 0)
        return;
    const char *how =
        strcmp(journal.end, "budget") == 0 ? "ended by its time budget" : "interrupted";
    print_executions(&journal, executions, sizeof executions);
    if (journal.planned <= 0) // a journal without settings
        snprintf(text, ENDING_TEXT, "%s", how);
    else if (journal.block >= journal.planned)
        snprintf(text, ENDING_TEXT,
                 "%s: the %ld planned executions a variant, but not all further ones", how,
                 journal.planned);
    else
        snprintf(text, ENDING_TEXT, "%s: %s of %ld planned", how, executions, journal.planned);
}

void ending_remedy(const char *folder, char *text, size_t size) {
    snprintf(text, size, "./asmsweep run --resume -o %s resumes it", folder);
}
