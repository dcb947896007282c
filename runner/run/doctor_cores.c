// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-run doctor: whether the cores are ours, and which of our CPUs share one.
#include "runner/run/command.h"

#include "runner/host/neighbour.h"

#include <math.h>
#include <stdio.h>

// All in all about 3 s: 8 CPUs, 28 pairs.
enum { MOST_CPUS = 8 };
static const double find_seconds = 0.15, share_seconds = 0.8, pairs_seconds = 1, pair_seconds = 0.2;

struct examined {
    int cpu;
    struct width_level level;
    double share;
    bool quiet;
};

// The CPUs we may use, at most MOST_CPUS of them, in cpus[]; how many there are.
static size_t list_cpus(struct examined cpus[MOST_CPUS]) {
    size_t count = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!machine_cpu_allowed(cpu))
            continue;
        if (count < MOST_CPUS)
            cpus[count].cpu = cpu;
        count++;
    }
    return count;
}

static void examine(struct examined *one, double seconds) {
    struct machine machine;
    machine_describe(one->cpu, &machine);
    width_find(one->cpu, &machine, find_seconds, &one->level);
    one->share = width_quiet_share(one->cpu, &one->level, seconds);
    one->quiet = width_is_quiet(one->cpu, &one->level);
}

static void print_core(const struct examined *one) {
    if (isnan(one->level.cycles)) {
        printf("CPU %d: whether its core is shared cannot be told: %s\n", one->cpu, one->level.how);
        return;
    }
    printf("CPU %d: ", one->cpu);
    if (isnan(one->share))
        printf("no time on it to see how long it is quiet; ");
    else
        printf("quiet %.0f %% of the time, %s now; ", 100 * one->share,
               one->quiet ? "no neighbour" : "a neighbour");
    printf("level %.2f cycles, %s\n", one->level.cycles, one->level.how);
}

// Pairs in one line a kind; those that could not be told are most likely no pairs.
static void print_pairs(const struct examined *cpus, size_t count) {
    static const char *const said[] = {[SHARING_no] = "do not share a core",
                                       [SHARING_yes] = "share a core",
                                       [SHARING_unknown] =
                                           "share a core or not: cannot be told now"};
    double pairs = (double)(count * (count - 1)) / 2;
    double seconds = fmin(pair_seconds, pairs_seconds / pairs / 2);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            enum sharing sharing = neighbour_try(cpus[i].cpu, cpus[j].cpu, &cpus[i].level, seconds);
            if (sharing == SHARING_unknown)
                sharing = neighbour_try(cpus[j].cpu, cpus[i].cpu, &cpus[j].level, seconds);
            printf("CPU %d and %d %s\n", cpus[i].cpu, cpus[j].cpu, said[sharing]);
        }
}

void doctor_cores(void) {
    struct examined cpus[MOST_CPUS];
    size_t all = list_cpus(cpus), count = all < MOST_CPUS ? all : MOST_CPUS;
    const struct examined *best = NULL;
    for (size_t i = 0; i < count; i++) {
        examine(&cpus[i], share_seconds / (double)count);
        print_core(&cpus[i]);
        if (!isnan(cpus[i].share) && (!best || cpus[i].share > best->share))
            best = &cpus[i];
    }
    if (all > count)
        printf("%zu more CPUs: not examined; taskset -c chooses others\n", all - count);
    print_pairs(cpus, count);
    if (best && count > 1)
        printf("quietest now: CPU %d; run takes it with --cpu %d\n", best->cpu, best->cpu);
}
