// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the engine `guest`: the same variants at CPL0 in QEMU.
//
// accel=kvm gives costs by the stopwatch, if the truth gate finds CPL0 to be silicon's.
// accel=tcg executes everything under icount, so that faults and hangs show, and gives no
// cost: a tick is an instruction there, so its executions end as `emulated`.
#include "runner/engine/engine.h"

#include "runner/engine/guest_pmu.h"
#include "runner/engine/guest_truth.h"
#include "runner/engine/perf_stat.h"
#include "runner/estimate/slices.h"
#include "runner/host/process.h"

#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Jobs in one boot: a boot takes 50 ms, and the sink hears of a job only after its boot.
enum { JOBS_A_BOOT = 32 };
// Slices that prove that a variant's stopwatch works where they cannot be a cost.
enum { SLICES_EMULATED = 4 };

struct pack {
    const struct engine_job *jobs[JOBS_A_BOOT];
    const char *argv[JOBS_A_BOOT][4];
    struct guest_entry entries[JOBS_A_BOOT];
    struct guest_result results[JOBS_A_BOOT];
    size_t count;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int is_software(const struct engine_settings *settings) {
    return settings->accel && !strcmp(settings->accel, "tcg");
}

// `directory` is room for PATH_MAX characters that must outlive *options.
static void options_of(const struct engine_settings *settings, char *directory,
                       struct guest_options *options) {
    guest_options_init(options);
    options->cpu = settings->cpu;
    options->timeout = settings->timeout;
    options->accel = is_software(settings) ? GUEST_TCG : GUEST_KVM;
    options->icount = is_software(settings);
    if (settings->guest_kernel) {
        snprintf(directory, PATH_MAX, "%s", settings->guest_kernel);
        options->directory = dirname(directory);
        options->kernel = settings->guest_kernel;
    }
}

// The host's PMU counts guest mode from outside; a software CPU has none worth counting.
static void probe_pmu(const struct engine_settings *settings, struct engine_probe *probe) {
    struct engine_probe host = {0};
    if (!probe->usable || is_software(settings)) {
        snprintf(probe->pmu_reason, sizeof probe->pmu_reason, "nothing here has a cost to count");
        return;
    }
    perf_stat_probe(settings, &host);
    probe->has_pmu = host.has_pmu;
    snprintf(probe->pmu_reason, sizeof probe->pmu_reason, "%.200s on the host", host.pmu_reason);
}

static void probe(const struct engine_settings *settings, struct engine_probe *probe) {
    char directory[PATH_MAX];
    struct guest_options options;
    struct guest_truth truths[2];
    *probe = (struct engine_probe){.accel = is_software(settings) ? "tcg" : "kvm",
                                   .ring = settings->ring};
    options_of(settings, directory, &options);
    guest_probe(&options, truths);
    const struct guest_truth *truth = &truths[settings->ring == 3];
    probe->privilege = truth->privilege;
    snprintf(probe->privilege_reason, sizeof probe->privilege_reason, "%s", truth->detail);
    // Where KVM has no real ring, nothing that runs there has its real cost.
    probe->usable = is_software(settings) ? probe->privilege == PRIVILEGE_emulated
                                          : probe->privilege == PRIVILEGE_real;
    if (is_software(settings) && probe->usable)
        snprintf(probe->reason, sizeof probe->reason,
                 "a software CPU: proves what loops do, never what they cost");
    else if (!probe->usable)
        snprintf(probe->reason, sizeof probe->reason, "CPL%d is %s: %.200s", settings->ring,
                 privilege_name(probe->privilege), probe->privilege_reason);
    probe_pmu(settings, probe);
}

static void take_slices(const struct guest_result *result, size_t slices, int software,
                        struct execution *execution) {
    char why[160];
    if (slices_parse(result->output ? result->output : "", result->output_length, slices,
                     &execution->slices, why, sizeof why)) {
        execution->status = STATUS_faulted;
        snprintf(execution->detail, sizeof execution->detail, "exit status %d; %s",
                 result->exit_status, why);
        return;
    }
    execution->status = STATUS_ok;
    if (execution->slices.flags_left)
        slices_describe_flags(execution->slices.flags_left, execution->detail,
                              sizeof execution->detail);
    if (software) {
        slices_free(&execution->slices);
        execution->status = STATUS_emulated;
        snprintf(execution->detail, sizeof execution->detail,
                 "executed to its end by a software CPU, which has no costs");
    }
}

static void take_result(const struct guest_result *result, size_t slices, int software,
                        struct execution *execution) {
    switch (result->end) {
    case GUEST_EXITED:
        take_slices(result, slices, software, execution);
        return;
    case GUEST_TIMED_OUT:
        execution->status = STATUS_timed_out;
        break;
    case GUEST_NOT_RUN:
    case GUEST_FAULTED:
    case GUEST_CRASHED:
        execution->status = STATUS_faulted;
        break;
    }
    snprintf(execution->detail, sizeof execution->detail, "%s", result->detail);
}

static void start_execution(const struct engine_settings *settings,
                            const struct engine_probe *probe, const struct engine_job *job,
                            struct execution *execution) {
    *execution = (struct execution){
        .index = job->index,
        .privilege = job->needs == NEEDS_none ? PRIVILEGE_not_needed : probe->privilege,
        .cpu = settings->cpu,
        .switches = -1,
        .health_source = "none",
    };
    for (int i = 0; i < HEALTH_COUNT; i++)
        execution->health.values[i] = NAN;
}

// Boot once with the pack's jobs and hand each to the sink.
static int run_pack(const struct engine_settings *settings, const struct engine_probe *probe,
                    struct pack *pack, size_t slices, engine_sink *sink, void *context, int *stop,
                    struct error *error) {
    char directory[PATH_MAX];
    struct guest_options options;
    options_of(settings, directory, &options);
    double started = now();
    int failed = guest_run(pack->entries, pack->count, &options, pack->results, NULL, 0, error);
    double seconds = (now() - started) / (double)pack->count; // a share of the boot's
    for (size_t i = 0; !failed && i < pack->count && !*stop; i++) {
        struct execution execution;
        start_execution(settings, probe, pack->jobs[i], &execution);
        execution_took(&execution, seconds, seconds);
        take_result(&pack->results[i], slices, is_software(settings), &execution);
        if (probe->has_pmu && execution.status == STATUS_ok)
            failed = guest_pmu_slopes(&options, pack->jobs[i], probe->ring, &execution, error);
        *stop = sink(&execution, context);
        slices_free(&execution.slices);
    }
    guest_results_free(pack->results, pack->count);
    return failed && !process_interrupted() ? -1 : 0;
}

// Not executed: no number from here would be a cost.
static int refuse(const struct engine_settings *settings, const struct engine_probe *probe,
                  const struct engine_job *job, engine_sink *sink, void *context) {
    struct execution execution;
    start_execution(settings, probe, job, &execution);
    execution.status = probe->privilege == PRIVILEGE_emulated ? STATUS_emulated : STATUS_refused;
    snprintf(execution.detail, sizeof execution.detail,
             "not executed: CPL%d in this guest is %s (%s)", probe->ring,
             privilege_name(probe->privilege), probe->privilege_reason);
    return sink(&execution, context);
}

// A variant that may leave IF 0 belongs to CPL0, whatever this ring is.
static int refuse_ring(const struct engine_settings *settings, const struct engine_probe *probe,
                       const struct engine_job *job, engine_sink *sink, void *context) {
    struct execution execution;
    start_execution(settings, probe, job, &execution);
    if (engine_may_run(job, probe, &execution))
        return 0;
    return sink(&execution, context);
}

static int measure(const struct engine_settings *settings, const struct engine_probe *probe,
                   const struct engine_job *jobs, size_t count, engine_sink *sink, void *context,
                   struct error *error) {
    char slices_text[24];
    size_t slices = settings->slices;
    int stop = 0, failed = 0;
    if (is_software(settings) && slices > SLICES_EMULATED)
        slices = SLICES_EMULATED;
    snprintf(slices_text, sizeof slices_text, "%zu", slices);
    for (size_t i = 0; !probe->usable && i < count && !stop; i++)
        stop = refuse(settings, probe, &jobs[i], sink, context);
    struct pack *pack = calloc(1, sizeof *pack);
    if (!pack)
        return error_set(error, ERROR_MISSING, NULL, 0, "not enough memory for the guest's pack");
    for (size_t i = 0; probe->usable && i < count && !stop && !failed && !process_interrupted();) {
        for (pack->count = 0; pack->count < JOBS_A_BOOT && i < count; i++) {
            if (jobs[i].needs == NEEDS_cpl0 && probe->ring != 0) {
                stop = stop || refuse_ring(settings, probe, &jobs[i], sink, context);
                continue;
            }
            const char *const argv[] = {jobs[i].variant, "--stopwatch", slices_text, NULL};
            pack->jobs[pack->count] = &jobs[i];
            memcpy(pack->argv[pack->count], argv, sizeof argv);
            pack->entries[pack->count] =
                (struct guest_entry){jobs[i].path, pack->argv[pack->count], probe->ring};
            pack->count++;
        }
        if (pack->count && !stop)
            failed = run_pack(settings, probe, pack, slices, sink, context, &stop, error);
    }
    free(pack);
    return failed;
}

const struct engine engine_guest = {
    .name = "guest",
    .about = "programs at CPL0 or CPL3 with IOPL=3 in QEMU: costs with accel=kvm, proof with tcg",
    .source = "stopwatch",
    .probe = probe,
    .measure = measure,
};
