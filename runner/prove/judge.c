// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/judge.h"

#include "runner/prove/canonical.h"
#include "runner/prove/counter.h"
#include "runner/prove/retired.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct judge_ring judge_rings[JUDGE_RINGS] = {{0, COLUMN_proof_retired_cpl0},
                                                    {3, COLUMN_proof_retired_cpl3}};

int judge_forget(struct proof_row *row) {
    char *rest = strdup(proof_cell(row, COLUMN_proof_detail));
    char *ours = rest ? strstr(rest, JUDGE_OURS) : NULL;
    int failed = !rest;
    if (ours) { // always the last words: disassemble writes its own anew
        *ours = '\0';
        size_t length = strlen(rest);
        if (length >= 2 && !strcmp(rest + length - 2, "; "))
            rest[length - 2] = '\0';
        failed |= proof_set(row, COLUMN_proof_detail, "%s", rest);
        if (!*rest || !strcmp(rest, COUNTER_HINT))
            failed |= proof_set(row, COLUMN_proof_status, "ok");
    }
    for (int i = 0; i < JUDGE_RINGS; i++)
        failed |= proof_set(row, judge_rings[i].column, "%s", "");
    free(rest);
    return failed;
}

int judge_uncounted(struct proof_row *row, int ring, const char *why) {
    return proof_notes(row, JUDGE_OURS "CPL%d: %s", ring, why);
}

// What a mix says of the number of instructions that one iteration retires.
struct straight {
    int64_t count;       // of all instructions of the loop
    int has_rep, branch; // string instructions that repeat; jumps beside the loop's own
};

static struct straight read_mix(const char *mix) {
    struct straight found = {.branch = -1}; // the loop's own jnz is in the mix
    while (*mix) {
        char *name;
        long long count = strtoll(mix, &name, 10);
        name += *name == '*';
        found.count += count;
        found.has_rep |= !strncmp(name, "rep", 3);
        if (canonical_is_jump(name))
            found.branch += (int)count;
        mix = name + strcspn(name, "+");
        mix += *mix == '+';
    }
    return found;
}

// One ring's count against a number; `where` says whose number it is.
static int compare(struct proof_row *row, int ring, int64_t found, int64_t expected,
                   const char *where) {
    char found_text[24], expected_text[24], off[24];
    if (found == expected)
        return 0;
    retired_text(found, found_text);
    retired_text(expected, expected_text);
    retired_text(found > expected ? found - expected : expected - found, off);
    return proof_differs(row, JUDGE_OURS "CPL%d retires %s an iteration, %s %s: %s too %s", ring,
                         found_text, where, expected_text, off, found > expected ? "many" : "few");
}

static int compare_claim(struct proof_row *row, int ring, int64_t found, const char *claimed) {
    int64_t expected;
    if (retired_parse(claimed, &expected))
        return proof_differs(row,
                             JUDGE_OURS "CPL%d: retired_expected '%s' is no number of at most "
                                        "three decimals",
                             ring, claimed);
    return compare(row, ring, found, expected, "claimed are");
}

// Nothing is claimed, or nothing can be compared: the count itself is told.
static int tell(struct proof_row *row, const int64_t *counts, int rings, const char *why) {
    char text[2][24];
    for (int i = 0; i < rings; i++)
        retired_text(counts[i], text[i]);
    if (rings == 2 && counts[0] >= 0 && counts[1] >= 0 && counts[0] != counts[1])
        return proof_differs(row, JUDGE_OURS "CPL0 retires %s an iteration, CPL3 %s", text[0],
                             text[1]);
    int counted = counts[0] >= 0 ? 0 : rings - 1;
    if (counts[counted] < 0)
        return 0;
    return proof_notes(row, JUDGE_OURS "retired %s an iteration; %s", text[counted], why);
}

int judge_counts(struct proof_row *row, const int64_t *counts, int rings) {
    const char *claimed = proof_cell(row, COLUMN_proof_retired_expected);
    struct straight loop = read_mix(proof_cell(row, COLUMN_proof_mix_found));
    int failed = 0;
    for (int i = 0; i < rings; i++) {
        char text[24];
        if (counts[i] < 0)
            continue;
        retired_text(counts[i], text);
        failed |= proof_set(row, judge_rings[i].column, "%s", text);
        if (loop.has_rep)
            continue;
        if (*claimed)
            failed |= compare_claim(row, judge_rings[i].ring, counts[i], claimed);
        else if (!loop.branch)
            failed |=
                compare(row, judge_rings[i].ring, counts[i], loop.count * 1000, "the loop has");
    }
    if (loop.has_rep)
        failed |= tell(row, counts, rings, "the emulator counts each step of a rep");
    else if (!*claimed)
        failed |= tell(row, counts, rings, "nothing was claimed");
    return failed;
}
