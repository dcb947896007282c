// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the engine `bpf` in a program that was built without libbpf.
#include "runner/engine/engine.h"

#include <stdio.h>

static void probe(const struct engine_settings *settings, struct engine_probe *probe) {
    (void)settings;
    *probe = (struct engine_probe){.accel = "native",
                                   .privilege = PRIVILEGE_unavailable,
                                   .counted_events = 0,
                                   .target = TARGET_bpf};
#ifdef ASMSWEEP_STATIC
    static const char why[] = "this static runner loads no programs into the kernel";
#else
    static const char why[] =
        "built without libbpf: install libbpf-dev (./asmsweep setup) and build again";
#endif
    snprintf(probe->reason, sizeof probe->reason, "%s", why);
}

static int execute(const struct engine_settings *settings, const struct engine_probe *probe,
                   const struct engine_job *job, struct execution *execution, struct error *error) {
    (void)settings;
    (void)job;
    (void)error;
    ends_with(execution, STATUS_refused, "not executed: %s", probe->reason);
    return 0;
}

const struct engine engine_bpf = {
    .name = "bpf",
    .about = "programs at CPL0 of the running kernel, made native by its JIT",
    .source = "stopwatch",
    .target = TARGET_bpf,
    .probe = probe,
    .execute = execute,
};
