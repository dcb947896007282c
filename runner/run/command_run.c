// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-run run: a request becomes a run, a run its report.
#include "runner/run/command.h"

#include "runner/host/core_lock.h"
#include "runner/host/process.h"
#include "runner/host/tune.h"
#include "runner/run/cross_check.h"
#include "runner/run/prepare.h"
#include "runner/run/report.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// At most, where a neighbour is there all the time.
#define FIND_SECONDS 0.5

static void on_signal(int number) {
    (void)number;
    process_interrupt();
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN); // a closed stdout is a write error, not the end of a run
}

// Whether the core is shared, and with which of our own CPUs.
static void look_at_core(struct measurement *run, size_t core) {
    struct machine machine;
    int cpu = run->cores[core].cpu;
    machine_describe(cpu, &machine);
    width_find(cpu, &machine, FIND_SECONDS, &run->found[core]);
    neighbour_siblings(cpu, &run->found[core], &run->siblings[core]);
}

// For --contended: a sibling of the core that we may use, locked as the core is.
static int take_neighbour(const struct request *request, struct measurement *run, size_t core,
                          struct error *error) {
    int cpu = run->cores[core].cpu, sibling = neighbour_first(&run->siblings[core]);
    if (run->engine->needs_unit)
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "--contended needs the stopwatch's slices, which engine %s has not",
                         run->engine->name);
    if (!machine_cpu_allowed(sibling))
        return error_set(error, ERROR_MISSING, NULL, 0,
                         "--contended needs a CPU of ours that shares the core of CPU %d, and none "
                         "was found; ./asmsweep doctor shows which share one",
                         cpu);
    run->neighbour_locks[core] = core_lock(sibling, !request->no_wait, error);
    return run->neighbour_locks[core] < 0 ? -1 : 0;
}

// The cores to measure on, each locked against other runs and probed.
static int take_cores(const struct request *request, struct measurement *run, struct error *error) {
    run->core_count = prepare_cores(run->settings->cpu, run->cores, error);
    if (!run->core_count)
        return -1;
    for (size_t i = 0; i < run->core_count; i++) {
        int cpu = run->cores[i].cpu;
        if (!request->dry_run && (run->locks[i] = core_lock(cpu, !request->no_wait, error)) < 0)
            return -1;
        struct engine_settings settings = measure_settings(run, i);
        run->engine->probe(&settings, &run->probes[i]);
        if (run->kernel_engine)
            run->kernel_engine->probe(&settings, &run->kernel_probes[i]);
        if (!request->dry_run)
            look_at_core(run, i);
        if (!request->dry_run && run->settings->contended && take_neighbour(request, run, i, error))
            return -1;
    }
    // At last, as what is kept off a CPU is not asked whether it may be there.
    for (size_t i = 0; !request->dry_run && i < run->core_count; i++)
        neighbour_keep_off(run->cores[i].cpu, &run->siblings[i]);
    if (!run->probes[0].usable)
        return error_set(error, ERROR_MISSING, NULL, 0, "engine %s cannot be used here: %s",
                         run->engine->name, run->probes[0].reason);
    if (*run->probes[0].unknown_event)
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "perf knows no event '%s'; perf list names those of this machine",
                         run->probes[0].unknown_event);
    return 0;
}

static int open_folder(const struct request *request, struct measurement *run,
                       struct error *error) {
    struct machine machine;
    machine_describe(run->cores[0].cpu, &machine);
    if (request->resume ? store_go_on(run->store, error)
                        : prepare_folder(request, run->settings, &machine, run->store, error))
        return -1;
    // Said first, so that whoever started the run can resume it should it be killed.
    printf("%s\n", run->store->directory);
    fflush(stdout);
    return 0;
}

