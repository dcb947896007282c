// SPDX-License-Identifier: GPL-3.0-or-later
// variant run-time: the stopwatch. It times and prints; what the numbers mean, and which of them
// count, is decided by who reads them (runner/estimate).
#include "output.h"
#include "subnormal.h"
#include "traps.h"
#include "variant.h"

enum { STANDARD_OUTPUT = 1, MOST_ITERATIONS = 1 << 30 };

// A timed segment of 4096 cycles is 0.7 to 2 microseconds on today's clocks. Much shorter ones are
// biased by what a loop's exit costs; longer ones let the clock drift between the loop and its
// reference chains, let more interrupts in, and find fewer moments without a neighbour.
enum { CYCLES_A_SEGMENT = 4096, TRIES = 5 };

// Does the cost stay the same further on? Every few slices the loop runs for 4 n, and seldom for
// `far` times n, which should be 128; less where IF is 0 meanwhile, or where an iteration is long.
// Where that was disturbed it does so again, slice by slice.
enum { SLICES_A_CHECK = 8, SLICES_A_FAR_CHECK = 30, FAR = 128, FAR_WITH_IF_0 = 16 };

// Slices take a second at most, which is some 730,000 segments; with so few that they say nothing
// an iteration is too long to be measured.
enum { SEGMENTS_IN_A_SECOND = 730000, FEWEST_SLICES = 24 };
enum { SEGMENTS_AN_ITERATION = SEGMENTS_IN_A_SECOND / FEWEST_SLICES / 3, SURELY = 8 };

// A neighbour on the core comes and goes within milliseconds: a slice that begins beside one is
// given up, and begun again a little later. `patience` times what the slices take; longer where few
// were had but some; behind its end some more are taken for what they are, to say what half a core
// gives.
enum { USUAL_PATIENCE = 3, LONG_PATIENCE = 10, SOME_SLICES = 10, FEW_SLICES = 24 };
enum { MOST_PATIENCE = 4 }; // seconds, where iterations are long

// Beside a neighbour who leaves little, so many slices will do once the time is over that all of
// them would take alone: another execution says more than the rest of this one.
enum { SUFFICIENT_SLICES = 64 };
enum { PAUSE_TURNS = 8192, SLICES_BESIDE = 40 };

// In the order of the output. A slice runs them in the order of `turns`: the loop between two
// segments that show a neighbour, and those between the one-cycle chains.
enum {
    SEGMENT_ADD,
    SEGMENT_ROL,
    SEGMENT_IMUL,
    SEGMENT_LOOP,
    SEGMENT_WIDTH_BEFORE,
    SEGMENT_WIDTH_AFTER,
    SEGMENT_WATCH_BEFORE,
    SEGMENT_WATCH_AFTER,
    SEGMENTS
};
static const uint8_t turns[SEGMENTS] = {SEGMENT_ADD,  SEGMENT_WIDTH_BEFORE, SEGMENT_WATCH_BEFORE,
                                        SEGMENT_LOOP, SEGMENT_WATCH_AFTER,  SEGMENT_WIDTH_AFTER,
                                        SEGMENT_ROL,  SEGMENT_IMUL};

struct segment {
    const char *loop;
    uint32_t n; // 0: not wanted
};

static struct segment segments[SEGMENTS] = {
    [SEGMENT_ADD] = {chain_add, 0},      [SEGMENT_ROL] = {chain_rol, 0},
    [SEGMENT_IMUL] = {chain_imul, 0},    [SEGMENT_LOOP] = {loop_setup, 0},
    [SEGMENT_WIDTH_BEFORE] = {width, 0}, [SEGMENT_WIDTH_AFTER] = {width, 0},
    [SEGMENT_WATCH_BEFORE] = {cache, 0}, [SEGMENT_WATCH_AFTER] = {cache, 0},
};

static uint32_t far;           // far * n is the longest run
static uint64_t slice_ticks;   // of a slice and its part of the checks, about
static uint64_t most_patience; // ticks
// Of width's n and 2n iterations before and after the loop, in 1/1024 of the add chain's n.
static uint64_t least_width[2][2] = {{1 << 30, 1 << 30}, {1 << 30, 1 << 30}};

