// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/night: one night: several sweeps, each compared with its base, candidates measured
// again.
//
// A night's folder holds for each sweep NAME.run, and once its candidates were measured again
// NAME.again: a line each, the run's folder. Two looks at it:
//   first   all loops of all sweeps against their bases, as compare.h says, with Holm's procedure
//           over the whole night. What changed, or lost its value, is a candidate.
//   second  the candidates' fresh executions against the same bases, Holm's procedure over the
//           candidates. A candidate is confirmed if it changed there too, in the same direction.
// The size of a confirmed change is that of the fresh executions: they were not selected for it.
#pragma once

#include "campaign/night/baseline.h"
#include "results/compare.h"

struct night_sweep {
    char name[128], run[4096], again[4096]; // again: "" if nothing was measured again
    struct loops now, fresh;
    struct baseline base;
};

struct night {
    struct night_sweep *sweep;         // count of them, by name
    struct comparison *first, *second; // count of them
    size_t count;
};

// Read a night's folder and look at it; `minimum` as in compare_loops. Runs that did not come to
// their own end are left out. 0, or -1 with *error; ERROR_MISSING if no run is left. Free with
// night_free in both cases.
int night_read(const char *folder, double minimum, struct night *night, struct error *error);
void night_free(struct night *night);

bool night_is_candidate(const struct change *first);

// A candidate's fresh executions as the second look saw them, NULL: not measured again.
const struct change *night_second(const struct night *night, size_t sweep,
                                  const struct change *first);

enum night_kind {
#define NIGHT_KIND(name, meaning) NIGHT_##name,
#include "campaign/night/night_kinds.def"
#undef NIGHT_KIND
    NIGHT_KIND_COUNT
};

// What a loop of the first look comes to; NIGHT_KIND_COUNT: nothing to report.
enum night_kind night_judge(const struct change *first, const struct change *second);