// Measure into the run's folder, which gets its summary also when the run broke. The exit status,
// or -1 with *error.
static int measure_and_report(const struct request *request, struct measurement *run,
                              struct error *error) {
    struct error tune_error, summary_error = {0};
    const char *terminal = getenv("TERM");
    if (open_folder(request, run, error))
        return -1;
    double started = machine_read_tsc().seconds;
    run->deadline = request->budget > 0 ? started + request->budget : 0;
    run->progress = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb");
    int tuned = -1;
    if (request->tune && (tuned = tune_apply(&tune_system, run->cores[0].cpu, stderr, error)) < 0)
        return -1;
    int failed = report_begin(run, request->revision, error) || measure(run, error);
    if (tuned >= 0 && tune_restore(&tune_system, tuned, &tune_error))
        fprintf(stderr, "asmsweep-run: %s\n", tune_error.text);
    int status = report_end(run, machine_read_tsc().seconds - started, &summary_error);
    if (!failed && status >= 0 && !run->cut_short &&
        store_end(run->store, run->out_of_budget ? "budget" : "complete", &summary_error))
        status = -1;
    if (failed)
        return -1;
    if (status < 0)
        *error = summary_error;
    return status;
}

static const struct engine *find_engine(const char *name, struct error *error) {
    const struct engine *engine = engine_find(name);
    if (!engine)
        error_set(error, ERROR_INPUT, NULL, 0, "no engine '%s'; ./asmsweep doctor lists them",
                  name);
    return engine;
}

// Loading programs into the kernel is tried only where a variant asks for it.
static const struct engine *find_kernel_engine(const struct plan *plan) {
    for (size_t i = 0; i < plan->count; i++)
        if (plan->rows[i].target == TARGET_bpf)
            return engine_find("bpf");
    return NULL;
}

// May the folder that was asked for become a new run's?
static int check_folder(const struct request *request, struct error *error) {
    if (!request->out || request->resume || request->dry_run)
        return 0;
    return store_is_free(request->out, error) || store_can_be_made(request->out, error) ? -1 : 0;
}

// All that can be said or refused before anything is measured; what has to wait comes last.
static int prepare(const struct request *request, struct plan *plan, struct measurement *run,
                   struct error *error) {
    struct settings *settings = run->settings;
    if (request->resume ? prepare_resumed(request, settings, run->store, plan, &run->history, error)
                        : prepare_new(request, settings, plan, error))
        return -1;
    if (!(run->engine = find_engine(settings->engine, error)))
        return -1;
    if (tune_recover(&tune_system, stderr, error))
        fprintf(stderr, "asmsweep-run: %s\n", error->text);
    run->kernel_engine = find_kernel_engine(plan);
    catch_signals();
    snprintf(run->event_text, sizeof run->event_text, "%s", settings->events);
    run->event_count = request_split_events(run->event_text, run->events);
    run->guest_kernel = request->guest_kernel;
    run->no_perf = request->no_perf != 0;
    if (cross_check_find(run, error) || check_folder(request, error) ||
        take_cores(request, run, error))
        return -1;
    for (size_t i = 0; i < run->event_count; i++)
        if (!(run->probes[0].counted_events >> i & 1))
            fprintf(stderr, "asmsweep-run: not counted here: %s: %s\n", run->events[i],
                    measure_why_lost(&run->probes[0]));
    return 0;
}

// The options alone, of a build that need not be there yet. 0 or -1 with *error.
static int check_options(const struct request *request, struct error *error) {
    struct core cores[2];
    if (!prepare_cores(request->cpu, cores, error))
        return -1;
    return request->engine && !find_engine(request->engine, error) ? -1 : 0;
}

int command_run(int argc, char **argv, struct error *error) {
    struct request request;
    struct settings settings = {0};
    struct store store = {0};
    struct plan plan = {0};
    struct measurement run = {.settings = &settings,
                              .plan = &plan,
                              .store = &store,
                              .locks = {-1, -1},
                              .neighbour_locks = {-1, -1}};
    if (request_parse(argc, argv, &request, error))
        return -1;
    if (request.check)
        return check_options(&request, error);
    int status = prepare(&request, &plan, &run, error);
    if (!status)
        status = request.dry_run ? report_dry_run(&run) : measure_and_report(&request, &run, error);
    for (size_t i = 0; i < 2; i++) {
        if (run.locks[i] >= 0)
            close(run.locks[i]);
        if (run.neighbour_locks[i] >= 0)
            close(run.neighbour_locks[i]);
    }
    measure_free(&run);
    plan_free(&plan);
    store_close(&store);
    return status;
}
