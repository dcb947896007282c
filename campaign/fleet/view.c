// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/view.h"

#include "campaign/fleet/carrier.h"
#include "campaign/fleet/files.h"
#include "campaign/fleet/seen.h"
#include "campaign/fleet/slurm.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *meaning;
    int missing;
} stages[] = {
#define STAGE(name, missing, meaning) {#name, meaning, missing},
#include "campaign/fleet/stages.def"
#undef STAGE
};

const char *stage_name(enum stage stage) {
    return stages[stage].name;
}

int stage_missing(enum stage stage) {
    return stages[stage].missing;
}

// What is to be said of a generation that has values.
static void tell_values(struct generation *generation, const struct slurm_job *last, int alive) {
    const struct attempt *chosen = &generation->attempts[generation->chosen];
    size_t used = 0, size = sizeof generation->detail;
    char *text = generation->detail;
    generation->stage =
        chosen->outcome_id == OUTCOME_incomplete ? STAGE_incomplete : STAGE_measured;
    if (generation->stage == STAGE_incomplete)
        used = (size_t)snprintf(text, size, "%s: %s/run.log", chosen->detail, chosen->path);
    if (generation->count > 1 && used < size)
        used += (size_t)snprintf(text + used, size - used,
                                 "%s%zu results, that of job %s restart %s counts",
                                 used ? "; " : "", generation->count, chosen->job, chosen->restart);
    if (alive && used < size)
        snprintf(text + used, size - used, "%sjob %lld is %s and may bring another",
                 used ? "; " : "", last->id, last->state);
}

static void tell_alive(struct generation *generation, const struct slurm_job *last) {
    int waits = !strcmp(last->state, "PENDING");
    generation->stage = waits ? STAGE_waiting : STAGE_running;
    if (waits)
        snprintf(generation->detail, sizeof generation->detail, "job %lld PENDING (%s)", last->id,
                 last->reason);
    else
        snprintf(generation->detail, sizeof generation->detail, "job %lld %s on %s", last->id,
                 last->state, last->node);
}

void view_judge(struct generation *generation, const struct slurm_job *last, int alive,
                int carried) {
    const struct attempt *chosen =
        generation->chosen < 0 ? NULL : &generation->attempts[generation->chosen];
    generation->detail[0] = '\0';
    if (chosen && outcome_has_values(chosen->outcome_id)) {
        tell_values(generation, last, alive);
    } else if (alive) {
        tell_alive(generation, last);
    } else if (carried) {
        generation->stage = STAGE_waiting;
        snprintf(generation->detail, sizeof generation->detail,
                 "its carrier is starting, or between two attempts");
    } else if (chosen) {
        generation->stage = chosen->outcome_id == OUTCOME_failed ? STAGE_failed : STAGE_refused;
        snprintf(generation->detail, sizeof generation->detail, "%s", chosen->detail);
    } else {
        generation->stage = STAGE_lost;
        if (last)
            snprintf(generation->detail, sizeof generation->detail,
                     "job %lld was last seen %s%s%s%s", last->id, last->state,
                     *last->reason && strcmp(last->reason, "None") ? " (" : "",
                     strcmp(last->reason, "None") ? last->reason : "",
                     *last->reason && strcmp(last->reason, "None") ? ")" : "");
        else
            snprintf(generation->detail, sizeof generation->detail,
                     "Slurm never showed a job of it");
    }
}

static struct generation *find_or_add(struct view *view, const struct submission *submission) {
    for (size_t i = 0; i < view->count; i++)
        if (!strcmp(view->generations[i].name, submission->generation))
            return &view->generations[i];
    view->generations = realloc(view->generations, (view->count + 1) * sizeof *view->generations);
    if (!view->generations)
        abort();
    struct generation *added = &view->generations[view->count++];
    *added = (struct generation){.chosen = -1};
    snprintf(added->name, sizeof added->name, "%s", submission->generation);
    snprintf(added->claim, sizeof added->claim, "%s", submission->claim);
    return added;
}

static char *job_names(const struct fleet *fleet, const struct view *view) {
    char *names = text_make("%s", "");
    for (size_t i = 0; i < view->count; i++) {
        char *name = fleet_job_name(fleet, view->generations[i].name);
        char *longer = text_make("%s%s%s", names, *names ? "," : "", name);
        free(names);
        free(name);
        names = longer;
    }
    return names;
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
    char *folder = text_make("%s/results/%s", fleet->directory, generation->name);
    char *name = fleet_job_name(fleet, generation->name);
    int failed = attempts_read(folder, &generation->attempts, &generation->count, error);
    const struct slurm_job *last = newest(seen, name), *current = now ? newest(now, name) : last;
    generation->chosen = attempts_choose(generation->attempts, generation->count);
    view_judge(generation, last, current && slurm_state_alive(current->state),
               carrier_alive(fleet->directory, generation->name));
    free(folder);
    free(name);
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
    int failed = seen_update(fleet->directory, &now, &seen, error);
    for (size_t i = 0; !failed && i < view->count; i++)
        failed =
            judge(fleet, &view->generations[i], view->slurm_answers ? &now : NULL, &seen, error);
    free(names);
    slurm_jobs_free(&now);
    slurm_jobs_free(&seen);
    return failed ? -1 : 0;
}

void view_free(struct view *view) {
    for (size_t i = 0; i < view->count; i++)
        free(view->generations[i].attempts);
    free(view->generations);
    *view = (struct view){0};
}

void view_print(const struct fleet *fleet, const struct view *view, FILE *stream) {
    fprintf(stream, "fleet %s, sweep %s: %zu generations, %zu of them missing or incomplete\n",
            fleet->id, fleet->sweep, view->count, view_missing(view));
    fprintf(stream, "%-14s %-14s %-11s %-12s %s\n", "generation", "claim", "stage", "node",
            "CPU found");
    for (size_t i = 0; i < view->count; i++) {
        const struct generation *one = &view->generations[i];
        const struct attempt *chosen = one->chosen < 0 ? NULL : &one->attempts[one->chosen];
        fprintf(stream, "%-14s %-14s %-11s %-12s %s%s%s%s\n", one->name, one->claim,
                stage_name(one->stage), chosen ? chosen->node : "-",
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
