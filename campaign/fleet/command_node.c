// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-fleet node: what a job does on its node. Check the pack, check the claim, run the
// runner, publish one attempt; --stream also sends it to standard output.
#include "campaign/fleet/command.h"

#include "campaign/fleet/attempt.h"
#include "campaign/fleet/claims.h"
#include "campaign/fleet/files.h"
#include "campaign/fleet/frame.h"
#include "campaign/fleet/pack.h"
#include "common/disk.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/replace.h"
#include "runner/host/machine.h"

#include <sched.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORDS = 64 };

struct request {
    const char *pack, *out, *fleet, *generation, *claim;
    const char *words[MOST_WORDS + 1]; // for asmsweep-run
    long long restart;
    int stream;
};

static int parse(int argc, char **argv, struct request *request, struct error *error) {
    const struct option_row rows[] = {
        {"pack", 0, OPTION_TEXT, &request->pack, "DIR", 0, 0, "what was shipped"},
        {"out", 0, OPTION_TEXT, &request->out, "DIR", 0, 0, "the fleet's results"},
        {"fleet", 0, OPTION_TEXT, &request->fleet, "ID", 0, 0, "the fleet's name"},
        {"generation", 0, OPTION_TEXT, &request->generation, "NAME", 0, 0, "the node's feature"},
        {"claim", 0, OPTION_TEXT, &request->claim, "NAME", 0, 0, "the generation it stands for"},
        {"restart", 0, OPTION_INTEGER, &request->restart, "N", 0, 1000000,
         "which attempt this is (default: Slurm's restart count)"},
        {"stream", 0, OPTION_FLAG, &request->stream, NULL, 0, 0, "send the result to stdout"},
    };
    const struct option_list list = {
        "asmsweep-fleet",
        "node --pack DIR --out DIR --fleet ID --generation NAME --claim NAME -- RUN-OPTIONS",
        "What a job of the fleet does on its node; called by job.sh and node.sh.", rows,
        sizeof rows / sizeof *rows};
    *request = (struct request){.restart = -1};
    if (options_parse(&list, argc, argv, request->words, 0, MOST_WORDS, error))
        return -1;
    if (!request->pack || !request->out || !request->fleet || !request->generation ||
        !request->claim)
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "node needs --pack, --out, --fleet, --generation and --claim");
    return 0;
}

// srun gives a task one CPU of its node, although the job has them all: take what the kernel lets
// us have, so that the runner can choose a quiet one. Where a cpuset forbids it, it stays.
static void take_all_cpus(void) {
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
}

