// SPDX-License-Identifier: GPL-3.0-or-later
// One generation to Slurm: as a batch job, or by a carrier that stays with srun.
#include "campaign/fleet/fleet.h"

#include "campaign/fleet/files.h"
#include "campaign/fleet/slurm.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 80 };

static int submit_job(struct fleet *fleet, const char *generation, const char *claim,
                      struct error *error) {
    char *name = fleet_job_name(fleet, generation), *script = files_beside("../fleet/job.sh");
    char *pack = text_make("%s/pack", fleet->directory);
    char *out = text_make("%s/results", fleet->directory);
    char *log = text_make("%s/logs/%s.%%j.log", fleet->directory, generation);
    char *run = text_make("%s", fleet->settings.run), *rest = run, *word;
    const char *command[MOST_WORDS + 1] = {
        script,         pack,       "--out",   out,   "--fleet", fleet->id,
        "--generation", generation, "--claim", claim, "--"};
    size_t count = 11;
    while ((word = strsep(&rest, " \t")) && count < MOST_WORDS)
        if (*word)
            command[count++] = word;
    const struct slurm_request request = {name, generation, &fleet->settings, log, command};
    long long job = 0;
    int failed =
        slurm_submit(&request, &job, error) || fleet_add(fleet, generation, claim, job, error);
    free(name);
    free(script);
    free(pack);
    free(out);
    free(log);
    free(run);
    return failed ? -1 : 0;
}

// The carrier leaves us by setsid and closes our pipe when it is on its way, so that what it has
// to say before that is heard here.
static int start_carrier(struct fleet *fleet, const char *generation, const char *claim,
                         struct error *error) {
    struct process_result result;
    char *self = files_beside("asmsweep-fleet");
    const char *const argv[] = {"setsid",         "--fork",   self,  "carry",
                                fleet->directory, generation, claim, NULL};
    int failed = fleet_add(fleet, generation, claim, 0, error) || tool_run(argv, 0, &result, error);
    if (!failed && result.errors_length)
        failed = error_set(error, ERROR_MISSING, NULL, 0, "%.*s", (int)strcspn(result.errors, "\n"),
                           result.errors);
    process_free(&result);
    free(self);
    return failed ? -1 : 0;
}

int fleet_submit(struct fleet *fleet, const char *generation, const char *claim,
                 struct error *error) {
    int shared = !strcmp(fleet->settings.shared, "yes");
    return shared ? submit_job(fleet, generation, claim, error)
                  : start_carrier(fleet, generation, claim, error);
}
