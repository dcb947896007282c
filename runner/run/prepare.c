// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/prepare.h"

#include "common/disk.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Blocks are repeated up to this many times for variants that need it.
enum { DEFAULT_BLOCKS = 5, MOST_TIMES = 12, DEFAULT_SLICES = 200 };
static const double default_precision = 0.005, default_timeout = 10;

static void make_run_id(char *text, size_t size) {
    time_t now = time(NULL);
    struct tm parts;
    unsigned short random = 0;
    gmtime_r(&now, &parts);
    if (getentropy(&random, sizeof random))
        random = (unsigned short)getpid();
    size_t length = strftime(text, size, "%Y%m%dT%H%M%SZ", &parts);
    snprintf(text + length, size - length, "-%04x", random);
}

static void make_cpu_key(const struct machine *machine, char *text, size_t size) {
    snprintf(text, size, "%s-%s-%s-%s %s %s", machine->cpu_vendor, machine->cpu_family,
             machine->cpu_model, machine->cpu_stepping, machine->microcode, machine->kernel);
}

// Was the run begun here? A microcode that could not be read, then or now, is no other CPU.
static int same_cpu(const char *begun_on, const struct machine *here, char *key, size_t size) {
    struct machine other = *here;
    other.microcode[0] = '\0';
    make_cpu_key(&other, key, size);
    if (!strcmp(key, begun_on))
        return 1;
    other = *here;
    if (!*other.microcode)
        sscanf(begun_on, "%*s %23s", other.microcode);
    make_cpu_key(&other, key, size);
    return !strcmp(key, begun_on);
}

static int settle(const struct request *request, const struct plan *plan,
                  const struct machine *machine, struct settings *settings, struct error *error) {
    *settings = (struct settings){
        .seed = request->seed >= 0 ? request->seed : (long long)time(NULL),
        .blocks = request->blocks > 0 ? request->blocks : DEFAULT_BLOCKS,
        .slices = request->slices > 0 ? request->slices : DEFAULT_SLICES,
        .cross_check = request->cross_check,
        .contended = request->contended,
        .ring = request->ring >= 0 ? request->ring : 0,
        .cpu = request->cpu,
        .precision = request->precision > 0 ? request->precision : default_precision,
        .timeout = request->timeout > 0 ? request->timeout : default_timeout,
    };
    // A number of blocks asked for is meant; a precision asked for may cost more of them.
    settings->most_blocks = request->blocks > 0 && request->precision <= 0
                                ? settings->blocks
                                : MOST_TIMES * settings->blocks;
    make_run_id(settings->run_id, sizeof settings->run_id);
    make_cpu_key(machine, settings->cpu_key, sizeof settings->cpu_key);
    char *events;
    int lost = request_join_events(plan->events, request->events, &events, error);
#define KEEP(name, what, text)                                                                     \
    settings_keep(settings->name, sizeof settings->name, what, text, error)
    lost = lost || KEEP(sweep, "the sweep's name", plan->sweep) ||
           KEEP(build, "the build directory", request->build) ||
           KEEP(plan_sha256, "the plan's hash", plan->sha256) ||
           KEEP(engine, "--engine", request->engine ? request->engine : "perf") ||
           KEEP(accel, "--accel", request->accel) || KEEP(only, "--only", request->only) ||
           KEEP(events, "--events", events);
    free(events);
    return lost ? -1 : 0;
#undef KEEP
}

size_t prepare_cores(long long cpu, struct core cores[2], struct error *error) {
    size_t count = machine_cores(cores);
    if (cpu < 0)
        return count;
    if (!machine_cpu_allowed((int)cpu)) {
        error_set(error, ERROR_INPUT, NULL, 0,
                  "CPU %lld is offline or not allowed for this process; see taskset -p $$", cpu);
        return 0;
    }
    cores[0] = (struct core){.cpu = (int)cpu};
    return 1;
}

// The rows of what is safely on disk; behind them may stand a part of one.
static int read_rows(const struct store *store, struct rows *rows, struct error *error) {
    size_t length;
    struct path path = path_make("%s/measurements.csv", store->directory);
    char *text = disk_read(path.text, &length, error);
    if (!text)
        return -1;
    size_t safe = (size_t)store->files[STORE_measurements].bytes;
    int failed =
        rows_parse(path.text, text, safe < length ? safe : length, FILE_measurements, rows, error);
    free(text);
    return failed;
}

int prepare_resumed(const struct request *request, struct settings *settings, struct store *store,
                    struct plan *plan, struct history *history, struct error *error) {
    char key[sizeof settings->cpu_key];
    struct machine machine;
    struct core cores[2];
    struct journal journal;
    int failed = store_resume(request->out, &journal, store, error);
    *settings = journal.settings;
    *history = (struct history){.lines = journal.lines, .count = journal.count};
    if (failed)
        return -1;
    const char *build = request->build ? request->build : settings->build;
    if (plan_read(build, *settings->only ? settings->only : NULL, plan, error))
        return -1;
    if (strcmp(plan->sha256, settings->plan_sha256))
        return error_set(error, ERROR_INPUT, build, 0,
                         "the sweep, its binaries or their proof changed since this run began; "
                         "start it anew in another folder");
    machine_cores(cores);
    machine_describe(settings->cpu >= 0 ? (int)settings->cpu : cores[0].cpu, &machine);
    if (!same_cpu(settings->cpu_key, &machine, key, sizeof key))
        return error_set(error, ERROR_INPUT, request->out, 0,
                         "was begun on '%s', this is '%s'; start it anew in another folder",
                         settings->cpu_key, key);
    failed = read_rows(store, &history->rows, error);
    if (!failed && history->count && table_column(&history->rows.table, "width") < 0)
        failed = error_set(error, ERROR_INPUT, request->out, 0,
                           "was measured by an older version, "
                           "without width segments; start it anew in another folder");
    return failed;
}

int prepare_new(const struct request *request, struct settings *settings, struct plan *plan,
                struct error *error) {
    struct machine machine;
    struct core cores[2];
    if (plan_read(request->build, request->only, plan, error) ||
        !prepare_cores(request->cpu, cores, error))
        return -1;
    machine_describe(cores[0].cpu, &machine);
    return settle(request, plan, &machine, settings, error);
}

int prepare_folder(const struct request *request, const struct settings *settings,
                   const struct machine *machine, struct store *store, struct error *error) {
    struct path directory =
        path_make("%s/%s/%s-%s-%s-%s/%s", request->store ? request->store : "results/data",
                  settings->sweep, machine->cpu_vendor, machine->cpu_family, machine->cpu_model,
                  machine->cpu_stepping, settings->run_id);
    return store_create(request->out ? request->out : directory.text, settings, store, error);
}
