// SPDX-License-Identifier: GPL-3.0-or-later
// runner/host: --tune. Governor to performance, turbo off, SMT sibling offline; every old
// value is on disk before it is changed, and is put back after any end of the run, SIGKILL
// included (then at the next start).
#pragma once

#include "common/error.h"

#include <stdio.h>

// Where the knobs and the journal are; a test has its own.
struct tune_places {
    const char *sys;     // "/sys"
    const char *journal; // in /run: it lives as long as the settings, until the next boot
};
extern const struct tune_places tune_system;

// Apply to `cpu`. Knobs that the machine has not are left out; what was changed is listed
// on `report`, a line each. Returns a descriptor that holds the journal's lock, to keep open
// until tune_restore, or -1 with *error (not root: names the knob; another run is tuning).
// After an error everything is as it was.
int tune_apply(const struct tune_places *places, int cpu, FILE *report, struct error *error);

// Put back what `lock` of tune_apply changed, remove the journal, close lock. 0 or -1.
int tune_restore(const struct tune_places *places, int lock, struct error *error);

// At every start: if a journal was left by a run that is no more, put its values back and
// say so on `report`. 0 if there was nothing to do or all went well, else -1 with *error.
int tune_recover(const struct tune_places *places, FILE *report, struct error *error);
