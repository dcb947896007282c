// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-run run: options to settings, settings to a run, a run to its report.
#include "command.h"

#include "core_lock.h"
#include "measure.h"
#include "options.h"
#include "process.h"
#include "report.h"
#include "tune.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_EVENTS = 12, DEFAULT_BLOCKS = 5, DEFAULT_SLICES = 200 };
static const double default_precision = 0.005, default_timeout = 10;

// What the command line said; 0, NULL or a negative number: nothing.
struct request {
    const char *build, *out, *store, *engine, *accel, *only, *events, *revision, *guest_kernel;
    long long blocks, cpu, seed, slices, ring;
    double precision, budget, timeout;
    int resume, dry_run, no_wait, tune, witness;
};

// What the journal has no room for is refused: cut off, it would be another wish.
static int check_texts(const struct request *request, struct error *error) {
    const struct settings *settings = NULL;
    size_t events = request->events ? 1 : 0;
    for (const char *at = request->events; at && *at; at++)
        events += *at == ',';
    if (events > MAX_EVENTS)
        return error_set(error, ERROR_INPUT, NULL, 0, "--events takes at most %d events, not %zu",
                         MAX_EVENTS, events);
    if (request->events && strlen(request->events) >= sizeof settings->events)
        return error_set(error, ERROR_INPUT, NULL, 0, "--events is longer than %zu characters",
                         sizeof settings->events - 1);
    return 0;
}

static int parse(int argc, char **argv, struct request *request, struct error *error) {
    const struct option_row rows[] = {
        {"out", 'o', OPTION_TEXT, &request->out, "DIR", 0, 0, "the run's folder"},
        {"store", 0, OPTION_TEXT, &request->store, "DIR", 0, 0,
         "without -o: DIR/SWEEP/CPU/UTC-TIME (default results/data)"},
        {"engine", 0, OPTION_TEXT, &request->engine, "NAME", 0, 0,
         "perf (default), guest, hyperfine"},
        {"accel", 0, OPTION_TEXT, &request->accel, "NAME", 0, 0, "of the guest engine: kvm or tcg"},
        {"ring", 0, OPTION_INTEGER, &request->ring, "N", 0, 3,
         "of the guest engine: 0 (default), or 3 with IOPL=3"},
        {"only", 0, OPTION_TEXT, &request->only, "GLOB,...", 0, 0,
         "only variants whose name matches one of them"},
        {"blocks", 0, OPTION_INTEGER, &request->blocks, "N", 1, 1000,
         "executions of each variant (default 5, and up to 5 more where the interval is wide)"},
        {"precision", 0, OPTION_PART, &request->precision, "P", 0, 0,
         "half-width of the interval to reach, e.g. 0.5% (default)"},
        {"budget", 0, OPTION_SECONDS, &request->budget, "TIME", 0, 0,
         "stop after TIME (the first block is always finished)"},
        {"cpu", 0, OPTION_INTEGER, &request->cpu, "N", 0, 4095, "the CPU to run on"},
        {"seed", 0, OPTION_INTEGER, &request->seed, "N", 0, 1LL << 62, "of the schedule"},
        {"slices", 0, OPTION_INTEGER, &request->slices, "N", 20, 100000,
         "of the stopwatch in one execution (default 200)"},
        {"timeout", 0, OPTION_SECONDS, &request->timeout, "TIME", 0, 0,
         "for one execution (default 10s)"},
        {"events", 0, OPTION_TEXT, &request->events, "A,B", 0, 0,
         "perf events of your own, where there is a PMU"},
        {"resume", 0, OPTION_FLAG, &request->resume, NULL, 0, 0, "go on with the run in -o DIR"},
        {"dry-run", 0, OPTION_FLAG, &request->dry_run, NULL, 0, 0,
         "say what would run; run nothing"},
        {"no-wait", 0, OPTION_FLAG, &request->no_wait, NULL, 0, 0,
         "fail at once if another run uses the CPU"},
        {"tune", 0, OPTION_FLAG, &request->tune, NULL, 0, 0,
         "governor, turbo and SMT sibling for the time of the run (root); put back after"},
        {"witness", 0, OPTION_FLAG, &request->witness, NULL, 0, 0,
         "then once through hyperfine, an independent witness"},
        {"revision", 0, OPTION_TEXT, &request->revision, "TEXT", 0, 0,
         "the project's revision, for environment.csv"},
        {"guest-kernel", 0, OPTION_TEXT, &request->guest_kernel, "FILE", 0, 0,
         "the guest engine's kernel"},
    };
    const struct option_list list = {"run BUILD-DIR [options]",
                                     "Measures the variants of a build directory.", rows,
                                     sizeof rows / sizeof *rows};
    const char *positionals[1];
    size_t count;
    *request = (struct request){.blocks = -1, .cpu = -1, .seed = -1, .slices = -1};
    int status = options_parse(&list, argc, argv, positionals, 1, &count, error);
    if (status == 1)
        options_help(&list, "asmsweep-run", stdout);
    if (status)
        return status;
    if (!count && !request->resume)
        return error_set(error, ERROR_INPUT, NULL, 0, "run needs a build directory; try --help");
    if (request->resume && !request->out)
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "--resume needs -o DIR, the run to go on with");
    if (request->ring == 1 || request->ring == 2)
        return error_set(error, ERROR_INPUT, NULL, 0, "--ring is 0 or 3, not %lld", request->ring);
    if (request->only && strlen(request->only) >= sizeof(((struct settings *)0)->only))
        return error_set(error, ERROR_INPUT, NULL, 0, "--only is too long; use a wider glob");
    request->build = count ? positionals[0] : NULL;
    return check_texts(request, error);
}

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
        .witness = request->witness,
        .ring = request->ring,
        .cpu = request->cpu,
        .precision = request->precision > 0 ? request->precision : default_precision,
        .timeout = request->timeout > 0 ? request->timeout : default_timeout,
    };
    // A number of blocks asked for is meant; a precision asked for may cost more of them.
    settings->most_blocks =
        request->blocks > 0 && request->precision <= 0 ? settings->blocks : 2 * settings->blocks;
    make_run_id(settings->run_id, sizeof settings->run_id);
    make_cpu_key(machine, settings->cpu_key, sizeof settings->cpu_key);
