// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: paths, whole files and programs, with errors that say what to do.
#ifndef ASMSWEEP_FLEET_FILES_H
#define ASMSWEEP_FLEET_FILES_H

#include "common/error.h"
#include "runner/host/process.h"

#include <stddef.h>

// A text made by the format; the caller frees. Never NULL (no memory ends the program).
char *text_make(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A whole file with a NUL behind it, *length (may be NULL) without it; the caller frees.
// NULL with *error.
char *files_read(const char *path, size_t *length, struct error *error);

// Replace a file; several processes may do so at once. 0 or -1.
int files_write(const char *path, const char *text, size_t length, struct error *error);

// Make a folder and those above it. 0 or -1.
int files_make_folders(const char *path, struct error *error);

// Sync a folder's own entries, so that a rename survives a lost node. Best effort.
void files_sync_folder(const char *path);

// SHA-256 as 64 hexadecimal digits. 0 or -1.
int files_sha256(const char *path, char digits[65], struct error *error);

// A file beside this program: the folder of /proc/self/exe, then `relative`. The caller frees.
char *files_beside(const char *relative);

// Bytes of a program's output that are taken: one job's results fit.
#define TOOL_MOST_OUTPUT ((size_t)1 << 30)

// Run a program to its end; a failure of any kind is an error with the first line of what it said
// on stderr. `input`: as in process_request. Free *result in both cases. 0 or -1.
int tool_run(const char *const *argv, int input, struct process_result *result,
             struct error *error);

#endif
