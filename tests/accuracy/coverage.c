// SPDX-License-Identifier: GPL-3.0-or-later
// tests/accuracy: does the 95 % interval hold the truth in 95 of 100, and how wide is it?
//
//     accuracy-coverage BUILD-OF-chains.toml ROUNDS
//
// Loops of known cost, chains and others, are measured again and again the way a run does it: a
// round is five shuffled blocks, each loop executed once in each by the perf engine, the five
// pooled by stopwatch_pool. Prints a page of Markdown (docs/statistics-measured.md); exit status 1
// if a target of the page was missed, 2 for bad input, 3 where most rounds gave no value.
#include "common/units.h"
#include "runner/engine/engine.h"
#include "runner/host/core_lock.h"
#include "runner/host/machine.h"
#include "runner/host/width.h"
#include "runner/run/plan.h"
#include "runner/run/schedule.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CHAINS = 16, BLOCKS = USUAL_EXECUTIONS, SLICES = 200 };
static const double precision = 0.005;

// To find the level of the width segments.
#define SEARCH_SECONDS 10

// Targets: part of the intervals that hold the truth, mean half-width, bias (parts).
static const double least_held = 0.92, widest = 0.003, most_bias = 0.001;

// Cycles of a group, by vendor or generation. Sources: instlatx64 dumps and the vendors'
// optimisation manuals. Of 59 nops, dec and jnz, which are one, six pass in a cycle.
static const struct {
    const char *loop, *cpu;
    double cycles;
} known[] = {
    {"known_answers.crc32", "AuthenticAMD", 3},
    {"known_answers.crc32", "GenuineIntel", 3},
    {"known_answers.xor", "AuthenticAMD", 1},
    {"known_answers.xor", "GenuineIntel", 1},
    {"known_answers.bswap", "AuthenticAMD", 1},
    {"known_answers.bswap", "GenuineIntel", 2},
    {"known_answers.popcnt", "AuthenticAMD", 1},
    {"known_answers.popcnt", "GenuineIntel", 3},
    {"port", "AuthenticAMD", 1},
    {"port", "GenuineIntel", 1},
    {"loads", "Zen 3", 1 / 3.0},
    {"stores", "Zen 3", 1 / 2.0},
    {"width", "Zen 3", 10 / 59.0},
};

// One chain's rounds so far.
struct chain {
    struct engine_job job;
    double truth;                          // cycles an iteration
    double values[BLOCKS], halves[BLOCKS]; // of this round
    double excess;                         // summed over them
    size_t executions;                     // with a value, this round
    size_t rounds, held, without;          // without: rounds that gave no value
    double half_sum, value_sum, between_sum, within_sum;
    size_t all_executions, invalid; // with slices, and those of them without a value
    double disagreement_sum;        // of add and rol, over all but the invalid
    double quiet_sum;               // parts of the slices, over all executions
};

struct chains {
    struct chain items[MOST_CHAINS];
    size_t count;
};

static struct width_level level; // of the width segments on this CPU

static int sink(const struct execution *execution, void *context) {
    struct chain *chain = &((struct chains *)context)->items[execution->index];
    struct stopwatch_value value;
    if (execution->status != STATUS_ok)
        return 0;
    stopwatch_evaluate(&execution->slices, CHAINS_all, level.cycles, execution->index, &value);
    chain->all_executions++;
    chain->quiet_sum += value.quiet;
    if (isnan(value.cycles.value)) {
        chain->invalid++;
        return 0;
    }
    chain->disagreement_sum += value.disagreement;
    chain->excess += fmax(0, value.excess);
    chain->values[chain->executions] = value.cycles.value;
    chain->halves[chain->executions++] = (value.cycles.high - value.cycles.low) / 2;
    return 0;
}