static uint64_t ticks_now(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

// Wait 0 to 255 turns, another number each time. On many CPUs the TSC counts in steps of tens of
// ticks; two runs whose starts keep their places on that grid would be off by the same part of a
// step in every slice, and no mean over slices would remove it. (Numbers: Lehmer's generator.)
static void wait_somewhat(void) {
    static uint32_t state = 1;
    state = (uint32_t)((uint64_t)state * 48271 % 2147483647);
    for (uint32_t turns_left = state & 255; turns_left; turns_left--)
        __asm__ volatile("");
}

// Cold memory is that of the loop, not in any cache, before each of its runs.
static void make_cold(void) {
    for (const char *line = loopdata_begin; line < loopdata_end(); line += 64)
        __asm__ volatile("clflush %0" : : "m"(*line));
    __asm__ volatile("mfence" : : : "memory");
}

// Ticks of `count` iterations of a segment's loop.
static uint64_t run(int at, uint32_t count) {
    if (at == SEGMENT_LOOP && variant_memory & MEMORY_COLD)
        make_cold();
    wait_somewhat();
    return timed_call(count, segments[at].loop);
}

// The fastest of several tries: an interrupted one must not decide about n.
static uint64_t fastest(int at, uint32_t count) {
    uint64_t least = UINT64_MAX;
    for (int try = 0; try < TRIES; try++) {
        uint64_t ticks = run(at, count);
        if (ticks < least)
            least = ticks;
    }
    return least;
}

// The least power of two of iterations that takes `ticks`; *takes gets what it takes.
static uint32_t find_n(int at, uint64_t ticks, uint64_t *takes) {
    uint32_t n = 1;
    run(at, 1); // page faults and cold caches
    while ((*takes = fastest(at, n)) < ticks && n < MOST_ITERATIONS)
        n *= 2;
    return n;
}

// How far the cost can be followed, if n iterations take `ticks` and a segment `segment`.
static uint32_t find_far(uint64_t ticks, uint64_t segment) {
    uint32_t most = variant_needs == NEEDS_NOTHING ? FAR : FAR_WITH_IF_0, times = most;
    while (times > 4 && (ticks * times > 2 * segment * most ||
                         (uint64_t)segments[SEGMENT_LOOP].n * times > MOST_ITERATIONS))
        times /= 2;
    return times;
}

static void watch(const char *loop, uint32_t n) {
    segments[SEGMENT_WATCH_BEFORE] = segments[SEGMENT_WATCH_AFTER] = (struct segment){loop, n};
}

// A ring of all lines of cache_ring, in an order that no prefetcher follows: 97 is odd, and so
// prime to the number of lines.
static void prepare_watch(void) {
    enum { LINES = sizeof cache_ring / 64 };
    for (uint32_t i = 0; i < LINES; i++)
        *(char **)(cache_ring + i * 64) = cache_ring + (i + 97) % LINES * 64;
    if (variant_watch == WATCH_CACHE)
        watch(cache, 2 * LINES / CHAIN_LINKS);
    if (variant_watch == WATCH_DIVIDER)
        watch(divider, CYCLES_A_SEGMENT / 512);
    if (variant_watch == WATCH_BOTH)
        watch(cache_divider, LINES / CHAIN_LINKS);
}

// How many slices there is time for. Ends the program if an iteration takes too long for any.
static uint64_t affordable(uint64_t slices, uint64_t ticks, uint64_t segment) {
    uint64_t most = SEGMENTS_IN_A_SECOND * segment / (3 * ticks + 1);
    if (most < FEWEST_SLICES)
        refuse("error iteration ", ticks);
    return slices < most ? slices : most;
}

// Ticks of a segment. Ends the program if an iteration takes too long, before anything else is
// tried with it.
static uint64_t prepare_chains(void) {
    uint32_t n = CYCLES_A_SEGMENT / CHAIN_LINKS;
    run(SEGMENT_ADD, n);
    uint64_t segment = fastest(SEGMENT_ADD, n);
    segments[SEGMENT_ADD].n = segments[SEGMENT_ROL].n = n;
    run(SEGMENT_ROL, n);
    uint64_t most = segment * SEGMENTS_AN_ITERATION, first = run(SEGMENT_LOOP, 1);
    for (int try = 1; try < TRIES && first > most && first < SURELY * most; try++)
        first = run(SEGMENT_LOOP, 1); // it may have been interrupted
    affordable(FEWEST_SLICES, first, segment);
    return segment;
}

// Returns the number of slices.
static uint64_t prepare(uint64_t slices, uint64_t segment) {
    uint64_t takes;
    // The chains' own overhead makes the segment a little long: 15/16 of it will do.
    uint64_t enough = segment - segment / 16;
    segments[SEGMENT_IMUL].n = find_n(SEGMENT_IMUL, enough / 2, &takes);
    segments[SEGMENT_WIDTH_BEFORE].n = find_n(SEGMENT_WIDTH_BEFORE, enough / 2, &takes);
    segments[SEGMENT_WIDTH_AFTER].n = segments[SEGMENT_WIDTH_BEFORE].n;
    prepare_watch();
    segments[SEGMENT_LOOP].n = find_n(SEGMENT_LOOP, enough, &takes);
    slices = affordable(slices, takes, segment);
    far = find_far(takes, segment);
    slice_ticks = 3 * takes + 16 * segment;
    most_patience = MOST_PATIENCE * SEGMENTS_IN_A_SECOND * segment;
    return slices;
}

// Is the core ours, by the run of a width segment just done, next to the chain's? That keeps its
// pace beside a neighbour, so a clock that drifts does not count. Behind the loop the segment has a
// level of its own: the loop may have evicted its code.
static int is_alone(int at, int twice, uint64_t width_ticks, uint64_t add_ticks) {
    uint64_t now = width_ticks * 1024 / add_ticks,
             *least = &least_width[at == SEGMENT_WIDTH_AFTER][twice];
    if (now < *least)
        *least = now;
    return now <= *least + *least / 16;
}

static void put_ticks(uint64_t ticks) {
    put_text(" ");
    put_number(ticks);
}

// One slice: all at n, then all at 2n, and which of the runs were interrupted. 0: given up, since
// a neighbour was there.
static int take_slice(uint64_t ticks[SEGMENTS][2], uint32_t *interrupted, int patient) {
    *interrupted = 0;
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < SEGMENTS; i++) {
            int at = turns[i];
            if (!segments[at].n)
                continue;
            ticks[at][twice] = run(at, segments[at].n << twice);
            *interrupted |= was_interrupted << (2 * at + twice);
            if (patient && (at == SEGMENT_WIDTH_BEFORE || at == SEGMENT_WIDTH_AFTER) &&
                !is_alone(at, twice, ticks[at][twice], ticks[SEGMENT_ADD][0]))
                return 0;
        }
    return 1;
}

