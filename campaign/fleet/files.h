// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: paths, whole files and programs, with errors that say what to do.
#pragma once

#include "common/error.h"
#include "runner/host/process.h"

#include <stddef.h>

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