static void pool(struct chain *chain) {
    struct pooled pooled;
    chain->rounds++;
    if (2 * chain->executions < BLOCKS) {
        chain->without++;
    } else {
        stopwatch_pool(chain->values, chain->halves, chain->executions,
                       chain->excess / (double)chain->executions, precision, &pooled);
        chain->held += pooled.cycles.low <= chain->truth && chain->truth <= pooled.cycles.high;
        chain->half_sum += (pooled.cycles.high - pooled.cycles.low) / 2 / chain->truth;
        chain->value_sum += pooled.cycles.value / chain->truth - 1;
        chain->between_sum += pooled.between_sd / chain->truth;
        chain->within_sum += pooled.within_sd / chain->truth;
    }
    chain->executions = 0;
    chain->excess = 0;
}

// The plan's loops whose cost is known on this CPU.
static void find_chains(const struct plan *plan, const struct machine *machine,
                        struct chains *chains) {
    const char *generation = width_known_of(machine).generation;
    *chains = (struct chains){.count = 0};
    for (size_t i = 0; i < plan->count; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            char name[64];
            snprintf(name, sizeof name, "%s.groups%g", known[k].loop, plan->rows[i].groups);
            if ((strcmp(known[k].cpu, machine->cpu_vendor) && strcmp(known[k].cpu, generation)) ||
                strcmp(name, plan->rows[i].name) || chains->count == MOST_CHAINS)
                continue;
            struct chain *chain = &chains->items[chains->count];
            chain->job = plan_job(plan, i);
            chain->job.index = chains->count++;
            chain->truth = known[k].cycles * plan->rows[i].groups;
        }
}

static int measure_rounds(struct chains *chains, long rounds, int cpu, struct error *error) {
    const struct engine *engine = engine_find("perf");
    struct engine_settings settings = {.cpu = cpu, .slices = SLICES, .timeout = 20};
    struct engine_probe probe = {.usable = 1, .accel = "native", .ring = 3};
    for (long round = 0; round < rounds; round++) {
        for (long block = 0; block < BLOCKS; block++) {
            size_t order[MOST_CHAINS];
            struct engine_job jobs[MOST_CHAINS];
            schedule_block(1, 0, round * BLOCKS + block, chains->count, order);
            for (size_t i = 0; i < chains->count; i++)
                jobs[i] = chains->items[order[i]].job;
            if (engine_measure(engine, &settings, &probe, jobs, chains->count, sink, chains, error))
                return -1;
        }
        for (size_t i = 0; i < chains->count; i++)
            pool(&chains->items[i]);
    }
    return 0;
}

static void print_row(const char *name, const struct chain *chain) {
    double n = (double)(chain->rounds - chain->without);
    printf("| %s | %zu | %.0f | %zu | %.1f | %.3f | %+.3f | %.3f | %.3f |\n", name, chain->rounds,
           100 * chain->quiet_sum / (double)chain->all_executions, chain->without,
           100 * (double)chain->held / n, 100 * chain->half_sum / n, 100 * chain->value_sum / n,
           100 * chain->between_sum / n, 100 * chain->within_sum / n);
}

// What print_table returns where most rounds gave no value: nothing to judge.
enum { FEW_VALUES = 1000 };

// The table of one situation; returns how many of its targets were missed, or FEW_VALUES.
static int print_table(const struct chains *chains) {
    struct chain all = {.rounds = 0};
    puts("\n| loop | measured | quiet, % | without a value | held, % | half-width, % | bias, % | "
         "between, % | within, % |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (size_t i = 0; i < chains->count; i++) {
        const struct chain *chain = &chains->items[i];
        print_row(chain->job.variant, chain);
        all.rounds += chain->rounds;
        all.without += chain->without;
        all.held += chain->held;
        all.half_sum += chain->half_sum;
        all.value_sum += chain->value_sum;
        all.between_sum += chain->between_sum;
        all.within_sum += chain->within_sum;
        all.all_executions += chain->all_executions;
        all.invalid += chain->invalid;
        all.disagreement_sum += chain->disagreement_sum;
        all.quiet_sum += chain->quiet_sum;
    }
    print_row("all", &all);
    double n = (double)(all.rounds - all.without);
    int missed = !(all.held / n >= least_held) + !(all.half_sum / n < widest) +
                 !(fabs(all.value_sum / n) < most_bias);
    printf("\n%zu of %zu executions gave no value (the core was shared, or the reference chains "
           "disagreed);\nin the others add and rol were apart by %.3f %% on average. ",
           all.invalid, all.all_executions,
           100 * all.disagreement_sum / (double)(all.all_executions - all.invalid));
    printf("%s\n", missed ? "**A target was missed.**" : "All targets were met.");
    return 2 * all.without > all.rounds ? FEW_VALUES : missed;
}