static const char *from_slurm(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static void put_time(char text[256]) {
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, 256, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

// Which attempt this is, and on what: all that is known before anything is done.
static int introduce(const struct request *request, struct attempt *attempt, enum claim *claim,
                     struct error *error) {
    struct machine machine;
    const char *job = from_slurm("SLURM_JOB_ID", NULL), *found;
    *attempt = (struct attempt){0};
    if (!job)
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "no SLURM_JOB_ID: only a job of Slurm calls this");
    machine_describe(-1, &machine);
    *claim = claim_check(request->claim, machine.cpu_vendor, machine.cpu_family, machine.cpu_model,
                         &found);
    put_time(attempt->begun_utc);
#define PUT(field, value) snprintf(attempt->field, sizeof attempt->field, "%s", value)
    PUT(fleet, request->fleet);
    PUT(generation, request->generation);
    PUT(claim, request->claim);
    PUT(claim_check, claim_name(*claim));
    PUT(found, found);
    PUT(node, from_slurm("SLURMD_NODENAME", ""));
    PUT(job, job);
    PUT(task, from_slurm("SLURM_PROCID", "0"));
    PUT(restart, from_slurm("SLURM_RESTART_COUNT", "0"));
    PUT(host, machine.host);
    PUT(cpu_vendor, machine.cpu_vendor);
    PUT(cpu_family, machine.cpu_family);
    PUT(cpu_model, machine.cpu_model);
    PUT(cpu_stepping, machine.cpu_stepping);
    PUT(cpu_name, machine.cpu_name);
    PUT(microcode, machine.microcode);
#undef PUT
    if (request->restart >= 0)
        snprintf(attempt->restart, sizeof attempt->restart, "%lld", request->restart);
    attempt->job_id = atoll(attempt->job);
    attempt->task_id = atoll(attempt->task);
    attempt->restart_id = atoll(attempt->restart);
    return 0;
}

static void end(struct attempt *attempt, enum outcome outcome, const char *detail) {
    attempt->outcome_id = outcome;
    snprintf(attempt->outcome, sizeof attempt->outcome, "%s", outcome_name(outcome));
    snprintf(attempt->detail, sizeof attempt->detail, "%s", detail);
}

// The runner in the pack, into folder/run; what it says into folder/run.log and our stderr.
static int run_runner(const struct request *request, const char *folder, struct attempt *attempt,
                      struct error *error) {
    char *program = text_make("%s/bin/asmsweep-run", request->pack), how[64];
    char *sweep = text_make("%s/sweep", request->pack), *run = text_make("%s/run", folder);
    char *log = text_make("%s/run.log", folder);
    const char *argv[MOST_WORDS + 8] = {program, "run", sweep};
    size_t count = 3;
    for (size_t i = 0; request->words[i]; i++)
        argv[count++] = request->words[i];
    argv[count++] = "-o"; // last: the words cannot send it elsewhere
    argv[count++] = run;
    const struct process_request process = {.argv = argv, .cpu = -1};
    struct process_result result;
    int failed = process_run(&process, &result, error);
    if (!failed) {
        fputs(result.errors, stderr);
        int status = WIFEXITED(result.status) ? WEXITSTATUS(result.status) : -1;
        end(attempt,
            process_succeeded(&result)   ? OUTCOME_done
            : status == ERROR_INCOMPLETE ? OUTCOME_incomplete
                                         : OUTCOME_failed,
            process_succeeded(&result) ? "" : process_describe(&result, how, sizeof how));
        failed = replace_text(log, result.errors, result.errors_length, error);
    }
    process_free(&result);
    free(program);
    free(sweep);
    free(run);
    free(log);
    return failed;
}

static int carry_out(const struct request *request, const char *folder, struct attempt *attempt,
                     struct error *error) {
    struct error pack_error;
    if (pack_check(request->pack, attempt->pack_sha256, &pack_error)) {
        end(attempt, OUTCOME_damaged, pack_error.text);
    } else if (!strcmp(attempt->claim_check, claim_name(CLAIM_mismatch))) {
        char detail[256];
        snprintf(detail, sizeof detail,
                 "%.40s claims %.40s, the CPU is %.40s family %.8s model %.8s (%.48s)",
                 attempt->generation, attempt->claim, attempt->cpu_vendor, attempt->cpu_family,
                 attempt->cpu_model, *attempt->found ? attempt->found : "in no row of the list");
        end(attempt, OUTCOME_mismatch, detail);
    } else if (run_runner(request, folder, attempt, error)) {
        return -1;
    }
    put_time(attempt->ended_utc);
    return attempt_write(attempt, folder, error);
}

// The folder as a tar behind the line that announces it.
static int send(const char *folder, struct error *error) {
    const char *const argv[] = {"tar", "-C", folder, "-cf", "-", ".", NULL};
    struct process_result result;
    char sha256[65];
    int failed = tool_run(argv, 0, &result, error);
    if (!failed) {
        SHA256Data((const uint8_t *)result.output, result.output_length, sha256);
        printf(FRAME_LINE, result.output_length, sha256);
        fwrite(result.output, 1, result.output_length, stdout);
        if (fflush(stdout))
            failed = error_errno(error, ERROR_MISSING, "stdout", "the result cannot be sent");
    }
    process_free(&result);
    return failed;
}

static int work(const struct request *request, struct attempt *attempt, struct error *error) {
    char *folder = text_make("%s/%s", request->out, request->generation);
    char *temporary = text_make("%s/.%s-%s-%s.%s.%d", folder, attempt->job, attempt->task,
                                attempt->restart, attempt->host, (int)getpid());
    int failed = disk_make_folders(temporary, error) ||
                 carry_out(request, temporary, attempt, error) ||
                 (request->stream ? send(temporary, error)
                                  : attempt_publish(attempt, temporary, folder, error));
    free(folder);
    free(temporary);
    return failed ? -1 : 0;
}

int command_node(int argc, char **argv, struct error *error) {
    struct request request;
    struct attempt attempt;
    enum claim claim = CLAIM_unlisted;
    if (parse(argc, argv, &request, error))
        return -1;
    take_all_cpus();
    if (introduce(&request, &attempt, &claim, error))
        return -1;
    fprintf(stderr, "%s: job %s restart %s on node %s: %s; %s claimed: %s\n", attempt.generation,
            attempt.job, attempt.restart, attempt.node, attempt.cpu_name, attempt.claim,
            claim_meaning(claim));
    if (work(&request, &attempt, error))
        return -1;
    fprintf(stderr, "%s: %s%s%s\n", attempt.generation, outcome_meaning(attempt.outcome_id),
            *attempt.detail ? ": " : "", attempt.detail);
    return attempt.outcome_id == OUTCOME_done         ? 0
           : attempt.outcome_id == OUTCOME_incomplete ? ERROR_INCOMPLETE
                                                      : ERROR_MISSING;
}
