// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: what an engine is. An engine executes variants and hands each
// execution to a sink; it knows nothing of schedules, files or statistics.
//
// A new engine is one file with one `const struct engine` (and its parser), one line in
// engines.def and one in CMakeLists.txt.
#pragma once

#include "common/error.h"
#include "common/rows.h"
#include "runner/estimate/stopwatch.h"

#include <stdbool.h>

enum needs { NEEDS_none, NEEDS_iopl, NEEDS_cpl0 };

// What a variant is: a program of its own, or one that the kernel executes.
enum target { TARGET_x86, TARGET_bpf };

// One variant to execute. All texts are the plan's.
struct engine_job {
    size_t index;        // the caller's number, comes back in the execution
    const char *variant; // name
    const char *path;    // its ELF
    const char *mix;     // of its loop, "" if not known
    enum target target;
    enum needs needs;
    int excluded_chain;  // enum segment or CHAINS_all
    uint64_t iterations; // default count of the bare run, about a second
    double retired;      // instructions per iteration expected; NaN: not known
};

struct engine_settings {
    int cpu;                   // to pin to; the engine's own choice if negative
    size_t slices;             // per execution
    unsigned patience;         // times what slices take, to wait for a neighbour to go; 0: usual
    double timeout;            // seconds for one execution
    double level;              // cycles of the width loop (runner/host/width.h); NaN: not known
    bool evidence;             // this block's executions go through perf stat itself
    const char *const *events; // the sweep's own events, perf's names
    size_t event_count;
    const char *guest_kernel;       // path of the guest engine's kernel; NULL: not built
    const char *accel;              // guest: kvm, tcg; NULL: whatever gives costs
    int ring;                       // guest: 0, or 3 for CPL3 with IOPL=3
    const char *calibrator;         // hyperfine: ELF of a chain of known cost; NULL: none
    double calibrator_cycles;       // per iteration of it
    uint64_t calibrator_iterations; // default count of its bare run
};

// What an engine can do here, found by trying.
struct engine_probe {
    bool usable;              // it can execute variants that need no privilege
    char reason[256];         // why not, or with what limits
    enum privilege privilege; // what becomes of CLI, STI and POPF in it
    char privilege_reason[256];
    bool has_perf; // perf stat works: evidence executions go through it
    bool has_pmu;  // core cycles can be counted
    char pmu_reason[256];
    uint32_t counted_events; // bit i: settings->events[i] has a count here
    char unknown_event[64];  // the first that perf does not know by name; "" if there is none
    const char *accel;       // native, kvm, tcg
    int ring;                // CPL the loops run at
    enum target target;      // of what it executes
};

// One value beside the stopwatch's: cycles, instructions or an event, per iteration.
struct engine_count {
    enum quantity quantity;
    const char *source; // pmu, kernel (software events), tsc, hyperfine
    char event[64];
    enum status status;
    double value, low, high; // 95 % interval; NaN: none
    double samples;
    char detail[192];
};

enum { MAX_ENGINE_COUNTS = 16 };

// What an execution's code was, where somebody else makes it at each load (docs/kernel-proof.md).
struct execution_code {
    const char *verdict;       // proved, unproved, emulated
    const char *restores;      // how the functions that it calls restore IF: popf, sti, ""
    char *mix, *order, *calls; // of one iteration; what the functions hold that it calls
    char *listing;
    size_t length; // of the listing
};

struct execution {
    size_t index;       // of the job
    enum status status; // of the stopwatch run: ok if slices are there
    char detail[400];
    enum privilege privilege;
    int cpu;                             // where it ran; negative: not known
    struct slices slices;                // empty unless ok; the engine frees after the sink returns
    bool own_level;                      // its width segments are not those of the run: they take
    double level;                        // so many cycles on a core of one's own; NaN: not known
    uint64_t loop_address;               // where this execution had its loop; 0: as in the plan
    long long loop_bytes;                // and how long it was there
    struct execution_code *code;         // NULL: its binary says it all; the engine frees it, too
    double switches, migrations;         // of it, between tasks and CPUs; NaN: not known
    double seconds_started, seconds_run; // set by execution_took
    struct engine_count counts[MAX_ENGINE_COUNTS];
    size_t count;
};

// Gets every execution once, in the order they end. Nonzero: stop now.
typedef int engine_sink(const struct execution *execution, void *context);

struct engine {
    const char *name, *about;
    const char *source; // of its cycles: stopwatch or hyperfine
    enum target target; // of what it executes
    bool needs_unit;    // it tells cycles only beside a calibrator of the sweep
    // Fill *probe; by trying. Never fails: what does not work is the answer.
    void (*probe)(const struct engine_settings *settings, struct engine_probe *probe);
    // One of these two. 0, or -1 with *error when the engine itself broke (a variant's end is no
    // error: it is in its execution).
    // Execute one job that may run; *execution is execution_of(job).
    int (*execute)(const struct engine_settings *settings, const struct engine_probe *probe,
                   const struct engine_job *job, struct execution *execution, struct error *error);
    // Execute jobs[0..count) in order, for an engine that takes several at a time.
    int (*measure)(const struct engine_settings *settings, const struct engine_probe *probe,
                   const struct engine_job *jobs, size_t count, engine_sink *sink, void *context,
                   struct error *error);
};

// Execute jobs[0..count) in order, by what the engine has for it, until the sink or a signal ends
// it. 0, or -1 with *error.
int engine_measure(const struct engine *engine, const struct engine_settings *settings,
                   const struct engine_probe *probe, const struct engine_job *jobs, size_t count,
                   engine_sink *sink, void *context, struct error *error);

// What becomes of the job's privileged instructions under an engine with this probe.
enum privilege engine_privilege(const struct engine_job *job, const struct engine_probe *probe);

// May this variant be executed under an engine with this probe? Fills the execution's
// privilege; if not, also its status and the reason: refused where the engine cannot be used or
// does not execute its kind, or the truth gate did not find the privilege real that it needs;
// emulated where somebody else than the CPU executes it.
bool engine_may_run(const struct engine_job *job, const struct engine_probe *probe,
                    struct execution *execution);

// The second half of it: has the variant an instruction that is emulated there (emulated.def)?
bool engine_emulates(const struct engine_job *job, const struct engine_probe *probe,
                     struct execution *execution);

// An execution of which nothing is known yet.
struct execution execution_of(const struct engine_job *job, int cpu);

// The status of an execution or a count, and the printf'd reason for it.
#define ends_with(it, what, ...)                                                                   \
    ((it)->status = (what), snprintf((it)->detail, sizeof((it)->detail), __VA_ARGS__))

// Take the output of a variant's --stopwatch run as the execution's slices; status ok, and in the
// detail the flags that the loop left changed; or emulated, and no slices. -1: it is none;
// *execution stays, `why` says why.
int execution_take_slices(struct execution *execution, const char *output, size_t length,
                          size_t slices, char *why, size_t size);

void execution_free_code(struct execution *execution);

// One more count, not_counted and without a value yet. NULL: there is room for no more.
struct engine_count *execution_add_count(struct execution *execution, enum quantity quantity,
                                         const char *source, const char *event);

// What it took: `whole` seconds by our clock, of them `running` in the variant by another's (perf's
// task-clock, hyperfine's times; NaN: not told), the rest for starting the program
// around it. Clocks differ: no part is ever below 0 or above the whole.
void execution_took(struct execution *execution, double whole, double running);

// By name; NULL if there is none of that name.
const struct engine *engine_find(const char *name);

// All, in the order of engines.def; *count gets how many.
const struct engine *const *engine_list(size_t *count);
