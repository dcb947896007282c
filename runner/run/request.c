// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/request.h"

#include "common/journal.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/printable.h"
#include "runner/engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char engines[] = "one of"
#define ENGINE(name) " " #name
#include "runner/engine/engines.def"
#undef ENGINE
                              " (default perf)";

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

// Rows of two events that could not be told apart would be pooled as one.
static int check_event(const char *const *events, size_t at, struct error *error) {
    static const char *const basic[] = {"cycles:u", "instructions:u"};
    const size_t most = sizeof(((struct engine_count *)0)->event) - 1;
    char name[128];
    printable_copy(name, sizeof name, events[at], strlen(events[at]));
    if (strlen(events[at]) > most)
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "--events: '%s' is longer than %zu characters", name, most);
    if (strcmp(name, events[at]) || strpbrk(name, " ;"))
        return error_set(error, ERROR_INPUT, NULL, 0, "--events: '%s' is no name of an event",
                         name);
    for (size_t i = 0; i < sizeof basic / sizeof *basic; i++)
        if (!strcmp(name, basic[i]))
            return error_set(error, ERROR_INPUT, NULL, 0,
                             "--events: '%s' is counted in any case; leave it out", name);
    for (size_t i = 0; i < at; i++)
        if (!strcmp(name, events[i]))
            return error_set(error, ERROR_INPUT, NULL, 0, "--events: '%s' is there twice", name);
    return 0;
}

enum { EVENTS_TEXT = sizeof(((struct settings *)0)->events) };

// What the journal has no room for is refused: cut off, it would be another wish.
static int check_events(const char *asked, struct error *error) {
    char text[EVENTS_TEXT];
    const char *list[REQUEST_MAX_EVENTS];
    if (strlen(asked) >= sizeof text)
        return error_set(error, ERROR_INPUT, NULL, 0, "--events is longer than %zu characters",
                         sizeof text - 1);
    size_t events = request_split_events(strcpy(text, asked), list);
    if (events > REQUEST_MAX_EVENTS)
        return error_set(error, ERROR_INPUT, NULL, 0, "--events takes at most %d events, not %zu",
                         REQUEST_MAX_EVENTS, events);
    for (size_t i = 0; i < events; i++)
        if (check_event(list, i, error))
            return -1;
    return 0;
}

int request_join_events(const char *of_sweep, const char *asked, char **events,
                        struct error *error) {
    char first[EVENTS_TEXT], second[EVENTS_TEXT];
    const char *own[REQUEST_MAX_EVENTS], *more[REQUEST_MAX_EVENTS];
    *events = text_make("%s", of_sweep);
    if (check_events(of_sweep, error) != 0)
        return -1;
    size_t owns = request_split_events(strcpy(first, of_sweep), own);
    size_t count = request_split_events(strcpy(second, asked != NULL ? asked : ""), more);
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < owns && !known; k++)
            known = strcmp(more[i], own[k]) == 0;
        char *longer = known ? NULL : text_make("%s%s%s", *events, **events ? "," : "", more[i]);
        if (longer != NULL) {
            free(*events);
            *events = longer;
        }
    }
    return check_events(*events, error);
}

// A resumed run is the same run: what decides its executions stands in its journal.
static int check_resume(const struct request *request, struct error *error) {
#define GIVEN_FLAG(value) (value)
#define GIVEN_TEXT(value) ((value) != NULL)
#define GIVEN_INTEGER(value) ((value) >= 0)
#define GIVEN_SECONDS(value) ((value) > 0)
#define GIVEN_PART(value) ((value) > 0)
    enum { ALWAYS, BEGUN };
    const struct {
        int when, given;
        const char *name;
    } options[] = {
#define OPTION(field, name, letter, type, argument, minimum, maximum, when, text)                  \
    {when, GIVEN_##type(request->field), name},
#include "runner/run/request.def"
#undef OPTION
    };
    for (size_t i = 0; request->resume && i < sizeof options / sizeof *options; i++)
        if (options[i].when == BEGUN && options[i].given)
            return error_set(error, ERROR_INPUT, NULL, 0,
                             "--resume goes on as the run was begun; leave out --%s",
                             options[i].name);
    return 0;
}

// What only the guest engine knows. A resumed run has it in its journal.
static int check_guest(const struct request *request, struct error *error) {
    const char *of_guest = request->accel          ? "--accel"
                           : request->ring >= 0    ? "--ring"
                           : request->guest_kernel ? "--guest-kernel"
                                                   : NULL;
    struct stat status;
    if (of_guest && !request->resume && (!request->engine || strcmp(request->engine, "guest")))
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "%s is of the guest engine; add --engine guest or leave it out", of_guest);
    if (request->accel && strcmp(request->accel, "kvm") && strcmp(request->accel, "tcg"))
        return error_set(error, ERROR_INPUT, NULL, 0, "--accel is kvm or tcg, not '%s'",
                         request->accel);
    if (request->ring == 1 || request->ring == 2)
        return error_set(error, ERROR_INPUT, NULL, 0, "--ring is 0 or 3, not %lld", request->ring);
    if (request->guest_kernel && (stat(request->guest_kernel, &status) ||
                                  !S_ISREG(status.st_mode) || access(request->guest_kernel, R_OK)))
        return error_set(error, ERROR_INPUT, request->guest_kernel, 0,
                         "no file that can be read; --guest-kernel is build/programs/guest/kernel");
    return 0;
}

// What belongs together, and what an option's type and bounds do not say.
static int check(const struct request *request, struct error *error) {
    if (!request->build && !request->resume)
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "run needs a sweep's build directory; ./asmsweep run SWEEP makes it");
    if (request->resume && !request->out)
        return error_set(error, ERROR_INPUT, NULL, 0, "--resume needs -o DIR, the run to resume");
    if (request->only && strlen(request->only) >= sizeof(((struct settings *)0)->only))
        return error_set(error, ERROR_INPUT, NULL, 0, "--only is too long; use a wider glob");
    return check_resume(request, error) || check_guest(request, error) ||
                   (request->events != NULL && check_events(request->events, error))
               ? -1
               : 0;
}

int request_parse(int argc, char **argv, struct request *request, struct error *error) {
    const struct option_row rows[] = {
#define OPTION(field, name, letter, type, argument, minimum, maximum, when, text)                  \
    {name, letter, OPTION_##type, &request->field, argument, minimum, maximum, text},
#include "runner/run/request.def"
#undef OPTION
    };
    const struct option_list list = {"asmsweep-run", "run BUILD-DIR [options]",
                                     "Measures the variants of a build directory.", rows,
                                     sizeof rows / sizeof *rows};
    *request = (struct request){.blocks = -1, .cpu = -1, .seed = -1, .slices = -1, .ring = -1};
    return options_parse(&list, argc, argv, &request->build, 0, 1, error) || check(request, error)
               ? -1
               : 0;
}