// The loop for more than 2n iterations, between two width segments of n, behind the slice whose
// runs of n and 2n it is compared with: "WORD TIMES before loop after interrupted". *clean gets
// whether nobody disturbed it. Returns the loop's ticks.
static uint64_t check(uint32_t times, uint64_t add_ticks, int *clean) {
    static const uint8_t order[] = {SEGMENT_WIDTH_BEFORE, SEGMENT_LOOP, SEGMENT_WIDTH_AFTER};
    uint64_t ticks[3];
    uint32_t interrupted = 0;
    put_text("c ");
    put_number(times);
    for (int i = 0; i < 3; i++) {
        if (order[i] == SEGMENT_WIDTH_AFTER) // so long a run may have evicted its code
            run(order[i], segments[order[i]].n);
        ticks[i] = run(order[i], segments[order[i]].n * (i == 1 ? times : 1));
        put_ticks(ticks[i]);
        interrupted |= was_interrupted << i;
    }
    put_ticks(interrupted);
    put_text("\n");
    *clean = !interrupted && is_alone(SEGMENT_WIDTH_BEFORE, 0, ticks[0], add_ticks) &&
             is_alone(SEGMENT_WIDTH_AFTER, 0, ticks[2], add_ticks);
    return ticks[1];
}

// A check that takes far longer than it should lasts from one interrupt to the next, and is never
// clean: the next ones are shorter. Returns whether it was clean.
static int check_far(uint64_t ticks[SEGMENTS][2]) {
    uint64_t ticks_of_n = ticks[SEGMENT_LOOP][1] - ticks[SEGMENT_LOOP][0];
    int clean;
    if (check(far, ticks[SEGMENT_ADD][0], &clean) > 4 * far * ticks_of_n && far > FAR_WITH_IF_0)
        far /= 4;
    return clean;
}