#define KEEP(name, what, text)                                                                     \
    settings_keep(settings->name, sizeof settings->name, what, text, error)
    return KEEP(sweep, "the sweep's name", plan->sweep) ||
           KEEP(build, "the build directory", request->build) ||
           KEEP(plan_sha256, "the plan's hash", plan->sha256) ||
           KEEP(engine, "--engine", request->engine ? request->engine : "perf") ||
           KEEP(accel, "--accel", request->accel) || KEEP(only, "--only", request->only) ||
           KEEP(events, "--events", request->events);
#undef KEEP
}

// The cores to measure on: the one asked for, or what the machine offers.
static size_t choose_cores(long long cpu, struct core cores[2], struct error *error) {
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

static size_t split_events(char *text, const char **events) {
    size_t count = 0;
    for (char *rest = text, *event; count < MAX_EVENTS && (event = strsep(&rest, ","));)
        if (*event)
            events[count++] = event;
    return count;
}

static int remember(const struct journal_line *line, void *context) {
    struct history *history = context;
    if (history->count == history->capacity) {
        history->capacity = history->capacity ? 2 * history->capacity : 256;
        history->lines = realloc(history->lines, history->capacity * sizeof *history->lines);
        if (!history->lines)
            abort();
    }
    history->lines[history->count++] = *line;
    return 0;
}

// Reopen the run and make sure that it is still the same one.
static int resume(const struct request *request, struct settings *settings, struct store *store,
                  struct plan *plan, struct history *history, struct error *error) {
    char path[4200], key[sizeof settings->cpu_key];
    struct machine machine;
    struct core cores[2];
    if (store_resume(request->out, settings, store, remember, history, error))
        return -1;
    const char *build = request->build ? request->build : settings->build;
    if (plan_read(build, *settings->only ? settings->only : NULL, plan, error))
        return -1;
    if (strcmp(plan->sha256, settings->plan_sha256))
        return error_set(error, ERROR_INPUT, build, 0,
                         "the sweep or its binaries changed since this run began; start it anew "
                         "in another folder");
    machine_cores(cores);
    machine_describe(settings->cpu >= 0 ? (int)settings->cpu : cores[0].cpu, &machine);
    if (!same_cpu(settings->cpu_key, &machine, key, sizeof key))
        return error_set(error, ERROR_INPUT, request->out, 0,
                         "was begun on '%s', this is '%s'; start it anew in another folder",
                         settings->cpu_key, key);
    snprintf(path, sizeof path, "%s/measurements.csv", request->out);
    return table_read(path, NULL, &history->rows, error);
}

static int begin(const struct request *request, struct settings *settings, struct store *store,
                 struct plan *plan, struct error *error) {
    struct machine machine;
    struct core cores[2];
    char *directory;
    if (plan_read(request->build, request->only, plan, error))
        return -1;
    size_t count = choose_cores(request->cpu, cores, error);
    if (!count)
        return -1;
    machine_describe(cores[0].cpu, &machine);
    if (settle(request, plan, &machine, settings, error))
        return -1;
    if (!engine_find(settings->engine))
        return error_set(error, ERROR_INPUT, NULL, 0, "no engine '%s'; doctor lists them",
                         settings->engine);
    if (request->dry_run)
        return 0;
    if (asprintf(&directory, "%s/%s/%s-%s-%s-%s/%s",
                 request->store ? request->store : "results/data", plan->sweep, machine.cpu_vendor,
                 machine.cpu_family, machine.cpu_model, machine.cpu_stepping, settings->run_id) < 0)
        abort();
    int failed = store_create(request->out ? request->out : directory, settings, store, error);
    free(directory);
    return failed;
}

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

static int carry_out(const struct request *request, struct measurement *run, struct error *error) {
    struct core cores[2];
    char events[sizeof run->settings->events];
    const char *event_list[MAX_EVENTS];
    int locks[2] = {-1, -1};
    run->core_count = choose_cores(run->settings->cpu, cores, error);
    if (!run->core_count)
        return -1;
    run->cores = cores;
    snprintf(events, sizeof events, "%s", run->settings->events);
    run->event_count = split_events(events, event_list);
    run->events = event_list;
    run->guest_kernel = request->guest_kernel;
    run->calibrator = plan_calibrator(run->plan, &run->calibrator_cycles);
    for (size_t i = 0; i < run->core_count; i++) {
        if (!request->dry_run)
            locks[i] = core_lock(cores[i].cpu, !request->no_wait, error);
        if (locks[i] < 0 && !request->dry_run)
            return -1;
        struct engine_settings settings = measure_settings(run, i);
        run->engine->probe(&settings, &run->probes[i]);
    }
    if (!run->probes[0].usable)
        return error_set(error, ERROR_MISSING, NULL, 0, "engine %s cannot be used here: %s",
                         run->engine->name, run->probes[0].reason);
    if (request->dry_run)
        return report_dry_run(run);
    // Said first, so that whoever started the run can go on with it should it be killed.
    printf("%s\n", run->store->directory);
    fflush(stdout);
    double started = machine_read_tsc().seconds;
    run->deadline = request->budget > 0 ? started + request->budget : 0;
    run->progress =
        isatty(STDERR_FILENO) && strcmp(getenv("TERM") ? getenv("TERM") : "dumb", "dumb");
    int tuned = -1;
    if (request->tune && (tuned = tune_apply(&tune_system, cores[0].cpu, stderr, error)) < 0)
        return -1;
    int failed = report_begin(run, request->revision, error) || measure(run, error);
    struct error tune_error;
    if (tuned >= 0 && tune_restore(&tune_system, tuned, &tune_error))
        fprintf(stderr, "asmsweep-run: %s\n", tune_error.text);
    struct error summary_error = {0};
    int status = report_end(run, machine_read_tsc().seconds - started, &summary_error);
    if (!failed && status >= 0 && !process_interrupted() &&
        store_end(run->store, run->out_of_budget ? "budget" : "complete", &summary_error))
        status = -1;
    for (size_t i = 0; i < 2; i++)
        if (locks[i] >= 0)
            close(locks[i]);
    if (failed)
        return -1;
    if (status < 0)
        *error = summary_error;
    return status;
}

int command_run(int argc, char **argv) {
    struct request request;
    struct error error = {0};
    struct settings settings = {0};
    struct store store = {.journal = -1, .measurements = -1, .samples = -1};
    struct plan plan = {0};
    struct measurement run = {.settings = &settings, .plan = &plan, .store = &store};
    int status = parse(argc, argv, &request, &error);
    if (status == 1)
        return 0;
    if (!status)
        status = request.resume ? resume(&request, &settings, &store, &plan, &run.history, &error)
                                : begin(&request, &settings, &store, &plan, &error);
    if (!status) {
        run.engine = engine_find(settings.engine);
        if (!run.engine)
            status = error_set(&error, ERROR_INPUT, NULL, 0, "no engine '%s'; doctor lists them",
                               settings.engine);
    }
    if (!status && tune_recover(&tune_system, stderr, &error))
        fprintf(stderr, "asmsweep-run: %s\n", error.text);
    if (!status) {
        catch_signals();
        status = carry_out(&request, &run, &error);
    }
    measure_free(&run);
    plan_free(&plan);
    store_close(&store);
    if (status < 0) {
        fprintf(stderr, "asmsweep-run: %s\n", error.text);
        return (int)error.kind;
    }
    return status;
}
