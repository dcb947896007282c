// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the engine `guest`: the same variants at CPL0 in QEMU.
//
// accel=kvm gives costs by the stopwatch, if the truth gate finds CPL0 to be silicon's.
// accel=tcg executes everything under icount, so that faults and hangs show, and gives no
// cost: a tick is an instruction there, so its executions end as `emulated`.
#include "runner/engine/engine.h"

#include "common/memory.h"
#include "runner/engine/guest_truth.h"
#include "runner/engine/perf_stat.h"
#include "runner/estimate/slices.h"
#include "runner/host/process.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Jobs in one boot: a boot takes 50 ms, and the sink hears of a job only after its boot.
enum { JOBS_A_BOOT = 32 };
// Slices that prove that a variant's stopwatch works where they cannot be a cost.
enum { SLICES_EMULATED = 4 };

struct pack {
    const struct engine_job *jobs[JOBS_A_BOOT];
    struct guest_entry entries[JOBS_A_BOOT];
    struct guest_result results[JOBS_A_BOOT];
    size_t count, slices;
    char slices_text[24];
};

static bool is_software(const struct engine_settings *settings) {
    return settings->accel && !strcmp(settings->accel, "tcg");
}

// `path` is room that must outlive the options: the truth program lies beside the kernel.
static struct guest_options make_options(const struct engine_settings *settings,
                                         char path[PATH_MAX]) {
    struct guest_options options = {.cpu = settings->cpu,
                                    .timeout = settings->timeout,
                                    .accel = is_software(settings) ? GUEST_TCG : GUEST_KVM,
                                    .icount = is_software(settings),
                                    .kernel = settings->guest_kernel};
    if (options.kernel) {
        snprintf(path, PATH_MAX, "%s", options.kernel);
        options.directory = dirname(path);
    }
    return options;
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
    char path[PATH_MAX];
    struct guest_options options = make_options(settings, path);
    struct guest_truth truths[2];
    *probe = (struct engine_probe){.accel = is_software(settings) ? "tcg" : "kvm",
                                   .ring = settings->ring};
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

static void take_slices(const struct guest_result *result, size_t slices, bool software,
                        struct execution *execution) {
    char why[160];
    if (execution_take_slices(execution, result->output ? result->output : "",
                              result->output_length, slices, why, sizeof why)) {
        ends_with(execution, STATUS_faulted, "exit status %d; %s", result->exit_status, why);
    } else if (software) {
        slices_free(&execution->slices);
        ends_with(execution, STATUS_emulated,
                  "executed to its end by a software CPU, which has no costs");
    }
}

// Boot once with the pack's jobs and hand each to the sink.
static int run_pack(const struct engine_settings *settings, const struct engine_probe *probe,
                    struct pack *pack, engine_sink *sink, void *context, int *stop,
                    struct error *error) {
    char path[PATH_MAX];
    struct guest_options options = make_options(settings, path);
    double started = process_now();
    int failed = guest_run(pack->entries, pack->count, &options, pack->results, NULL, 0, error);
    double seconds = (process_now() - started) / (double)pack->count; // a share of the boot's
    for (size_t i = 0; !failed && i < pack->count && !*stop; i++) {
        const struct guest_result *result = &pack->results[i];
        struct execution execution = execution_of(pack->jobs[i], settings->cpu);
        execution.privilege = engine_privilege(pack->jobs[i], probe);
        execution_took(&execution, seconds, seconds);
        if (result->end == GUEST_EXITED)
            take_slices(result, pack->slices, is_software(settings), &execution);
        else
            ends_with(&execution,
                      result->end == GUEST_TIMED_OUT ? STATUS_timed_out : STATUS_faulted, "%s",
                      result->detail);
        if (probe->has_pmu && execution.status == STATUS_ok)
            failed =
                perf_stat_guest_slopes(&options, pack->jobs[i], probe->ring, &execution, error);
        *stop = sink(&execution, context);
        slices_free(&execution.slices);
    }
    guest_results_free(pack->results, pack->count);
    pack->count = 0;
    return failed && !process_interrupted() ? -1 : 0;
}

static void add_job(struct pack *pack, const struct engine_job *job, int ring) {
    size_t at = pack->count++;
    pack->jobs[at] = job;
    pack->entries[at] =
        (struct guest_entry){job->path, {job->variant, "--stopwatch", pack->slices_text}, ring};
}

// A variant that may leave IF 0 belongs to CPL0, whatever this ring is. Where the guest is not
// usable nothing is executed: no number from it would be a cost.
static bool is_refused(const struct engine_probe *probe, const struct engine_job *job,
                       struct execution *execution) {
    execution->privilege = engine_privilege(job, probe);
    if (probe->usable && execution->privilege == PRIVILEGE_unavailable)
        return !engine_may_run(job, probe, execution);
    if (!probe->usable)
        ends_with(execution,
                  probe->privilege == PRIVILEGE_emulated ? STATUS_emulated : STATUS_refused,
                  "not executed: CPL%d in this guest is %s (%s)", probe->ring,
                  privilege_name(probe->privilege), probe->privilege_reason);
    return !probe->usable ||
           (strcmp(probe->accel, "kvm") == 0 && engine_emulates(job, probe, execution));
}

static int measure(const struct engine_settings *settings, const struct engine_probe *probe,
                   const struct engine_job *jobs, size_t count, engine_sink *sink, void *context,
                   struct error *error) {
    int stop = 0, failed = 0;
    struct pack *pack = memory_zero(1, sizeof *pack);
    pack->slices = settings->slices;
    if (is_software(settings) && pack->slices > SLICES_EMULATED)
        pack->slices = SLICES_EMULATED;
    snprintf(pack->slices_text, sizeof pack->slices_text, "%zu", pack->slices);
    for (size_t i = 0; i < count && !stop && !failed && !process_interrupted(); i++) {
        struct execution execution = execution_of(&jobs[i], settings->cpu);
        if (is_refused(probe, &jobs[i], &execution))
            stop = sink(&execution, context);
        else
            add_job(pack, &jobs[i], probe->ring);
        if (!stop && pack->count && (pack->count == JOBS_A_BOOT || i + 1 == count))
            failed = run_pack(settings, probe, pack, sink, context, &stop, error);
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
