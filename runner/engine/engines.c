// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/engine.h"

#include "runner/engine/emulated.h"
#include "runner/estimate/slices.h"
#include "runner/host/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENGINE(name) extern const struct engine engine_##name;
#include "runner/engine/engines.def"
#undef ENGINE

static const struct engine *const engines[] = {
#define ENGINE(name) &engine_##name,
#include "runner/engine/engines.def"
#undef ENGINE
};

const struct engine *const *engine_list(size_t *count) {
    *count = sizeof engines / sizeof *engines;
    return engines;
}

const struct engine *engine_find(const char *name) {
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (!strcmp(engines[i]->name, name))
            return engines[i];
    return NULL;
}

int engine_measure(const struct engine *engine, const struct engine_settings *settings,
                   const struct engine_probe *probe, const struct engine_job *jobs, size_t count,
                   engine_sink *sink, void *context, struct error *error) {
    if (engine->measure)
        return engine->measure(settings, probe, jobs, count, sink, context, error);
    int stop = 0, failed = 0;
    for (size_t i = 0; i < count && !stop && !failed && !process_interrupted(); i++) {
        struct execution execution = execution_of(&jobs[i], settings->cpu);
        if (engine_may_run(&jobs[i], probe, &execution))
            failed = engine->execute(settings, probe, &jobs[i], &execution, error);
        if (!failed && !process_interrupted())
            stop = sink(&execution, context);
        slices_free(&execution.slices);
        execution_free_code(&execution);
    }
    return failed;
}

static bool is_wrong_ring(const struct engine_job *job, const struct engine_probe *probe) {
    return job->needs == NEEDS_cpl0 && probe->ring != 0;
}

enum privilege engine_privilege(const struct engine_job *job, const struct engine_probe *probe) {
    return job->target == TARGET_bpf   ? probe->privilege
           : job->needs == NEEDS_none  ? PRIVILEGE_not_needed
           : is_wrong_ring(job, probe) ? PRIVILEGE_unavailable
                                       : probe->privilege;
}

// Has the engine no use for it, whatever it needs?
static bool is_refused(const struct engine_job *job, const struct engine_probe *probe,
                       struct execution *execution) {
    if (job->target != probe->target)
        ends_with(execution, STATUS_refused, "not executed: %s",
                  job->target == TARGET_bpf ? "a program of the kernel: engine bpf only"
                                            : "no program of the kernel");
    else if (!probe->usable)
        ends_with(execution, STATUS_refused, "not executed: %s", probe->reason);
    else
        return false;
    execution->privilege = PRIVILEGE_unavailable;
    return true;
}

bool engine_may_run(const struct engine_job *job, const struct engine_probe *probe,
                    struct execution *execution) {
    if (is_refused(job, probe, execution))
        return false;
    enum privilege privilege = execution->privilege = engine_privilege(job, probe);
    if (privilege == PRIVILEGE_not_needed || privilege == PRIVILEGE_real)
        return !engine_emulates(job, probe, execution);
    ends_with(execution, STATUS_refused, "not executed: privilege %s at CPL%d (%s)",
              privilege_name(privilege), probe->ring,
              is_wrong_ring(job, probe) ? "it leaves IF 0 between iterations: guest engine only"
                                        : probe->privilege_reason);
    return false;
}

bool engine_emulates(const struct engine_job *job, const struct engine_probe *probe,
                     struct execution *execution) {
    char why[160];
    if (job->mix == NULL || !emulators_may_hold(job->mix))
        return false;
    struct emulators emulators =
        emulators_find(probe->accel, probe->ring, job->needs == NEEDS_iopl);
    if (!emulators_hold(&emulators, job->mix, why, sizeof why))
        return false;
    ends_with(execution, STATUS_emulated, "not executed: %s", why);
    return true;
}

struct execution execution_of(const struct engine_job *job, int cpu) {
    return (struct execution){
        .index = job->index, .cpu = cpu, .switches = NAN, .migrations = NAN, .level = NAN};
}

int execution_take_slices(struct execution *execution, const char *output, size_t length,
                          size_t slices, char *why, size_t size) {
    if (slices_parse(output, length, slices, &execution->slices, why, size))
        return -1;
    execution->status = STATUS_ok;
    if (execution->slices.emulated) {
        ends_with(execution, STATUS_emulated, "%s", execution->slices.emulated);
        slices_free(&execution->slices);
    } else if (execution->slices.flags_left) {
        slices_describe_flags(execution->slices.flags_left, execution->detail,
                              sizeof execution->detail);
    }
    return 0;
}

void execution_free_code(struct execution *execution) {
    struct execution_code *code = execution->code;
    if (!code)
        return;
    free(code->mix);
    free(code->order);
    free(code->calls);
    free(code->listing);
    free(code);
    execution->code = NULL;
}

void execution_took(struct execution *execution, double whole, double running) {
    execution->seconds_run = isnan(running) ? whole : fmin(fmax(running, 0), whole);
    execution->seconds_started = whole - execution->seconds_run;
}

struct engine_count *execution_add_count(struct execution *execution, enum quantity quantity,
                                         const char *source, const char *event) {
    if (execution->count == MAX_ENGINE_COUNTS)
        return NULL;
    struct engine_count *count = &execution->counts[execution->count++];
    *count = (struct engine_count){.quantity = quantity,
                                   .source = source,
                                   .status = STATUS_not_counted,
                                   .value = NAN,
                                   .low = NAN,
                                   .high = NAN,
                                   .samples = NAN};
    snprintf(count->event, sizeof count->event, "%s", event);
    return count;
}