static int are_enough(uint64_t taken, uint64_t slices, uint64_t spent) {
    return taken >= slices || (taken >= SUFFICIENT_SLICES && spent > slices * slice_ticks);
}

static void put_slice(uint64_t ticks[SEGMENTS][2], uint32_t interrupted) {
    put_text("s");
    for (int i = 0; i < SEGMENTS; i++)
        for (int twice = 0; twice < 2; twice++)
            put_ticks(ticks[i][twice]);
    put_ticks(interrupted);
    put_text("\n");
    put_flush_if_full(STANDARD_OUTPUT);
}

// Take slices until there are enough, or the time is over; then those that say what half a core
// gives, if there was nothing better.
static void take_slices(uint64_t slices, uint64_t patience) {
    uint64_t begin = ticks_now(), taken = 0, beside = 0;
    int far_is_due = 0, ignored;
    while (!are_enough(taken, slices, ticks_now() - begin) && beside < SLICES_BESIDE) {
        uint64_t ticks[SEGMENTS][2] = {0};
        uint32_t interrupted;
        uint64_t scarce = taken >= SOME_SLICES && taken < FEW_SLICES;
        uint64_t most =
            slices * slice_ticks * (scarce && patience < LONG_PATIENCE ? LONG_PATIENCE : patience);
        int patient =
            ticks_now() - begin < (most < most_patience ? most : most_patience) && !beside;
        if (!take_slice(ticks, &interrupted, patient)) {
            for (uint32_t turn = 0; turn < PAUSE_TURNS; turn++)
                __asm__ volatile("");
            continue;
        }
        beside += !patient;
        put_slice(ticks, interrupted);
        if (taken % SLICES_A_FAR_CHECK == SLICES_A_FAR_CHECK / 2)
            far_is_due = far > 4;
        if (taken % SLICES_A_CHECK == 0)
            check(4, ticks[SEGMENT_ADD][0], &ignored);
        else if (far_is_due && patient)
            far_is_due = !check_far(ticks);
        taken++;
    }
}

static void put_flags_left(void) {
    // DF, IF, NT, AC, ID; the arithmetic flags always change.
    static const uint64_t interesting = 0x400 | 0x200 | 0x4000 | 0x40000 | 0x200000;
    if (flags_left & interesting)
        put_line("note flags ", flags_left & interesting);
}

// Does an interrupt leave its mark? A page fault returns as it does: the first access to a page
// must be seen, and one of some later ones, with nothing to come between, must not. Nor does one
// where the loop writes GS itself.
static int sees_interrupts(void) {
    timed_call(1, fault);
    uint32_t seen = was_interrupted, later = 1;
    for (int try = 0; try < TRIES; try++) {
        timed_call(1, fault);
        later &= was_interrupted;
    }
    return seen && !later && !traps_loop_writes_gs();
}

void stopwatch(uint64_t slices, uint64_t patience) {
    uint64_t segment = prepare_chains();
    if (!(variant_memory & MEMORY_UNTOUCHED)) // its pages come by traps
        traps_look();
    slices = prepare(slices, segment);
    subnormal_look(2 * segments[SEGMENT_LOOP].n, far * segments[SEGMENT_LOOP].n);
    put_text("slices 2 links 32 32 32 n");
    for (int i = 0; i < SEGMENTS; i++)
        put_ticks(segments[i].n);
    put_text(" interrupts");
    put_ticks((uint64_t)sees_interrupts());
    put_text("\n");
    take_slices(slices, patience ? patience : USUAL_PATIENCE);
    put_flags_left();
    traps_put_note();
    subnormal_put_note();
}
