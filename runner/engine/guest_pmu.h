// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: core cycles of a loop in the guest, counted from outside. Where the host has
// a PMU, `perf stat -e cycles:G,instructions:G` stands around QEMU: :G counts guest mode only.
#pragma once

#include "runner/engine/engine.h"
#include "runner/engine/guest.h"

// Two boots with this variant alone, of N and of 2N iterations; their slopes become counts of
// *execution (cycles and instructions per iteration, source pmu). A boot whose variant does not
// prove its end gives `faulted`, what perf cannot count its status. 0, or -1 with *error.
int guest_pmu_slopes(const struct guest_options *options, const struct engine_job *job, int ring,
                     struct execution *execution, struct error *error);
