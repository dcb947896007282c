// SPDX-License-Identifier: GPL-3.0-or-later
// runner/host: which machine this is: the run's key columns and environment.csv.
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The key columns of a row. Empty where it cannot be known, never a guess.
struct machine {
    char host[65], cpu_vendor[13], cpu_family[12], cpu_model[12], cpu_stepping[12];
    char cpu_name[65];   // the brand string
    char microcode[24];  // as the kernel tells it; under a hypervisor that is its tale
    char core_type[16];  // P, E or LPE on a hybrid CPU, else empty
    char hypervisor[24]; // CPUID leaf 0x40000000's signature, "none", or "yes" without one
    char kernel[65];
};

// Describe the machine, and the core `cpu` of it (CPUID is read pinned there if it can be).
void machine_describe(int cpu, struct machine *machine);

// Do the two differ in what a pooled value may not mix (vendor, family, model, stepping,
// microcode, core type)? Returns the name of the first such column, or NULL.
const char *machine_difference(const struct machine *a, const struct machine *b);

// The first line of the file whose path the format makes, without its newline, into text[size].
// 0, or -1 and "" where it cannot be read or is empty.
int machine_read_line(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Is the CPU in a list of the kernel's, like "0-3,8"?
bool machine_in_list(const char *list, int cpu);

// TSC ticks per second, from the TSC and CLOCK_MONOTONIC_RAW between two readings.
struct tsc_reading {
    uint64_t ticks;
    double seconds;
};
struct tsc_reading machine_read_tsc(void);
double machine_tsc_hz(struct tsc_reading from, struct tsc_reading to);

// The core types of a hybrid CPU as (type, first allowed CPU); on others one entry with an
// empty type and the CPU that a run takes by default: an isolated one, else the last
// allowed (CPU 0 gets most interrupts). At most 2. Returns how many.
struct core {
    char type[16];
    int cpu;
};
size_t machine_cores(struct core cores[2]);

// May we run on this CPU at all?
int machine_cpu_allowed(int cpu);

// The environment.csv rows that the machine knows, written with table_write_row:
// mitigations, governor, turbo, SMT, isolated CPUs, clocksource, kernel command line,
// randomization, huge pages, versions of perf, as, ld and QEMU. Empty values with no row "unknown":
// empty is unknown.
void machine_write_environment(const struct machine *machine, int cpu, FILE *stream);
