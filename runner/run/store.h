// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: a run's folder. Every execution is appended and synced; a journal says how
// long the files were after each, so that a run killed at any moment goes on from there.
//
//   journal            settings, then a line for every execution that is safely on disk; when
//                      the run came to its own end (not killed, not broken) "size FILE BYTES" for
//                      every other file, by which a reader knows a copy that was cut, and "end HOW"
//   measurements.csv   rows of executions
//   samples.csv        their slices
//   environment.csv, variants.csv, proof.csv, differences.csv, sweep.json   written at the start
//   summary.csv        written at the end, in one step
#pragma once

#include "common/error.h"
#include "common/journal.h"

enum store_name { STORE_measurements, STORE_samples, STORE_journal, STORE_FILES };

struct store {
    char *directory;
    struct store_file {
        int file;        // descriptor
        long long bytes; // safely written; of a run to be resumed: up to its last execution
    } files[STORE_FILES];
    double seconds_syncing;
};

// 0 if the folder holds no run, else ERROR_INPUT that says how to resume: to be told before the
// wait for a core.
int store_is_free(const char *directory, struct error *error);

// 0 if the folder can be made, or written where it is there, else ERROR_INPUT: tried in the nearest
// folder that is there, of which nothing stays. To be told before the wait, too.
int store_can_be_made(const char *directory, struct error *error);

// Make the folder (parents included) and its files. A folder that holds a run already is
// refused: ERROR_INPUT that says how to resume; so is one that another run is writing. *run_id of
// settings is stored too.
int store_create(const char *directory, const struct settings *settings, struct store *store,
                 struct error *error);

// Open a folder for going on, and read its journal: its settings, and each execution that is there,
// in order. A torn last line is forgotten. Changes nothing: a run that turns out not to be resumed,
// or only looked at, is what it was. 0, or -1 with *error; free the journal in both cases.
int store_resume(const char *directory, struct journal *journal, struct store *store,
                 struct error *error);

// Begin to go on: cut what is behind the last safe execution off the three files, among it the end
// of a run that had come to one.
int store_go_on(struct store *store, struct error *error);

// Append an execution's rows and slices (CSV text) and its journal line, all synced with
// `sync`; rows of what was not executed need none of their own, the next one's takes them
// along. When something fails the files are cut back to what they were: nothing written
// before is lost.
int store_append(struct store *store, const struct journal_line *line, const char *measurements,
                 size_t measurements_length, const char *samples, size_t samples_length, int sync,
                 struct error *error);

// Note in the journal that the run came to its own end, after everything else was written.
// `how`: complete, or budget (stopped because the time it was given was over). Only such a run
// is ever compared with; resuming takes the line away again.
int store_end(struct store *store, const char *how, struct error *error);

// Write a whole file of the folder in one step (temporary, synced, renamed).
int store_write_file(const struct store *store, const char *name, const char *text, size_t length,
                     struct error *error);

// Copy a file into the folder under `name`.
int store_copy_file(const struct store *store, const char *from, const char *name,
                    struct error *error);

// Also of a store of zeroes, that was never opened.
void store_close(struct store *store);
