// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: from a request to a run that can begin: settings, plan, cores, folder.
#pragma once

#include "runner/host/machine.h"
#include "runner/run/measure.h"
#include "runner/run/request.h"

// A new run: read the plan and settle what decides its executions. 0 or -1 with *error.
int prepare_new(const struct request *request, struct settings *settings, struct plan *plan,
                struct error *error);

// Reopen a run and make sure that it is still the same one: binaries, CPU, kernel. Fills the
// settings from its journal and *history with what it has. 0 or -1 with *error.
int prepare_resumed(const struct request *request, struct settings *settings, struct store *store,
                    struct plan *plan, struct history *history, struct error *error);

// Make the new run's folder: last, so that a run that cannot begin leaves none behind.
int prepare_folder(const struct request *request, const struct settings *settings,
                   const struct machine *machine, struct store *store, struct error *error);

// The cores to measure on: the one asked for, or what the machine offers. Returns how many;
// 0 with *error.
size_t prepare_cores(long long cpu, struct core cores[2], struct error *error);
