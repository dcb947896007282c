// SPDX-License-Identifier: GPL-3.0-or-later
// One generation to Slurm: as a batch job, or by a carrier that stays with srun.
#include "campaign/fleet/fleet.h"
#include "campaign/fleet/slurm.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static int submit_job(struct fleet *fleet, const char *generation, const char *claim,
                      struct error *error) {
    const struct path name = fleet_job_name(fleet, generation),
                      script = tool_beside("../fleet/job.sh");
    const struct path pack = path_make("%s/pack", fleet->directory);
    const struct path out = path_make("%s/results", fleet->directory);
    const struct path log = path_make("%s/logs/%s.%%j.log", fleet->directory, generation);
    const char *const command[] = {script.text, pack.text, "--out",        out.text,
                                   "--fleet",   fleet->id, "--generation", generation,
                                   "--claim",   claim,     "--",           NULL};
    const struct slurm_request request = {name.text, generation, &fleet->settings, log.text,
                                          command};
    char job[24];
    long long id = 0;
    if (slurm_submit(&request, &id, error))
        return -1;
    snprintf(job, sizeof job, "%lld", id);
    return fleet_add(fleet, generation, claim, job, error);
}

// The carrier leaves us by setsid and closes our pipe when it is on its way, so that what it has
// to say before that is heard here.
static int start_carrier(struct fleet *fleet, const char *generation, const char *claim,
                         struct error *error) {
    struct process_result result = {0};
    const struct path self = tool_beside("asmsweep-fleet");
    const char *const argv[] = {"setsid",         "--fork",   self.text, "carry",
                                fleet->directory, generation, claim,     NULL};
    int failed = fleet_add(fleet, generation, claim, "", error) || tool_run(argv, &result, error);
    if (!failed && result.errors_length)
        failed = error_set(error, ERROR_MISSING, NULL, 0, "%.*s", (int)strcspn(result.errors, "\n"),
                           result.errors);
    process_free(&result);
    return failed ? -1 : 0;
}

int fleet_submit(struct fleet *fleet, const char *generation, const char *claim,
                 struct error *error) {
    int shared = !strcmp(fleet->settings.shared, "yes");
    return shared ? submit_job(fleet, generation, claim, error)
                  : start_carrier(fleet, generation, claim, error);
}

int carrier_lock(const char *directory, const char *generation, struct error *error) {
    const struct path path = path_make("%s/carriers/%s", directory, generation);
    if (disk_make_folders(PATH("%s/carriers", directory), error))
        return -1;
    int file = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return error_errno(error, ERROR_INPUT, path.text, "cannot be made");
    if (!flock(file, LOCK_EX | LOCK_NB))
        return file;
    close(file);
    return error_set(error, ERROR_INPUT, path.text, 0, "another carrier is on its way with it");
}

int carrier_alive(const char *directory, const char *generation) {
    int file = open(PATH("%s/carriers/%s", directory, generation), O_RDWR | O_CLOEXEC);
    int alive = file >= 0 && flock(file, LOCK_SH | LOCK_NB);
    if (file >= 0)
        close(file);
    return alive;
}
