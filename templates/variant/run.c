// SPDX-License-Identifier: GPL-3.0-or-later
// variant run-time: arguments, the bare run, and the stopwatch.
#include "limits.h"
#include "output.h"
#include "traps.h"
#include "variant.h"

enum { SYS_PRCTL = 157, SYS_IOPL = 172, SYS_EXIT_GROUP = 231 };
enum { PR_SET_PDEATHSIG = 1, SIGNAL_KILL = 9 };
enum { STATUS_USAGE = 2, STATUS_PRIVILEGE = 3, STATUS_ABI = 4 };
enum { STANDARD_OUTPUT = 1, STANDARD_ERROR = 2 };
enum { MAX_SLICES = 100000, MAX_ITERATIONS_A_SEGMENT = 1 << 30 };

// A timed segment of 8192 cycles is 1.4 to 4 microseconds on today's clocks. Shorter ones are
// biased by what a loop's exit costs; longer ones let the clock drift between the
// loop and its reference chains, and let more interrupts in.
enum { CYCLES_A_SEGMENT = 8192, TRIES = 5 };

struct segment {
    const char *loop;
    uint32_t n;
};

// Timed segments in the order of the output; SEGMENT_LOOP last. A slice runs the loop between the
// two one-cycle chains, so that a drift of the clock meets both sides.
enum { SEGMENT_ADD, SEGMENT_ROL, SEGMENT_IMUL, SEGMENT_LOOP, SEGMENTS };
static const uint8_t slice_order[SEGMENTS] = {SEGMENT_ADD, SEGMENT_LOOP, SEGMENT_ROL, SEGMENT_IMUL};

_Noreturn static void leave(int status) {
    for (;;)
        system_call(SYS_EXIT_GROUP, status, 0, 0);
}

_Noreturn void loop_lost(int canary) {
    put_text(canary ? "error canary\n" : "error rsp\n");
    put_flush(STANDARD_OUTPUT);
    leave(STATUS_ABI);
}

// A decimal number from 1 to maximum; 0 for anything else.
static uint64_t scan(const char *text, uint64_t maximum) {
    uint64_t number = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return 0;
        number = number * 10 + (uint64_t)(*text - '0');
        if (number > maximum)
            return 0;
    }
    return number;
}

