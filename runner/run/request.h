// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: what the command line of `asmsweep-run run` said.
#pragma once

#include "common/error.h"

#include <stddef.h>

enum { REQUEST_MAX_EVENTS = 12 };

// What the command line said; 0, NULL or a negative number: nothing. Texts are
// argv's.
struct request {
    const char *build, *out, *store, *engine, *accel, *only, *events, *revision, *guest_kernel;
    long long blocks, cpu, seed, slices, ring;
    double precision, budget, timeout;
    int resume, dry_run, check, no_wait, no_perf, tune, cross_check, contended;
};

// Parse argv; argv[0] is the command. 0, or -1 with *error (options_parse).
// What would be cut off by the journal is refused, and so is what a resumed run cannot change.
int request_parse(int argc, char **argv, struct request *request, struct error *error);

// Take "A,pmu/b=1,c=2/u" apart in place: a comma between slashes belongs to an event's terms.
// Returns how many events there are; events[] gets the first REQUEST_MAX_EVENTS of them.
size_t request_split_events(char *text, const char *events[REQUEST_MAX_EVENTS]);

// The events of a sweep and those asked for beside them (NULL: none), each once, as one text that
// the caller frees, also after an error. 0, or -1 with *error: too many, or none that can be asked.
int request_join_events(const char *of_sweep, const char *asked, char **events,
                        struct error *error);
