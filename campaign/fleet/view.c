// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/view.h"

#include "campaign/fleet/slurm.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct stage_row stages[STAGE_COUNT] = {
#define STAGE(name, missing, meaning) {#name, meaning, missing},
#include "campaign/fleet/stages.def"
#undef STAGE
};

const struct attempt *generation_chosen(const struct generation *generation) {
    return generation->chosen < 0 ? NULL : &generation->attempts[generation->chosen];
}

// What is to be said of a generation that has values.
static void tell_values(struct generation *generation, const struct slurm_job *last, int alive,
                        FILE *detail) {
    const struct attempt *chosen = generation_chosen(generation);
    int incomplete = chosen->outcome_id == OUTCOME_incomplete, several = generation->count > 1;
    generation->stage = incomplete ? STAGE_incomplete : STAGE_measured;
    if (incomplete)
        fprintf(detail, "%s: %s/run.log", chosen->detail, chosen->path);
    if (several)
        fprintf(detail, "%s%zu results, that of job %s restart %s counts", incomplete ? "; " : "",
                generation->count, chosen->job, chosen->restart);
    if (alive)
        fprintf(detail, "%sjob %lld is %s and may bring another", incomplete || several ? "; " : "",
                last->id, last->state);
}

// What is to be said of one without values.
static enum stage tell_missing(const struct attempt *chosen, const struct slurm_job *last,
                               int alive, int carried, FILE *detail) {
    if (alive && !strcmp(last->state, "PENDING")) {
        fprintf(detail, "job %lld PENDING (%s)", last->id, last->reason);
        return STAGE_waiting;
    }
    if (alive) {
        fprintf(detail, "job %lld %s on %s", last->id, last->state, last->node);
        return STAGE_running;
    }
    if (carried) {
        fputs("its carrier is starting, or between two attempts", detail);
        return STAGE_waiting;
    }
    if (chosen) {
        fputs(chosen->detail, detail);
        return chosen->outcome_id == OUTCOME_failed ? STAGE_failed : STAGE_refused;
    }
    if (!last)
        fputs("Slurm never showed a job of it", detail);
    else if (!*last->reason || !strcmp(last->reason, "None"))
        fprintf(detail, "job %lld was last seen %s", last->id, last->state);
    else
        fprintf(detail, "job %lld was last seen %s (%s)", last->id, last->state, last->reason);
    return STAGE_lost;
}

void view_judge(struct generation *generation, const struct slurm_job *last, int alive,
                int carried) {
    const struct attempt *chosen = generation_chosen(generation);
    memset(generation->detail, 0, sizeof generation->detail); // the last byte stays so
    FILE *detail = fmemopen(generation->detail, sizeof generation->detail - 1, "w");
    if (chosen && outcomes[chosen->outcome_id].has_values)
        tell_values(generation, last, alive, detail);
    else
        generation->stage = tell_missing(chosen, last, alive, carried, detail);
    fclose(detail);
}

static void find_or_add(struct view *view, const struct submission *submission) {
    for (size_t i = 0; i < view->count; i++)
        if (!strcmp(view->generations[i].name, submission->generation))
            return;
    view->generations = memory_more(view->generations, view->count, sizeof *view->generations);
    struct generation *added = &view->generations[view->count++];
    *added = (struct generation){.chosen = -1};
    snprintf(added->name, sizeof added->name, "%s", submission->generation);
    snprintf(added->claim, sizeof added->claim, "%s", submission->claim);
}

static char *job_names(const struct fleet *fleet, const struct view *view) {
    char *names;
    size_t length;
    FILE *stream = text_open(&names, &length);
    for (size_t i = 0; i < view->count; i++)
        fprintf(stream, "%s%s", i ? "," : "",
                fleet_job_name(fleet, view->generations[i].name).text);
    text_close(stream);
    return names;
}

// Put a job over the one with its number, or behind all. Returns whether that changed anything.
static int put(struct slurm_jobs *seen, const struct slurm_job *job) {
    size_t i = 0;
    while (i < seen->count && seen->jobs[i].id != job->id)
        i++;
    if (i < seen->count && !memcmp(&seen->jobs[i], job, sizeof *job))
        return 0;
    if (i == seen->count)
        seen->jobs = memory_more(seen->jobs, seen->count++, sizeof *job);
    seen->jobs[i] = *job;
    return 1;
}

