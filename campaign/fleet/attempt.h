// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: one job's try on one node, as its folder tells it.
//
// results/GENERATION/JOB-TASK-RESTART/ holds result.csv (attempt_fields.def), run.log and, if it
// was measured, run/: a run's directory like any other. A folder gets this name when it is
// complete; until then its name begins with a dot. So a job that is lost on the way leaves
// nothing that could be taken for a result, and two tries of one job never meet.
#pragma once

#include "campaign/fleet/fields.h"

enum outcome {
#define OUTCOME(name, has_values, meaning) OUTCOME_##name,
#include "campaign/fleet/outcomes.def"
#undef OUTCOME
    OUTCOME_COUNT
};

extern const struct outcome_row {
    const char *name, *meaning;
    int has_values;
} outcomes[OUTCOME_COUNT];

enum { ATTEMPT_TEXT = 256 };

struct attempt {
    enum outcome outcome_id;
    long long job_id, task_id, restart_id; // as numbers
    char path[4096];                       // of its folder
#define FIELD(name) char name[ATTEMPT_TEXT];
#include "campaign/fleet/attempt_fields.def"
#undef FIELD
};
extern const struct fields attempt_fields;

// Write result.csv into a folder. 0 or -1.
int attempt_write(const struct attempt *attempt, const char *folder, struct error *error);

// Read a folder's result.csv; the numbers must be those of the folder's name if it has one that
// is no temporary. 0 or -1.
int attempt_read(const char *folder, struct attempt *attempt, struct error *error);

// The same from the file's text. Pure.
int attempt_parse(const char *folder, const char *text, size_t length, struct attempt *attempt,
                  struct error *error);

// The complete attempts below results/GENERATION/ (which may not exist). *attempts is the
// caller's to free. 0 or -1.
int attempts_read(const char *folder, struct attempt **attempts, size_t *count,
                  struct error *error);

// Which one counts: of those with values the one of the latest job, then of its highest restart;
// without any, the latest without. A refusal thus never hides values. -1 if count is 0. Pure.
long attempts_choose(const struct attempt *attempts, size_t count);

// Publish a finished attempt: rename its temporary folder to its name below `generation_folder`.
// An attempt of the same name is never replaced. 0 or -1.
int attempt_publish(const struct attempt *attempt, const char *temporary,
                    const char *generation_folder, struct error *error);