// A loop that competes for the CPU until it is killed.
static pid_t start_busy_loop(int cpu) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid)
        return pid;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    for (volatile unsigned long spin = 0; getppid() != 1; spin++)
        ;
    _exit(0);
}

static void print_head(const struct machine *machine, int cpu, long rounds) {
    double load[3] = {NAN, NAN, NAN};
    if (getloadavg(load, 3) < 1)
        load[0] = NAN;
    printf("# The stopwatch, measured\n\n"
           "Printed by `accuracy-coverage` (tests/accuracy/coverage.c); what the columns mean and "
           "why is in\nstatistics.md. On %s (%s family %s model %s stepping %s), microcode %s,\n"
           "hypervisor %s, kernel %s, CPU %d; load average at the start %.2f.\n\n"
           "A measurement is %d executions of %d slices pooled; %ld of each loop. Targets over "
           "all: the 95 %%\ninterval holds the truth in at least %.0f of 100, mean half-width "
           "under %.1f %%, bias under %.1f %%.\nSpreads are standard deviations of executions "
           "(between) and of what one execution says of itself\n(within); all parts are of the "
           "loop's cost;\nquiet is the part of its slices. Level of the width segments: %s.\n",
           machine->cpu_name, machine->cpu_vendor, machine->cpu_family, machine->cpu_model,
           machine->cpu_stepping, *machine->microcode ? machine->microcode : "unknown",
           machine->hypervisor, machine->kernel, cpu, load[0], BLOCKS, SLICES, rounds,
           100 * least_held, 100 * widest, 100 * most_bias, level.how);
}

static int situation(const char *title, const struct chains *wanted, long rounds, int cpu,
                     struct error *error) {
    static struct chains chains;
    chains = *wanted;
    printf("\n## %s\n", title);
    if (measure_rounds(&chains, rounds, cpu, error))
        return -1;
    return print_table(&chains);
}

int main(int argc, char **argv) {
    struct error error = {0};
    struct plan plan = {0};
    struct core cores[2];
    struct machine machine;
    static struct chains chains;
    long long rounds = 0;
    if (argc != 3 || units_scan_integer(argv[2], 1, 100000, &rounds)) {
        fputs("usage: accuracy-coverage BUILD-DIR ROUNDS\n", stderr);
        return 2;
    }
    machine_cores(cores);
    machine_describe(cores[0].cpu, &machine);
    int failed = plan_read(argv[1], NULL, &plan, &error);
    if (!failed) {
        find_chains(&plan, &machine, &chains);
        if (!chains.count)
            failed = error_set(&error, ERROR_INPUT, argv[1], 0, "no loop of known cost in it");
    }
    if (!failed)
        failed = core_lock(cores[0].cpu, 1, &error) < 0; // until the end of the program
    int quiet = -1, busy = -1;
    if (!failed) {
        width_find(cores[0].cpu, &machine, SEARCH_SECONDS, &level);
        print_head(&machine, cores[0].cpu, (long)rounds);
        quiet = situation("Nothing else started on this CPU", &chains, (long)rounds, cores[0].cpu,
                          &error);
        pid_t loop = start_busy_loop(cores[0].cpu);
        busy = quiet < 0 ? -1
                         : situation("Beside a busy loop pinned to the same CPU", &chains,
                                     (long)rounds, cores[0].cpu, &error);
        if (loop > 0) {
            kill(loop, SIGKILL);
            waitpid(loop, NULL, 0);
        }
    }
    plan_free(&plan);
    if (failed || busy < 0) {
        fprintf(stderr, "accuracy-coverage: %s\n", error.text);
        return 2;
    }
    return quiet == FEW_VALUES ? 3
           : quiet             ? 1
                               : 0; // beside a busy loop the figures are told, not judged
}
