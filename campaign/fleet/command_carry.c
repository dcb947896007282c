// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-fleet carry: one generation whose nodes share no folder with us. Stays in the
// background with an srun that takes the pack along and brings the result back; begins again when
// the node was lost on the way. Holds the lock carriers/GENERATION as long as it lives.
#include "campaign/fleet/command.h"

#include "campaign/fleet/attempt.h"
#include "campaign/fleet/frame.h"
#include "campaign/fleet/slurm.h"
#include "common/replace.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_BETWEEN = 5 };

struct carrier {
    struct fleet fleet;
    const char *generation, *claim;
    char *script;
};

// What came back, unpacked into a temporary folder, read and published. 0 or -1.
static int unpack(const struct carrier *carrier, long long restart,
                  const struct process_result *result, struct error *error) {
    const char *payload;
    size_t length;
    struct attempt attempt;
    const struct path folder =
        path_make("%s/results/%s", carrier->fleet.directory, carrier->generation);
    const struct path temporary =
        path_make("%s/.carried.%d.%lld", folder.text, (int)getpid(), restart);
    const struct path tar = path_make("%s.tar", temporary.text);
    const char *const untar[] = {"tar",    "-C", temporary.text, "--no-same-owner", "-xf",
                                 tar.text, NULL};
    int failed = frame_find(result->output, result->output_length, &payload, &length, error) ||
                 disk_make_folders(temporary.text, error) ||
                 replace_text(tar.text, payload, length, error) || tool_do(untar, error) ||
                 attempt_read(temporary.text, &attempt, error);
    if (!failed && strcmp(attempt.fleet, carrier->fleet.id))
        failed = error_set(error, ERROR_MISSING, "srun's output", 0, "is of fleet %s, not of %s",
                           attempt.fleet, carrier->fleet.id);
    failed = failed || attempt_publish(&attempt, temporary.text, folder.text, error);
    unlink(tar.text);
    return failed ? -1 : 0;
}

// One srun with the pack as its input. 0: a result is published.
static int carry_once(const struct carrier *carrier, long long restart, struct error *error) {
    const struct fleet *fleet = &carrier->fleet;
    const struct path name = fleet_job_name(fleet, carrier->generation);
    const struct path pack = path_make("%s/pack.tar", fleet->directory);
    char number[24], how[64];
    snprintf(number, sizeof number, "%lld", restart);
    const char *const command[] = {"sh",
                                   "-c",
                                   carrier->script,
                                   "asmsweep-fleet",
                                   "--fleet",
                                   fleet->id,
                                   "--generation",
                                   carrier->generation,
                                   "--claim",
                                   carrier->claim,
                                   "--restart",
                                   number,
                                   "--",
                                   NULL};
    const struct slurm_request request = {name.text, carrier->generation, &fleet->settings, "",
                                          command};
    struct process_result result = {0};
    int input = open(pack.text, O_RDONLY | O_CLOEXEC);
    int failed = input < 0 ? error_errno(error, ERROR_INPUT, pack.text, "cannot be read")
                           : slurm_run(&request, input, &result, error);
    if (input >= 0)
        close(input);
    if (!failed) {
        fprintf(stderr, "attempt %lld: srun %s\n%s", restart,
                process_describe(&result, how, sizeof how), result.errors);
        failed = unpack(carrier, restart, &result, error);
    }
    process_free(&result);
    return failed;
}

// From here on nobody listens: what is said goes to the log.
static int leave(const struct carrier *carrier, struct error *error) {
    const struct path path =
        path_make("%s/logs/%s.carrier.log", carrier->fleet.directory, carrier->generation);
    int log = open(path.text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
        return error_errno(error, ERROR_INPUT, path.text, "cannot be written");
    close(log);
    signal(SIGHUP, SIG_IGN);
    return 0;
}

static int carry(const struct carrier *carrier, struct error *error) {
    long long attempts = atoll(carrier->fleet.settings.attempts);
    for (long long i = 0; i < attempts; i++) {
        if (!carry_once(carrier, i, error))
            return 0;
        fprintf(stderr, "attempt %lld of %lld: %s\n", i + 1, attempts, error->text);
        if (i + 1 < attempts)
            sleep(SECONDS_BETWEEN);
    }
    return ERROR_INCOMPLETE;
}

int command_carry(int argc, char **argv, struct error *error) {
    if (argc != 4)
        return error_set(error, ERROR_INPUT, NULL, 0, "usage: carry DIR GENERATION CLAIM");
    struct carrier carrier = {.generation = argv[2], .claim = argv[3]};
    int lock = -1, status = -1;
    carrier.script = disk_read(tool_beside("../fleet/node.sh").text, NULL, error);
    if (carrier.script && !fleet_read(argv[1], NULL, &carrier.fleet, error) &&
        (lock = carrier_lock(carrier.fleet.directory, argv[2], error)) >= 0 &&
        !leave(&carrier, error))
        status = carry(&carrier, error);
    if (lock >= 0)
        close(lock);
    free(carrier.script);
    fleet_free(&carrier.fleet);
    return status;
}
