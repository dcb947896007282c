// SPDX-License-Identifier: GPL-3.0-or-later
#include "request.h"

#include "options.h"
#include "settings.h"

#include <string.h>

size_t request_split_events(char *text, const char *events[REQUEST_MAX_EVENTS]) {
    size_t count = 0;
    for (char *at = text; *at;) {
        char *end = at;
        for (int in_terms = 0; *end && (in_terms || *end != ','); end++)
            in_terms ^= *end == '/';
        char *next = *end ? end + 1 : end;
        *end = '\0';
        if (*at && count < REQUEST_MAX_EVENTS)
            events[count] = at;
        count += *at != '\0';
        at = next;
    }
    return count;
}

// What the journal has no room for is refused: cut off, it would be another wish.
static int check_texts(const struct request *request, struct error *error) {
    char text[sizeof(((struct settings *)0)->events)];
    const char *list[REQUEST_MAX_EVENTS];
    if (!request->events)
        return 0;
    if (strlen(request->events) >= sizeof text)
        return error_set(error, ERROR_INPUT, NULL, 0, "--events is longer than %zu characters",
                         sizeof text - 1);
    size_t events = request_split_events(strcpy(text, request->events), list);
    if (events > REQUEST_MAX_EVENTS)
        return error_set(error, ERROR_INPUT, NULL, 0, "--events takes at most %d events, not %zu",
                         REQUEST_MAX_EVENTS, events);
    return 0;
}

// A resumed run is the same run: what decides its executions stands in its journal.
static int check_resume(const struct request *request, struct error *error) {
    const struct {
        int given;
        const char *name;
    } fixed[] = {
        {request->engine != NULL, "engine"}, {request->accel != NULL, "accel"},
        {request->only != NULL, "only"},     {request->events != NULL, "events"},
        {request->blocks >= 0, "blocks"},    {request->precision > 0, "precision"},
        {request->cpu >= 0, "cpu"},          {request->seed >= 0, "seed"},
        {request->slices >= 0, "slices"},    {request->timeout > 0, "timeout"},
        {request->ring >= 0, "ring"},        {request->witness, "witness"},
    };
    for (size_t i = 0; request->resume && i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i].given)
            return error_set(error, ERROR_INPUT, NULL, 0,
                             "--resume goes on as the run was begun; leave out --%s",
                             fixed[i].name);
    return 0;
}

int request_parse(int argc, char **argv, struct request *request, struct error *error) {
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
         "executions of each variant (default 5, and up to 10 more where the interval is wide)"},
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
    *request = (struct request){.blocks = -1, .cpu = -1, .seed = -1, .slices = -1, .ring = -1};
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
    return check_resume(request, error) || check_texts(request, error) ? -1 : 0;
}