// Read a fleet's seen.csv (it may not exist), put what squeue says `now` over it, write it if that
// changed anything.
static int update_seen(const char *directory, const struct slurm_jobs *now, struct slurm_jobs *seen,
                       struct error *error) {
    const struct path path = path_make("%s/seen.csv", directory);
    int changed = 0;
    if (!access(path.text, F_OK) &&
        fields_read_rows(path.text, &slurm_job_fields, &seen->jobs, &seen->count, error))
        return -1;
    for (size_t i = 0; i < seen->count; i++)
        if (slurm_job_number(&seen->jobs[i]))
            return error_set(error, ERROR_INPUT, path.text, table_line(i),
                             "damaged; remove the file");
    for (size_t i = 0; i < now->count; i++)
        changed |= put(seen, &now->jobs[i]);
    return changed ? fields_write_rows(path.text, &slurm_job_fields, seen->jobs, seen->count, error)
                   : 0;
}

// The newest job of that name; NULL: none.
static const struct slurm_job *newest(const struct slurm_jobs *jobs, const char *name) {
    const struct slurm_job *found = NULL;
    for (size_t i = 0; i < jobs->count; i++)
        if (!strcmp(jobs->jobs[i].name, name) && (!found || jobs->jobs[i].id > found->id))
            found = &jobs->jobs[i];
    return found;
}

// Where squeue does not answer, the state in which a job was seen last has to do.
static int judge(const struct fleet *fleet, struct generation *generation,
                 const struct slurm_jobs *now, const struct slurm_jobs *seen, struct error *error) {
    const struct path name = fleet_job_name(fleet, generation->name);
    int failed = attempts_read(PATH("%s/results/%s", fleet->directory, generation->name),
                               &generation->attempts, &generation->count, error);
    const struct slurm_job *last = newest(seen, name.text);
    const struct slurm_job *current = now ? newest(now, name.text) : last;
    generation->chosen = attempts_choose(generation->attempts, generation->count);
    view_judge(generation, last, current && slurm_state_alive(current->state),
               carrier_alive(fleet->directory, generation->name));
    return failed;
}

int view_make(const struct fleet *fleet, struct view *view, struct error *error) {
    struct slurm_jobs now = {0}, seen = {0};
    struct error slurm_error;
    *view = (struct view){0};
    for (size_t i = 0; i < fleet->count; i++)
        find_or_add(view, &fleet->submissions[i]);
    char *names = job_names(fleet, view);
    // Before the attempts are read: a job that ends in between is then running, never lost.
    view->slurm_answers = !slurm_jobs(names, &now, &slurm_error);
    if (!view->slurm_answers)
        fprintf(stderr, "asmsweep-fleet: what is on its way is told as it was seen last: %s\n",
                slurm_error.text);
    int failed = update_seen(fleet->directory, &now, &seen, error);
    for (size_t i = 0; !failed && i < view->count; i++)
        failed =
            judge(fleet, &view->generations[i], view->slurm_answers ? &now : NULL, &seen, error);
    free(names);
    free(now.jobs);
    free(seen.jobs);
    return failed;
}

void view_free(struct view *view) {
    for (size_t i = 0; i < view->count; i++)
        free(view->generations[i].attempts);
    free(view->generations);
}

void view_print(const struct fleet *fleet, const struct view *view, FILE *stream) {
    fprintf(stream, "fleet %s, sweep %s: %zu generations, %zu of them missing or incomplete\n",
            fleet->id, fleet->sweep, view->count, view_missing(view));
    fprintf(stream, "%-14s %-14s %-11s %-12s %s\n", "generation", "claim", "stage", "node",
            "CPU found");
    for (size_t i = 0; i < view->count; i++) {
        const struct generation *one = &view->generations[i];
        const struct attempt *chosen = generation_chosen(one);
        fprintf(stream, "%-14s %-14s %-11s %-12s %s%s%s%s\n", one->name, one->claim,
                stages[one->stage].name, chosen ? chosen->node : "-",
                chosen ? chosen->cpu_name : "-", chosen ? " (claim " : "",
                chosen ? chosen->claim_check : "", chosen ? ")" : "");
        if (*one->detail || one->stage != STAGE_measured)
            fprintf(stream, "  %s%s%s\n", stages[one->stage].meaning, *one->detail ? ": " : "",
                    one->detail);
    }
}

size_t view_missing(const struct view *view) {
    size_t missing = 0;
    for (size_t i = 0; i < view->count; i++)
        missing += view->generations[i].stage != STAGE_measured;
    return missing;
}