static int same(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

// The fastest of several tries: an interrupted one must not decide about n.
static uint64_t fastest(const char *loop, uint32_t count) {
    uint64_t least = UINT64_MAX;
    for (int try = 0; try < TRIES; try++) {
        uint64_t ticks = timed_call(count, loop);
        if (ticks < least)
            least = ticks;
    }
    return least;
}

static uint32_t find_n(const char *loop, uint64_t ticks_a_segment) {
    uint32_t n = 1;
    timed_call(1, loop); // page faults and cold caches
    while (n < MAX_ITERATIONS_A_SEGMENT && fastest(loop, n) < ticks_a_segment)
        n *= 2;
    return n;
}

static void prepare(struct segment *segments) {
    segments[SEGMENT_ADD].loop = chain_add;
    segments[SEGMENT_ROL].loop = chain_rol;
    segments[SEGMENT_IMUL].loop = chain_imul;
    segments[SEGMENT_LOOP].loop = loop_setup;
    uint32_t n = CYCLES_A_SEGMENT / CHAIN_LINKS;
    timed_call(n, chain_add);
    uint64_t ticks_a_segment = fastest(chain_add, n);
    segments[SEGMENT_ADD].n = n;
    segments[SEGMENT_ROL].n = n;
    timed_call(n, chain_rol);
    // The chains' own overhead makes ticks_a_segment a little long: 15/16 of it will do.
    ticks_a_segment -= ticks_a_segment / 16;
    segments[SEGMENT_IMUL].n = find_n(chain_imul, ticks_a_segment);
    segments[SEGMENT_LOOP].n = find_n(loop_setup, ticks_a_segment);
}

// "WORD NUMBER", a line.
static void put_line(const char *word, uint64_t number) {
    put_text(word);
    put_number(number);
    put_text("\n");
}

static void put_flags_left(void) {
    // DF, IF, NT, AC, ID; the arithmetic flags always change.
    static const uint64_t interesting = 0x400 | 0x200 | 0x4000 | 0x40000 | 0x200000;
    if (flags_left & interesting)
        put_line("note flags ", flags_left & interesting);
}

// Wait 0 to 255 turns, another number each time. On many CPUs the TSC counts in steps of tens of
// ticks; two runs whose starts keep their places on that grid would be off by the same part of a
// step in every slice, and no mean over slices would remove it. (Numbers: Lehmer's generator.)
static void wait_somewhat(void) {
    static uint32_t state = 1;
    state = (uint32_t)((uint64_t)state * 48271 % 2147483647);
    for (uint32_t turns = state & 255; turns; turns--)
        __asm__ volatile("");
}

static void stopwatch(uint64_t slices) {
    struct segment segments[SEGMENTS];
    traps_look();
    prepare(segments);
    put_text("slices 1 links 32 32 32 n");
    for (int i = 0; i < SEGMENTS; i++) {
        put_text(" ");
        put_number(segments[i].n);
    }
    put_text("\n");
    for (uint64_t slice = 0; slice < slices; slice++) {
        uint64_t ticks[SEGMENTS][2];
        for (uint32_t twice = 0; twice < 2; twice++)
            for (int i = 0; i < SEGMENTS; i++) {
                int at = slice_order[i];
                wait_somewhat();
                ticks[at][twice] = timed_call(segments[at].n << twice, segments[at].loop);
            }
        put_text("s");
        for (int i = 0; i < SEGMENTS; i++)
            for (int twice = 0; twice < 2; twice++) {
                put_text(" ");
                put_number(ticks[i][twice]);
            }
        put_text("\n");
        put_flush_if_full(STANDARD_OUTPUT);
    }
    put_flags_left();
    traps_put_note();
}

static int usage(void) {
    put_text("usage: variant [ITERATIONS | --stopwatch SLICES]\n");
    put_flush(STANDARD_ERROR);
    return STATUS_USAGE;
}

// What the loop needs, had or refused before it runs.
static void get_privilege(void) {
    long failed = variant_needs == NEEDS_IOPL ? system_call(SYS_IOPL, 3, 0, 0) : 0;
    int wrong_ring = variant_needs == NEEDS_CPL0 && current_privilege_level() != 0;
    if (wrong_ring)
        put_text("error cpl0\n");
    if (failed)
        put_line("error iopl ", (uint64_t)-failed);
    if (wrong_ring || failed) {
        put_flush(STANDARD_OUTPUT);
        leave(STATUS_PRIVILEGE);
    }
}

int variant_main(long argc, char **argv) {
    uint64_t number = variant_iterations;
    int with_stopwatch = argc == 3 && same(argv[1], "--stopwatch");
    if (with_stopwatch)
        number = scan(argv[2], MAX_SLICES);
    else if (argc == 2)
        number = scan(argv[1], UINT32_MAX);
    else if (argc != 1)
        number = 0;
    // A count of 0 would run 2^32 times.
    if (!number)
        return usage();
    // Called by a program, and that killed: a loop left behind would sit on the core that the next
    // run measures on. By hand it may outlive its shell.
    if (with_stopwatch)
        system_call(SYS_PRCTL, PR_SET_PDEATHSIG, SIGNAL_KILL, 0);
    get_privilege();
    scratch[0] = 0;
    pattern_state = 0x9e3779b97f4a7c1d; // never 0; why this one: docs/popf_if.md
    limits_enter();
    if (with_stopwatch)
        stopwatch(number);
    else
        timed_call((uint32_t)number, loop_setup);
    if (argc > 1) {
        put_line("end ", number);
        put_flush(STANDARD_OUTPUT);
    }
    return 0;
}
