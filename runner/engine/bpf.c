// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the engine `bpf`: programs at CPL0 of the running kernel, on silicon.
//
// The kernel's verifier accepts a program, its JIT makes it native, and BPF_PROG_TEST_RUN runs it
// on the CPU we are on: once a slice. Each execution loads anew, as the JIT chooses another place.
// Only constants bound a loop for the verifier, so the first execution of a variant loads it once
// more, to find how many iterations make a segment.
#include "runner/engine/bpf_evidence.h"
#include "runner/engine/bpf_level.h"
#include "runner/engine/bpf_probe.h"
#include "runner/engine/bpf_slices.h"
#include "runner/engine/engine.h"

#include "common/memory.h"
#include "runner/bpf/place.h"
#include "runner/host/process.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

// In the first load; the fastest of so many runs tells how long an iteration is.
enum { FIRST_N = 16, TRIES = 30 };
// As the stopwatch of programs has them: which slices are checked, and how long it waits for a
// neighbour to go, in times of what the slices take.
enum { SLICES_A_CHECK = 8, SLICES_A_FAR_CHECK = 30, USUAL_PATIENCE = 3, SLICES_BESIDE = 40 };
static const double seconds_a_slice = 60e-6, level_seconds = 0.5;

// Loads until the loop begins with a cache line, which one in four does.
enum { PLACE_TRIES = 8 };

struct run {
    struct object *object;
    struct loaded loaded;
    struct slices *slices;
    double level;
    struct error *error;
};

// What variants were found to need, by the files of their programs.
static struct known {
    char *path;
    uint32_t n; // iterations; 0: not known
    struct place place;
} * known;
static size_t known_count;

static struct known *recall(const char *path) {
    for (size_t i = 0; i < known_count; i++)
        if (!strcmp(known[i].path, path))
            return &known[i];
    known = memory_more(known, known_count, sizeof *known);
    known[known_count] = (struct known){.path = text_make("%s", path)};
    return &known[known_count++];
}

static enum load_refusal load(struct run *run, uint32_t n) {
    bpf_slices_begin(run->slices, n);
    const uint32_t *counts = run->slices->n;
    const struct load_number numbers[] = {{"n_add", counts[SEGMENT_add]},
                                          {"n_shift", counts[SEGMENT_rol]},
                                          {"n_imul", counts[SEGMENT_imul]},
                                          {"n_loop", n},
                                          {"n_width", counts[SEGMENT_width_before]}};
    return load_program(run->object, numbers, sizeof numbers / sizeof *numbers, &run->loaded,
                        run->error);
}

// The clock may make steps of tens of cycles; runs whose starts keep their places on that grid
// would be off by the same part of a step each time. (Numbers: Lehmer's generator.)
static void wait_somewhat(void) {
    static uint32_t state = 1;
    state = (uint32_t)((uint64_t)state * 48271 % 2147483647);
    for (uint32_t turns = state & 255; turns; turns--)
        __asm__ volatile("");
}

// 0, or -1 with *error.
static int run_once(struct run *run, uint32_t what) {
    run->loaded.times[BPF_TIMES_RUN] = what;
    wait_somewhat();
    return load_run(&run->loaded, run->error);
}

// The least of several slices, segment by segment.
static int find_least(struct run *run, struct slice *least) {
    for (int try = 0; try < TRIES; try++) {
        struct slice slice;
        if (run_once(run, 0))
            return -1;
        bpf_take_slice(run->loaded.times, &slice);
        for (int segment = 0; segment < SEGMENT_COUNT; segment++)
            for (int twice = 0; twice < 2; twice++)
                if (!try || slice.ticks[segment][twice] < least->ticks[segment][twice])
                    least->ticks[segment][twice] = slice.ticks[segment][twice];
    }
    return 0;
}

// Where the loop lies: its address and length, and its offset in its function. Zeros: not told.
static size_t find_place(const struct run *run, struct execution *execution) {
    struct load_native native;
    struct error ignored;
    size_t offset = 0;
    if (!load_native(&run->loaded, &native, &ignored) && run->object->loop < native.count) {
        const struct load_code *loop = &native.functions[run->object->loop];
        offset = place_find(loop->bytes, loop->length);
        execution->loop_address = loop->address ? loop->address + offset : 0;
        execution->loop_bytes = (long long)loop->length;
    }
    load_native_free(&native);
    return offset;
}

// Learn what the variant needs from a first load of it.
static enum load_refusal learn(struct run *run, struct known *needs, struct execution *execution) {
    struct slice least;
    enum load_refusal refusal = load(run, FIRST_N);
    if (refusal != LOAD_taken)
        return refusal;
    size_t offset = find_place(run, execution);
    if (offset)
        needs->place = place_choose(offset, (size_t)execution->loop_bytes);
    bool proved = bpf_prove(run->object, &run->loaded, execution);
    if (proved && find_least(run, &least))
        return LOAD_failed;
    needs->n = proved ? bpf_choose_n(run->slices, &least) : 0; // what is not proved never runs
    load_unload(&run->loaded);
    return LOAD_taken;
}

