// SPDX-License-Identifier: GPL-3.0-or-later
// A judge of loops, slow and simple: the variant's run-time with this in place of its stopwatch. It
// runs the loop for half a millisecond, in turn with the add chain and the width loop. No value is
// a difference of two runs: what entry and exit cost is a part in ten thousand.
#include "templates/variant/output.h"
#include "templates/variant/variant.h"

enum { STANDARD_OUTPUT = 1, PIECE = 600000, REFERENCE = 100000, TRIES = 300 };

static uint64_t best(uint32_t count, const char *loop) {
    uint64_t least = UINT64_MAX;
    for (int try = 0; try < 5; try++) {
        uint64_t ticks = timed_call(count, loop);
        least = ticks < least ? ticks : least;
    }
    return least;
}

// Iterations that take about `ticks`.
static uint32_t iterations(uint64_t ticks, const char *loop) {
    uint32_t n = 1;
    while (n < 1U << 30 && best(n, loop) < ticks)
        n *= 2;
    return n;
}

// A moment without a neighbour, if one comes.
static void wait_for_quiet(uint32_t narrow) {
    static uint64_t least = UINT64_MAX;
    for (int try = 0; try < TRIES; try++) {
        uint64_t ticks = timed_call(narrow, width);
        least = ticks < least ? ticks : least;
        if (ticks < least + least / 16)
            return;
    }
}

static void put(uint64_t number) {
    put_text(" ");
    put_number(number);
}

// "p interrupted width width add add loop", in ticks, behind "judge iterations of each".
void stopwatch(uint64_t pieces, uint64_t patience) {
    (void)patience;
    uint32_t add = iterations(REFERENCE, chain_add), narrow = iterations(REFERENCE / 8, width),
             loop = iterations(PIECE, loop_setup);
    put_text("judge");
    put(narrow);
    put(add);
    put(loop);
    put_text("\n");
    for (uint64_t piece = 0; piece < pieces; piece++) {
        uint64_t ticks[5];
        uint32_t interrupted = 0;
        const char *const loops[5] = {chain_add, width, loop_setup, width, chain_add};
        const uint32_t counts[5] = {add, narrow, loop, narrow, add};
        wait_for_quiet(narrow);
        for (int i = 0; i < 5; i++) {
            ticks[i] = timed_call(counts[i], loops[i]);
            interrupted |= was_interrupted;
        }
        put_text("p");
        put(interrupted);
        for (int i = 0; i < 5; i++)
            put(ticks[i]);
        put_text("\n");
        put_flush_if_full(STANDARD_OUTPUT);
    }
}
