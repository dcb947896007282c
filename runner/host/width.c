// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/host/width.h"

#include "common/memory.h"
#include "common/units.h"
#include "runner/host/process.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

// A level that is known need not be seen: a core that is shared for hours would be looked at for
// long each time.
enum { BATCH = 1000, MOST_BATCHES = 16, KNOWN_BATCHES = 3, PROBES = 20, PROBE_PAUSE_US = 2000 };

const uint32_t width_n[WIDTH_LEGS] = {
    [WIDTH_before] = 200, [WIDTH_add] = 150,   [WIDTH_rol] = 150,
    [WIDTH_imul] = 60,    [WIDTH_after] = 200,
};

#define READ_TICKS(into)                                                                           \
    "lfence\n\trdtsc\n\tlfence\n\tshl $32, %%rdx\n\tor %%rdx, %%rax\n\tmov %%rax, " into

// Ticks of n iterations. The clock is read right beside the loop: a call between them is predicted
// or is not, which would be 0.3 % of a leg.
#define LEG(name, count, instruction)                                                              \
    static __attribute__((noinline)) uint64_t time_##name(uint32_t n) {                            \
        uint64_t from, to, value = 3;                                                              \
        __asm__ volatile(READ_TICKS("%0") "\n\t.p2align 6\n"                                       \
                                          "1:\t.rept " count "\n\t" instruction "\n\t.endr\n\t"    \
                                          "dec %3\n\tjnz 1b\n\t" READ_TICKS("%1")                  \
                         : "=&r"(from), "=&r"(to), "+b"(value), "+c"(n)                            \
                         :                                                                         \
                         : "rax", "rdx", "cc", "memory");                                          \
        return to - from;                                                                          \
    }
LEG(width, "94", "nop")
// Not add $imm, inc or dec: Golden Cove and later do those at rename.
LEG(add, "32", "add %2, %2")
LEG(rol, "32", "rol $7, %2")
LEG(imul, "32", "imul %2, %2")

static uint64_t (*const legs[WIDTH_LEGS])(uint32_t n) = {
    [WIDTH_before] = time_width, [WIDTH_add] = time_add,     [WIDTH_rol] = time_rol,
    [WIDTH_imul] = time_imul,    [WIDTH_after] = time_width,
};

static void take_slice(struct width_slice *slice) {
    for (int leg = 0; leg < WIDTH_LEGS; leg++)
        for (uint32_t times = 1; times <= 2; times++)
            slice->ticks[leg][times - 1] = legs[leg](times * width_n[leg]);
}

void width_run(uint32_t iterations) {
    time_width(iterations);
}

// The calling thread on one CPU, and back where it was.
static int pin(int cpu, cpu_set_t *before) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)cpu, &one);
    return sched_getaffinity(0, sizeof *before, before) || sched_setaffinity(0, sizeof one, &one);
}

void width_take(int cpu, struct width_slice *slices, size_t count) {
    cpu_set_t before;
    int failed = pin(cpu, &before);
    for (size_t i = 0; i < count; i++)
        take_slice(&slices[i]);
    if (!failed)
        sched_setaffinity(0, sizeof before, &before);
}

// The level that whoever starts the program knows; tests, which bring their own core, say it.
static bool was_told(struct width_level *level) {
    const char *told = getenv("ASMSWEEP_WIDTH_LEVEL");
    if (!told || units_scan_number(told, &level->cycles) || !(level->cycles > 0))
        return false;
    snprintf(level->how, sizeof level->how, "as ASMSWEEP_WIDTH_LEVEL says");
    return true;
}

void width_find(int cpu, const struct machine *machine, double seconds, struct width_level *level) {
    *level = (struct width_level){.cycles = NAN, .seen = NAN, .imul = NAN, .share = NAN};
    if (was_told(level))
        return;
    double started = machine_read_tsc().seconds;
    const char *memory = width_memory();
    struct width_known known = width_known_of(machine);
    struct width_slice *slices = memory_zero(MOST_BATCHES * BATCH, sizeof *slices);
    struct error ignored; // a level that cannot be remembered is found anew
    known.remembered = width_recall(memory, machine);
    for (size_t batch = 0; batch < MOST_BATCHES; batch++) {
        width_take(cpu, slices + batch * BATCH, BATCH);
        width_judge(slices, (batch + 1) * BATCH, &known, level);
        level->seconds = machine_read_tsc().seconds - started;
        bool enough = level->seen_now || (!isnan(level->cycles) && batch + 1 >= KNOWN_BATCHES);
        if (enough || level->seconds >= seconds || process_interrupted())
            break;
        usleep((useconds_t)(seconds / MOST_BATCHES * 1e6));
    }
    if (level->seen_now && !(level->cycles >= fmin(known.listed, known.remembered)))
        width_remember(memory, machine, level->cycles, &ignored);
    free(slices);
}

double width_quiet_share(int cpu, const struct width_level *level, double seconds) {
    struct width_slice slices[PROBES];
    struct width_count all = {0};
    for (double end = machine_read_tsc().seconds + seconds; machine_read_tsc().seconds < end;) {
        width_take(cpu, slices, PROBES);
        width_count(slices, PROBES, level, &all);
    }
    return width_share(&all);
}

bool width_is_quiet(int cpu, const struct width_level *level) {
    struct width_slice slice;
    width_take(cpu, &slice, 1);
    return width_cycles(&slice) <= level->cycles * (1 + WIDTH_TOLERANCE);
}

bool width_wait_quiet(int cpu, const struct width_level *level, double deadline) {
    if (isnan(level->cycles))
        return false;
    while (!width_is_quiet(cpu, level)) {
        if (process_interrupted() || machine_read_tsc().seconds >= deadline)
            return false;
        usleep(PROBE_PAUSE_US);
    }
    return true;
}
