// SPDX-License-Identifier: GPL-3.0-or-later
// results: the store: which runs there are, and which of them may be believed.
//
// A store is folders of CSV, STORE/SWEEP/CPU/RUN, to which runs are only ever added. A run's name
// begins with its time in UTC, so that names sort by time. Nothing here writes.
#pragma once

#include "common/disk.h"

#include <stdbool.h>
#include <stddef.h>

struct runs {
    char **path; // count of them, owned
    size_t count;
};

// Did the run in this folder come to its own end? Its journal says so in its last line; a folder
// without a journal is a copy, for which summary.csv, written in one step at the end, stands.
bool run_ended(const char *folder);

// Is there a run in the folder that came to its end, so far that it has a summary, and is no file
// shorter than its journal says? 0, or -1 with *error and the remedy: for a run that was
// interrupted the command that resumes it.
int run_expect(const char *folder, struct error *error);

// What to do about a run without the rows that are asked for: resume one that was interrupted,
// or run again.
struct path run_remedy(const char *folder);
#define RUN_RESUME "./asmsweep run --resume -o %s resumes it"

#define RUN_UNFINISHED 160

// What a run that ended early lacks, as its journal tells (docs/interfaces.md): its values are as
// good as any, but there are fewer executions behind them than were planned, and a reader must not
// take it for a whole run. A sentence without its full stop, "interrupted: 2 to 3 executions a
// variant of 5 planned", into `text` of RUN_UNFINISHED bytes. "" for a run that came to its end,
// and for a copy without a journal, of which nothing is known.
void run_unfinished(const char *folder, char *text);

// The ended runs in the folder that `run` lies in, named before it: newest first. 0, or -1 with
// *error. Free with runs_free in both cases.
int runs_before(const char *run, struct runs *runs, struct error *error);

// All ended runs of a store, by sweep, CPU and time, oldest first. The same returns.
int runs_in_store(const char *store, struct runs *runs, struct error *error);

void runs_free(struct runs *runs);
