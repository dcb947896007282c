// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/judge.h"

#include "runner/disassemble/instruction.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 1000, LARGEST = 1000000000 }; // thousandths; instructions in an iteration

const char *retired_argument(int run) {
    // As many digits in both, so that reading and printing them costs the same.
    return run % 2 ? "2000" : "1000";
}

int retired_parse(const char *text, int64_t *thousandths) {
    int64_t whole = 0, part = 0;
    int digits = 0;
    for (; *text >= '0' && *text <= '9' && whole < LARGEST; text++, digits++)
        whole = whole * 10 + (*text - '0');
    if (!digits)
        return -1;
    if (*text == '.') {
        text++;
        for (int scale = PART / 10; *text >= '0' && *text <= '9'; text++, scale /= 10) {
            if (scale == 0 && *text != '0')
                return -1; // finer than can be counted
            part += (*text - '0') * scale;
        }
    }
    *thousandths = whole * PART + part;
    return *text ? -1 : 0;
}

// As a number to print with %.15g: exact, without trailing zeros.
static double whole(int64_t thousandths) {
    return (double)thousandths / PART;
}

// Nonzero unless the run ended well and printed its own end mark.
static int run_bad(const struct guest_result *result, const char *argument, char *why,
                   size_t size) {
    char mark[32];
    snprintf(mark, sizeof mark, "end %s\n", argument);
    const char *output = result->output ? result->output : "";
    if (result->end != GUEST_EXITED)
        snprintf(why, size, "%s", result->detail[0] ? result->detail : "it did not run");
    else if (result->exit_status)
        snprintf(why, size, "exit status %d, output '%.*s'", result->exit_status,
                 (int)strcspn(output, "\n"), output);
    else if (strcmp(output, mark))
        snprintf(why, size, "no end mark for %s iterations", argument);
    else
        return 0;
    return 1;
}

int retired_count(const struct guest_result *results, int64_t *thousandths, char *why,
                  size_t size) {
    int64_t ticks_of[2] = {0, 0};
    for (int run = 0; run < RETIRED_RUNS; run++) {
        if (run_bad(&results[run], retired_argument(run), why, size))
            return -1;
        int64_t ticks = (int64_t)results[run].ticks;
        if (run >= 2 && ticks != (int64_t)results[run % 2].ticks) {
            snprintf(why, size, "two runs of %s iterations retired %" PRIu64 " and %" PRIu64,
                     retired_argument(run), results[run % 2].ticks, results[run].ticks);
            return -1;
        }
        ticks_of[run % 2] = ticks;
    }
    *thousandths = (ticks_of[1] - ticks_of[0]) * PART / RETIRED_N;
    return 0;
}

const int judge_rings[JUDGE_RINGS] = {0, 3};

void judge_forget(struct proof_row *row) {
    row->detail = row->disassembly;
    if (!*row->detail)
        row->status = "ok";
    row->retired_cpl0 = row->retired_cpl3 = "";
}

void judge_uncounted(struct proof *proof, struct proof_row *row, int ring, const char *why) {
    proof_notes(proof, row, text_make(JUDGE_OURS "CPL%d: %s", ring, why));
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
static void compare(struct proof *proof, struct proof_row *row, int ring, int64_t found,
                    int64_t expected, const char *where) {
    if (found != expected)
        proof_differs(proof, row,
                      text_make(JUDGE_OURS
                                "CPL%d retires %.15g an iteration, %s %.15g: %.15g too %s",
                                ring, whole(found), where, whole(expected),
                                whole(llabs(found - expected)), found > expected ? "many" : "few"));
}

static void compare_claim(struct proof *proof, struct proof_row *row, int ring, int64_t found) {
    int64_t expected;
    if (retired_parse(row->retired_expected, &expected))
        proof_differs(proof, row,
                      text_make(JUDGE_OURS "CPL%d: retired_expected '%s' is no number of at "
                                           "most three decimals",
                                ring, row->retired_expected));
    else
        compare(proof, row, ring, found, expected, "claimed are");
}

// Nothing is claimed, or nothing can be compared: the count itself is told.
static void tell(struct proof *proof, struct proof_row *row, const int64_t *counts, int rings,
                 const char *why) {
    int64_t counted = counts[0] >= 0 ? counts[0] : counts[rings - 1];
    if (rings == 2 && counts[0] >= 0 && counts[1] >= 0 && counts[0] != counts[1])
        proof_differs(proof, row,
                      text_make(JUDGE_OURS "CPL0 retires %.15g an iteration, CPL3 %.15g",
                                whole(counts[0]), whole(counts[1])));
    else if (counted >= 0)
        proof_notes(proof, row,
                    text_make(JUDGE_OURS "retired %.15g an iteration; %s", whole(counted), why));
}

void judge_counts(struct proof *proof, struct proof_row *row, const int64_t *counts, int rings) {
    const char *claimed = row->retired_expected;
    const char **cells[JUDGE_RINGS] = {&row->retired_cpl0, &row->retired_cpl3};
    struct straight loop = read_mix(row->mix_found);
    for (int i = 0; i < rings; i++) {
        if (counts[i] < 0)
            continue;
        *cells[i] = rows_own(&proof->rows, text_make("%.15g", whole(counts[i])));
        if (!loop.has_rep && *claimed)
            compare_claim(proof, row, judge_rings[i], counts[i]);
        else if (!loop.has_rep && !loop.branch)
            compare(proof, row, judge_rings[i], counts[i], loop.count * PART, "the loop has");
    }
    if (loop.has_rep)
        tell(proof, row, counts, rings, "the emulator counts each step of a rep");
    else if (!*claimed)
        tell(proof, row, counts, rings, "nothing was claimed");
}
