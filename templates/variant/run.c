// SPDX-License-Identifier: GPL-3.0-or-later
// variant run-time: arguments, the bare run, and the stopwatch.
#include "limits.h"
#include "output.h"
#include "traps.h"
#include "variant.h"

enum { SYS_MADVISE = 28, SYS_PRCTL = 157, SYS_IOPL = 172, SYS_EXIT_GROUP = 231 };
enum { MADV_HUGEPAGE = 14, PR_SET_PDEATHSIG = 1, PR_SET_THP_DISABLE = 41, SIGNAL_KILL = 9 };
enum { STATUS_USAGE = 2, STATUS_REFUSED = 3, STATUS_ABI = 4 };
enum { STANDARD_OUTPUT = 1, STANDARD_ERROR = 2 };
enum { MAX_SLICES = 100000, MAX_PATIENCE = 1000 };
enum { LONG_SETUP = 8000000 }; // ticks, 2 to 4 milliseconds

_Noreturn static void leave(int status) {
    for (;;)
        system_call(SYS_EXIT_GROUP, status, 0, 0);
}

_Noreturn void loop_lost(int what) {
    static const char *const errors[] = {"error rsp\n", "error canary\n", "error stamp\n"};
    put_text(errors[what]);
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

// End, before the loop runs, with the reason and its number.
_Noreturn void refuse(const char *reason, uint64_t number) {
    put_line(reason, number);
    put_flush(STANDARD_OUTPUT);
    leave(STATUS_REFUSED);
}

// By one instruction that reads and writes: a read alone would map the zero page first.
static void touch(char *from, const char *end) {
    for (; from < end; from += 4096)
        __asm__ volatile("orb $0, %0" : "+m"(*from) : : "cc");
}

// A page that was never written is the kernel's zero page, one for all, and the first access
// faults: so write what is there to every page that the loop can reach. Pages are of 4 KiB unless
// the loop asks for huge ones: what the kernel chooses by itself differs from run to run.
static void touch_memory(void) {
    long failed = 0;
    system_call(SYS_PRCTL, PR_SET_THP_DISABLE, !(variant_memory & MEMORY_HUGE), 0);
    if (variant_memory & MEMORY_HUGE)
        failed = system_call(SYS_MADVISE, (long)loopdata_begin, loopdata_end() - loopdata_begin,
                             MADV_HUGEPAGE);
    if (failed)
        refuse("error pages ", (uint64_t)-failed);
    if (variant_memory & MEMORY_UNTOUCHED)
        return;
    touch(loopdata_begin, loopdata_end());
    touch(own_begin, own_end);
    touch(loop_stack_begin, loop_stack_end);
}

static int usage(void) {
    put_text("usage: variant [ITERATIONS | --stopwatch SLICES [PATIENCE]]\n");
    put_flush(STANDARD_ERROR);
    return STATUS_USAGE;
}

// What the loop needs, had or refused before it runs.
static void get_privilege(void) {
    long failed = variant_needs == NEEDS_IOPL ? system_call(SYS_IOPL, 3, 0, 0) : 0;
    if (variant_needs == NEEDS_CPL0 && current_privilege_level() != 0)
        refuse("error cpl0 ", (uint64_t)current_privilege_level());
    if (failed)
        refuse("error iopl ", (uint64_t)-failed);
}

// A setup that takes milliseconds in each call may reach a time limit: it is told at once. That of
// the first call may prepare what later ones find done.
static void look_at_setup(void) {
    uint64_t beside = LONG_SETUP + 1;
    for (int call = 0; call < 2 && beside > LONG_SETUP; call++) {
        uint64_t begun = __builtin_ia32_rdtsc(), ticks = timed_call(1, loop_setup);
        beside = __builtin_ia32_rdtsc() - begun - ticks;
    }
    if (beside <= LONG_SETUP)
        return;
    put_line("note setup ", beside);
    put_flush(STANDARD_OUTPUT);
}

int variant_main(long argc, char **argv) {
    uint64_t number = variant_iterations;
    int with_stopwatch = (argc == 3 || argc == 4) && same(argv[1], "--stopwatch");
    uint64_t patience = with_stopwatch && argc == 4 ? scan(argv[3], MAX_PATIENCE) : 0;
    if (with_stopwatch)
        number = scan(argv[2], MAX_SLICES);
    else if (argc == 2)
        number = scan(argv[1], UINT32_MAX);
    else if (argc != 1)
        number = 0;
    if (with_stopwatch && argc == 4 && !patience)
        number = 0;
    // A count of 0 would run 2^32 times.
    if (!number)
        return usage();
    // Called by a program, and that killed: a loop left behind would sit on the core that the next
    // run measures on. By hand it may outlive its shell.
    if (with_stopwatch)
        system_call(SYS_PRCTL, PR_SET_PDEATHSIG, SIGNAL_KILL, 0);
    get_privilege();
    touch_memory();
    pattern_state = 0x9e3779b97f4a7c1d; // never 0; why this one: docs/popf_if.md
    limits_enter();
    if (with_stopwatch) {
        look_at_setup();
        stopwatch(number, patience);
    } else {
        timed_call((uint32_t)number, loop_setup);
    }
    if (argc > 1) {
        put_line("end ", number);
        put_flush(STANDARD_OUTPUT);
    }
    return 0;
}