// Load with as many iterations as make a segment, where the loop begins with a cache line; some
// other place where the JIT does not give that.
static enum load_refusal load_for_slices(struct run *run, const char *path,
                                         struct execution *execution) {
    struct known *needs = recall(path);
    enum load_refusal refusal = needs->n ? LOAD_taken : learn(run, needs, execution);
    if (refusal != LOAD_taken)
        return refusal;
    place_put(run->object, needs->place);
    for (int try = 1; (refusal = load(run, needs->n ? needs->n : FIRST_N)) == LOAD_taken; try++) {
        find_place(run, execution);
        if (execution->loop_address % PLACE_LINE == 0 || try == PLACE_TRIES)
            break;
        load_unload(&run->loaded);
    }
    return refusal;
}

static int take_check(struct run *run, uint32_t times, struct slice *slice) {
    if (run_once(run, times))
        return -1;
    bpf_take_check(run->loaded.times, times, &slice->check);
    return 0;
}

// Slices until there are `count`, or the time is over; then some that say what half a core gives.
static int take_slices(struct run *run, size_t count, unsigned patience) {
    double end = process_now() +
                 (double)(patience ? patience : USUAL_PATIENCE) * seconds_a_slice * (double)count;
    struct slices *slices = run->slices;
    size_t beside = 0;
    bool far_is_due = false;
    slices->slices = memory_zero(count + 1, sizeof *slices->slices);
    while (slices->count < count && beside < SLICES_BESIDE && !process_interrupted()) {
        struct slice *slice = &slices->slices[slices->count];
        bool patient = !beside && process_now() < end;
        if (run_once(run, 0))
            return -1;
        bpf_take_slice(run->loaded.times, slice);
        bool alone = bpf_is_alone(slices, slice, run->level);
        if (patient && !alone)
            continue;
        beside += !patient && !alone;
        far_is_due = far_is_due || slices->count % SLICES_A_FAR_CHECK == SLICES_A_FAR_CHECK / 2;
        bool near = slices->count % SLICES_A_CHECK == 0;
        if ((near || far_is_due) && take_check(run, near ? BPF_NEAR : BPF_FAR, slice))
            return -1;
        far_is_due = far_is_due && near;
        slices->count++;
    }
    return 0;
}

static void refuse(enum load_refusal refusal, const struct error *error,
                   struct execution *execution) {
    ends_with(execution, refusal == LOAD_failed ? STATUS_unavailable : STATUS_refused,
              "not executed: %s", error->text);
}

// All of it on the CPU that we are on by now.
static void measure(struct run *run, const struct engine_settings *settings, const char *path,
                    struct execution *execution) {
    enum load_refusal refusal = load_for_slices(run, path, execution);
    if (refusal != LOAD_taken) {
        refuse(refusal, run->error, execution);
        load_unload(&run->loaded);
        return;
    }
    if (!bpf_prove(run->object, &run->loaded, execution)) {
        load_unload(&run->loaded);
        return;
    }
    run->level = execution->level =
        bpf_level_find(&run->loaded, run->slices, settings->cpu, settings->level, level_seconds);
    execution->own_level = true;
    if (take_slices(run, settings->slices, settings->patience))
        ends_with(execution, STATUS_faulted, "%s", run->error->text);
    else
        execution->status = run->slices->count ? STATUS_ok : STATUS_timed_out;
    load_unload(&run->loaded);
}

static double switches_now(void) {
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    return (double)(usage.ru_nvcsw + usage.ru_nivcsw);
}

static int execute(const struct engine_settings *settings, const struct engine_probe *probe,
                   const struct engine_job *job, struct execution *execution, struct error *error) {
    (void)probe;
    struct object object;
    struct error why = {0};
    cpu_set_t before, one;
    double started = process_now(), switches = switches_now();
    if (object_read(job->path, &object, &why)) {
        ends_with(execution, STATUS_unproved, "not executed: %s", why.text);
        object_free(&object);
        return 0;
    }
    CPU_ZERO(&one);
    CPU_SET((unsigned)settings->cpu, &one);
    if (sched_getaffinity(0, sizeof before, &before) || sched_setaffinity(0, sizeof one, &one)) {
        object_free(&object);
        return error_errno(error, ERROR_MISSING, NULL, "cannot run on CPU %d", settings->cpu);
    }
    struct run run = {.object = &object, .slices = &execution->slices, .error = &why};
    measure(&run, settings, job->path, execution);
    sched_setaffinity(0, sizeof before, &before);
    execution->switches = switches_now() - switches;
    execution->migrations = 0;
    double seconds = process_now() - started;
    execution_took(execution, seconds, seconds);
    object_free(&object);
    return 0;
}

const struct engine engine_bpf = {
    .name = "bpf",
    .about = "programs at CPL0 of the running kernel, made native by its JIT",
    .source = "stopwatch",
    .target = TARGET_bpf,
    .probe = bpf_probe,
    .execute = execute,
};
