// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-fleet carry: one generation whose nodes share no folder with us. Stays in the
// background with an srun that takes the pack along and brings the result back; begins again when
// the node was lost on the way. Holds the lock carriers/GENERATION as long as it lives.
#include "campaign/fleet/command.h"

#include "campaign/fleet/attempt.h"
#include "campaign/fleet/carrier.h"
#include "campaign/fleet/files.h"
#include "campaign/fleet/fleet.h"
#include "campaign/fleet/frame.h"
#include "campaign/fleet/slurm.h"
#include "common/disk.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 80, SECONDS_BETWEEN = 5 };

// What came back, unpacked into a temporary folder, read and published. 0 or -1.
static int unpack(const char *fleet, const char *folder, long long restart,
                  const struct process_result *result, struct error *error) {
    const char *payload;
    size_t length;
    struct attempt attempt;
    struct process_result untar = {0};
    char *temporary = text_make("%s/.carried.%d.%lld", folder, (int)getpid(), restart);
    char *tar = text_make("%s.tar", temporary);
    const char *const argv[] = {"tar", "-C", temporary, "--no-same-owner", "-xf", tar, NULL};
    int failed = frame_find(result->output, result->output_length, &payload, &length, error) ||
                 disk_make_folders(temporary, error) || replace_text(tar, payload, length, error) ||
                 tool_run(argv, 0, &untar, error) || attempt_read(temporary, &attempt, error);
    if (!failed && strcmp(attempt.fleet, fleet))
        failed = error_set(error, ERROR_MISSING, "srun's output", 0, "is of fleet %s, not of %s",
                           attempt.fleet, fleet);
    failed = failed || attempt_publish(&attempt, temporary, folder, error);
    unlink(tar);
    process_free(&untar);
    free(temporary);
    free(tar);
    return failed ? -1 : 0;
}

// One srun with the pack as its input. 0: a result is published.
static int carry_once(const struct fleet *fleet, const char *generation, const char *claim,
                      const char *script, long long restart, struct error *error) {
    char *name = fleet_job_name(fleet, generation);
    char *pack = text_make("%s/pack.tar", fleet->directory);
    char *folder = text_make("%s/results/%s", fleet->directory, generation);
    char *run = text_make("%s", fleet->settings.run), *rest = run, *word;
    char number[24], how[64];
    snprintf(number, sizeof number, "%lld", restart);
    const char *command[MOST_WORDS + 1] = {
        "sh",       "-c",      script, "asmsweep-fleet", "--fleet", fleet->id, "--generation",
        generation, "--claim", claim,  "--restart",      number,    "--"};
    size_t count = 13;
    while ((word = strsep(&rest, " \t")) && count < MOST_WORDS)
        if (*word)
            command[count++] = word;
    const struct slurm_request request = {name, generation, &fleet->settings, NULL, command};
    struct process_result result = {0};
    int input = open(pack, O_RDONLY | O_CLOEXEC);
    int failed = input < 0 ? error_errno(error, ERROR_INPUT, pack, "cannot be read")
                           : slurm_run(&request, input, &result, error);
    if (input >= 0)
        close(input);
    if (!failed) {
        fprintf(stderr, "attempt %lld: srun %s\n%s", restart,
                process_describe(&result, how, sizeof how), result.errors);
        failed =
            disk_make_folders(folder, error) || unpack(fleet->id, folder, restart, &result, error);
    }
    process_free(&result);
    free(name);
    free(pack);
    free(folder);
    free(run);
    return failed ? -1 : 0;
}

// From here on nobody listens: what is said goes to the log.
static int leave(const struct fleet *fleet, const char *generation, struct error *error) {
    char *path = text_make("%s/logs/%s.carrier.log", fleet->directory, generation);
    int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    int failed = log < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0;
    if (failed)
        error_errno(error, ERROR_INPUT, path, "cannot be written");
    if (log > STDERR_FILENO)
        close(log);
    signal(SIGHUP, SIG_IGN);
    free(path);
    return failed ? -1 : 0;
}

int command_carry(int argc, char **argv, struct error *error) {
    struct fleet fleet;
    if (argc != 4)
        return error_set(error, ERROR_INPUT, NULL, 0, "usage: carry DIR GENERATION CLAIM");
    char *path = files_beside("../fleet/node.sh");
    char *script = disk_read(path, NULL, error);
    int lock = -1;
    int failed = !script || fleet_read(argv[1], NULL, &fleet, error) ||
                 (lock = carrier_lock(fleet.directory, argv[2], error)) < 0 ||
                 leave(&fleet, argv[2], error);
    free(path);
    if (failed) {
        free(script);
        return -1;
    }
    long long attempts = atoll(fleet.settings.attempts);
    for (long long i = 0; i < attempts; i++) {
        failed = carry_once(&fleet, argv[2], argv[3], script, i, error);
        if (!failed)
            break;
        fprintf(stderr, "attempt %lld of %lld: %s\n", i + 1, attempts, error->text);
        if (i + 1 < attempts)
            sleep(SECONDS_BETWEEN);
    }
    close(lock);
    free(script);
    fleet_free(&fleet);
    return failed ? ERROR_INCOMPLETE : 0;
}
