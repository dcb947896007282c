// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENGINE(name) extern const struct engine engine_##name;
#include "runner/engine/engines.def"
#undef ENGINE

static const struct engine *const engines[] = {
#define ENGINE(name) &engine_##name,
#include "runner/engine/engines.def"
#undef ENGINE
};

const struct engine *const *engine_list(size_t *count) {
    *count = sizeof engines / sizeof *engines;
    return engines;
}

const struct engine *engine_find(const char *name) {
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (!strcmp(engines[i]->name, name))
            return engines[i];
    return NULL;
}

void execution_took(struct execution *execution, double whole, double running) {
    execution->seconds_run = isnan(running) ? whole : fmin(fmax(running, 0), whole);
    execution->seconds_started = whole - execution->seconds_run;
}

int engine_may_run(const struct engine_job *job, const struct engine_probe *probe,
                   struct execution *execution) {
    execution->privilege = PRIVILEGE_not_needed;
    if (job->needs == NEEDS_none)
        return 1;
    int wrong_ring = job->needs == NEEDS_cpl0 && probe->ring != 0;
    execution->privilege = wrong_ring ? PRIVILEGE_unavailable : probe->privilege;
    if (execution->privilege == PRIVILEGE_real)
        return 1;
    execution->status = STATUS_refused;
    snprintf(execution->detail, sizeof execution->detail,
             "not executed: privilege %s at CPL%d (%s)", privilege_name(execution->privilege),
             probe->ring,
             wrong_ring ? "it leaves IF 0 between iterations: guest engine only"
                        : probe->privilege_reason);
    return 0;
}
