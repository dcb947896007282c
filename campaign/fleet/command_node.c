// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-fleet node: what a job does on its node. Check the pack, check the claim, run the
// runner, publish one attempt; --stream also sends it to standard output.
#include "campaign/fleet/command.h"

#include "campaign/fleet/attempt.h"
#include "campaign/fleet/claims.h"
#include "campaign/fleet/fleet.h"
#include "campaign/fleet/frame.h"
#include "campaign/fleet/pack.h"
#include "campaign/fleet/tool.h"
#include "common/options.h"
#include "common/replace.h"
#include "runner/host/machine.h"

#include <sched.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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
    fleet_time(attempt->begun_utc);
#define PUT(field, value) snprintf(attempt->field, sizeof attempt->field, "%s", value)
    PUT(fleet, request->fleet);
    PUT(generation, request->generation);
    PUT(claim, request->claim);
    PUT(claim_check, claims[*claim].name);
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
    snprintf(attempt->outcome, sizeof attempt->outcome, "%s", outcomes[outcome].name);
    snprintf(attempt->detail, sizeof attempt->detail, "%s", detail);
}

// The runner in the pack, into folder/run; what it says into folder/run.log and our stderr.
static int run_runner(const struct request *request, const char *folder, struct attempt *attempt,
                      struct error *error) {
    const struct path program = path_make("%s/bin/asmsweep-run", request->pack);
    const struct path sweep = path_make("%s/sweep", request->pack);
    const struct path run = path_make("%s/run", folder);
    struct words words = {0};
    words_list(&words, (const char *const[]){program.text, "run", sweep.text, NULL});
    words_list(&words, request->words);
    words_list(&words, (const char *const[]){"-o", run.text, NULL}); // last: it counts
    const struct process_request process = {.argv = words.argv, .cpu = -1};
    struct process_result result;
    char how[64];
    int failed = process_run(&process, &result, error);
    if (!failed) {
        int status = WIFEXITED(result.status) ? WEXITSTATUS(result.status) : -1;
        fputs(result.errors, stderr);
        if (process_succeeded(&result))
            end(attempt, OUTCOME_done, "");
        else
            end(attempt, status == ERROR_INCOMPLETE ? OUTCOME_incomplete : OUTCOME_failed,
                process_describe(&result, how, sizeof how));
        failed =
            replace_text(PATH("%s/run.log", folder), result.errors, result.errors_length, error);
    }
    process_free(&result);
    words_free(&words);
    return failed;
}

// Is this the node, and the pack, that was meant? If not, that is how the attempt ends.
static int accept(const struct request *request, enum claim claim, struct attempt *attempt) {
    struct error damage;
    char detail[ATTEMPT_TEXT];
    if (pack_check(request->pack, attempt->pack_sha256, &damage)) {
        end(attempt, OUTCOME_damaged, damage.text);
        return 0;
    }
    if (claim != CLAIM_mismatch)
        return 1;
    snprintf(detail, sizeof detail,
             "%.40s claims %.40s, the CPU is %.40s family %.8s model %.8s (%.48s)",
             attempt->generation, attempt->claim, attempt->cpu_vendor, attempt->cpu_family,
             attempt->cpu_model, *attempt->found ? attempt->found : "in no row of the list");
    end(attempt, OUTCOME_mismatch, detail);
    return 0;
}

// The folder as a tar behind the line that announces it.
static int send(const char *folder, struct error *error) {
    const char *const argv[] = {"tar", "-C", folder, "-cf", "-", ".", NULL};
    struct process_result result;
    char sha256[SHA256_DIGEST_STRING_LENGTH];
    int failed = tool_run(argv, &result, error);
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

// Measure if it is to be, and hand the attempt over, whatever came of it.
static int carry_out(const struct request *request, enum claim claim, struct attempt *attempt,
                     struct error *error) {
    const struct path folder = path_make("%s/%s", request->out, request->generation);
    const struct path temporary =
        path_make("%s/.%s-%s-%s.%s.%d", folder.text, attempt->job, attempt->task, attempt->restart,
                  attempt->host, (int)getpid());
    if (disk_make_folders(temporary.text, error) ||
        (accept(request, claim, attempt) && run_runner(request, temporary.text, attempt, error)))
        return -1;
    fleet_time(attempt->ended_utc);
    if (attempt_write(attempt, temporary.text, error))
        return -1;
    return request->stream ? send(temporary.text, error)
                           : attempt_publish(attempt, temporary.text, folder.text, error);
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
            claims[claim].meaning);
    if (carry_out(&request, claim, &attempt, error))
        return -1;
    fprintf(stderr, "%s: %s%s%s\n", attempt.generation, outcomes[attempt.outcome_id].meaning,
            *attempt.detail ? ": " : "", attempt.detail);
    return attempt.outcome_id == OUTCOME_done         ? 0
           : attempt.outcome_id == OUTCOME_incomplete ? ERROR_INCOMPLETE
                                                      : ERROR_MISSING;
}

// What an administrator writes as a box's first feature.
int command_generation(int argc, char **argv, struct error *error) {
    struct machine machine;
    const char *found;
    char feature[64];
    if (argc > 1)
        return error_set(error, ERROR_INPUT, NULL, 0, "generation takes no argument, not '%s'",
                         argv[1]);
    machine_describe(-1, &machine);
    claim_check("", machine.cpu_vendor, machine.cpu_family, machine.cpu_model, &found);
    if (!*found)
        return error_set(error, ERROR_MISSING, NULL, 0,
                         "%s family %s model %s is in no row of common/generations.def; any name "
                         "will do as a feature, its claim stays unchecked",
                         machine.cpu_vendor, machine.cpu_family, machine.cpu_model);
    puts(claim_feature(found, feature, sizeof feature));
    return 0;
}
