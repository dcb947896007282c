// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: what a run writes at its start and end, and says to a person.
#pragma once

#include "runner/run/measure.h"

// environment.csv, and what of the build belongs to the run: variants.csv, proof.csv,
// differences.csv, sweep.json. `revision` may be NULL. 0 or -1.
int report_begin(struct measurement *run, const char *revision, struct error *error);

// summary.csv; then on stderr: variants without a value by reason, where the time went,
// how to resume a run that was cut short. Returns the exit status (0, 1 or 3), or -1 with
// *error.
int report_end(struct measurement *run, double seconds, struct error *error);

// What a run would do, and about how long. Returns the exit status.
int report_dry_run(const struct measurement *run);
