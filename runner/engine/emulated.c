// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/emulated.h"

#include "runner/host/machine.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

// An exit and the way back take over a thousand ticks; what is tried takes some hundred at most.
static const double least_exit = 1000;

enum executor { EXECUTOR_kernel, EXECUTOR_hypervisor, EXECUTOR_privileged, EXECUTOR_tried };

static const struct instruction {
    const char *mnemonic;
    enum executor executor;
} instructions[] = {
#define INSTRUCTION(mnemonic, executor) {mnemonic, EXECUTOR_##executor},
#include "runner/engine/emulated.def"
#undef INSTRUCTION
};

// The fastest of several: an interrupted one says nothing.
#define FASTEST(statement)                                                                         \
    ({                                                                                             \
        uint64_t least = UINT64_MAX;                                                               \
        for (int try = 0; try < 20; try++) {                                                       \
            _mm_lfence();                                                                          \
            uint64_t ticks = __rdtsc();                                                            \
            _mm_lfence();                                                                          \
            statement;                                                                             \
            _mm_lfence();                                                                          \
            ticks = __rdtsc() - ticks;                                                             \
            least = ticks < least ? ticks : least;                                                 \
        }                                                                                          \
        (double)least;                                                                             \
    })

// rdtscp is not everywhere, and leaves where rdtsc does.
static double try_here(const char *mnemonic) {
    return !strcmp(mnemonic, "pause") ? FASTEST(_mm_pause()) : FASTEST(__rdtsc());
}

static bool has_flag(const char *flag) {
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    FILE *stream = fopen("/proc/cpuinfo", "re");
    while (stream != NULL && !found && getline(&line, &size, stream) > 0 &&
           strncmp(line, "flags", 5) != 0)
        ;
    for (char *rest = line, *word; rest != NULL && !found && (word = strsep(&rest, " \n"));)
        found = !strcmp(word, flag);
    if (stream != NULL)
        fclose(stream);
    free(line);
    return found;
}

struct emulators emulators_find(const char *accel, int ring, bool iopl) {
    struct machine machine;
    if (strcmp(accel, "native") != 0) // a machine of our own, whose kernel leaves UMIP off
        return (struct emulators){.hypervisor = true, .privileged = ring == 0 || iopl};
    machine_describe(-1, &machine);
    return (struct emulators){.umip = ring == 3 && has_flag("umip"),
                              .hypervisor = strcmp(machine.hypervisor, "none") != 0,
                              .privileged = ring == 0 || iopl,
                              .ticks_of = try_here};
}

// The mnemonic of a mix's item, as "27*cli+1*sti" has them; its suffix may tell the width.
static const struct instruction *find(const char *item, size_t length) {
    const char *mnemonic = memchr(item, '*', length);
    mnemonic = mnemonic ? mnemonic + 1 : item;
    size_t left = length - (size_t)(mnemonic - item);
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        size_t whole = strlen(instructions[i].mnemonic);
        bool with_suffix = left == whole + 1 && strchr("bwlq", mnemonic[whole]);
        if ((left == whole || with_suffix) && !strncmp(mnemonic, instructions[i].mnemonic, whole))
            return &instructions[i];
    }
    return NULL;
}

static bool is_emulated(const struct emulators *emulators, const struct instruction *instruction,
                        char *why, size_t size) {
    const char *name = instruction->mnemonic;
    double ticks = 0;
    if (instruction->executor == EXECUTOR_kernel && emulators->umip)
        snprintf(why, size, "the kernel executes %s for programs (UMIP), not the CPU", name);
    else if (emulators->hypervisor &&
             (instruction->executor == EXECUTOR_hypervisor ||
              (instruction->executor == EXECUTOR_privileged && emulators->privileged)))
        snprintf(why, size, "%s leaves the virtual machine: the hypervisor executes it", name);
    else if (instruction->executor == EXECUTOR_tried && emulators->hypervisor &&
             emulators->ticks_of && (ticks = emulators->ticks_of(name)) >= least_exit)
        snprintf(why, size, "%s takes %.0f ticks here: it leaves the virtual machine", name, ticks);
    else
        return false;
    return true;
}

// The next item of a mix from `*at` on; its length, 0 behind the last.
static size_t next_item(const char **at) {
    *at += strspn(*at, "+");
    return strcspn(*at, "+");
}

bool emulators_hold(const struct emulators *emulators, const char *mix, char *why, size_t size) {
    for (size_t length; (length = next_item(&mix)); mix += length) {
        const struct instruction *instruction = find(mix, length);
        if (instruction && is_emulated(emulators, instruction, why, size))
            return true;
    }
    return false;
}

bool emulators_may_hold(const char *mix) {
    for (size_t length; (length = next_item(&mix)); mix += length)
        if (find(mix, length))
            return true;
    return false;
}

double mix_total(const char *mix) {
    double total = 0;
    for (size_t length; (length = next_item(&mix)); mix += length)
        total += strtod(mix, NULL);
    return total;
}
