// SPDX-License-Identifier: GPL-3.0-or-later
#include "traps.h"

#include "limits.h"
#include "output.h"
#include "variant.h"

#include <linux/resource.h>

enum { SYS_GETRUSAGE = 98 };
// Of so many single iterations each must trap, for an interrupt may fall into any; and the kernel
// must have put to sleep so many. It switches the detection of split locks off for 2 jiffies after
// one, which are 20 milliseconds at most.
enum {
    TRIES = 16,
    CONTROLS = 3,
    SLEEPS = 2,
    MOST_CALLS = 8,
    ITERATIONS = 64,
    TICKS_BETWEEN = 100000000
};

static const char *note;

// A null selector that is not 0 becomes 0 where IRET goes back to CPL3 (Intel SDM volume 2, IRET;
// AMD does the same), so it shows that an interrupt or an exception was there. All four registers
// that have no use in 64-bit code: a loop may write some of them.
static void set_mark(void) {
    __asm__ volatile("mov %0, %%ds\n\tmov %0, %%es\n\tmov %0, %%fs\n\tmov %0, %%gs" : : "r"(1));
}

static int is_mark_gone(void) {
    uint32_t ds, es, fs, gs;
    __asm__ volatile("mov %%ds, %0\n\tmov %%es, %1\n\tmov %%fs, %2\n\tmov %%gs, %3"
                     : "=r"(ds), "=r"(es), "=r"(fs), "=r"(gs));
    return ds == 0 && es == 0 && fs == 0 && gs == 0;
}

int traps_loop_writes_gs(void) {
    int gone = 1;
    for (int tries = 0; tries < TRIES && gone; tries++) {
        set_mark();
        timed_call(1, loop_setup);
        if (!was_interrupted)
            return 0;
        gone = is_mark_gone();
    }
    return !gone; // a mark is left: nothing came between, and GS went with the loop
}

static uint64_t read_ticks(void) {
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static void spin(uint64_t ticks) {
    for (uint64_t begun = read_ticks(); read_ticks() - begun < ticks;)
        ;
}

// One iteration trapped, and the same time without the loop did not. An interrupt in the latter, or
// a loop whose time was taken away, says nothing: once more.
static int traps_once(void) {
    for (int control = 0; control < CONTROLS; control++) {
        set_mark();
        uint64_t ticks = timed_call(1, loop_setup);
        if (!is_mark_gone())
            return 0;
        set_mark();
        spin(ticks);
        if (!is_mark_gone())
            return 1;
    }
    return 0;
}

// Voluntary switches so far, less those that waited for a page from a disk.
static long sleeps(void) {
    struct rusage usage;
    return system_call(SYS_GETRUSAGE, RUSAGE_SELF, (long)&usage, 0)
               ? 0
               : usage.ru_nvcsw - usage.ru_majflt;
}

static int is_put_to_sleep(void) {
    int found = 0;
    for (int calls = 0; calls < MOST_CALLS && found < SLEEPS && found == calls; calls++) {
        long before = sleeps();
        timed_call(1, loop_setup);
        found += sleeps() > before;
        if (found)
            spin(TICKS_BETWEEN);
    }
    return found == SLEEPS;
}

// Does a system call that the loop makes wait, in some of its iterations?
static int waits(void) {
    int found = 0;
    for (int calls = 0; calls < TRIES && found < SLEEPS; calls++) {
        long before = sleeps();
        timed_call(1, loop_setup);
        found += sleeps() > before;
    }
    long before = sleeps();
    if (found < SLEEPS)
        timed_call(ITERATIONS, loop_setup);
    return found == SLEEPS || sleeps() - before >= SLEEPS;
}

void traps_look(void) {
    int tries = 0;
    if (!limits_are_set())
        return;
    if (variant_syscalls) { // it is meant to be in the kernel, but not to wait there
        if (waits())
            note = "note waits\n";
        return;
    }
    timed_call(1, loop_setup); // the loop's pages come by traps, too
    while (tries < TRIES && traps_once())
        tries++;
    if (tries == TRIES)
        note = "note traps\n";
    else if (is_put_to_sleep())
        note = "note sleeps\n";
}

void traps_put_note(void) {
    if (note)
        put_text(note);
}
