// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/counters.h"

#include "runner/host/machine.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const health_event_names[HEALTH_COUNT] = {
#define EVENT(name, event) event,
    HEALTH_EVENTS(EVENT)
#undef EVENT
};

struct event {
    uint32_t type;
    uint64_t config;
};

// Of what perf calls msr/tsc/. -1: there is none.
static int find_tsc(struct event *event) {
    char type[32], config[32];
    machine_read_line(type, sizeof type, "/sys/bus/event_source/devices/msr/type");
    machine_read_line(config, sizeof config, "/sys/bus/event_source/devices/msr/events/tsc");
    return sscanf(type, "%" SCNu32, &event->type) == 1 &&
                   sscanf(config, "event=0x%" SCNx64, &event->config) == 1
               ? 0
               : -1;
}

static int describe(enum health_event which, struct event *event) {
    static const struct event software[HEALTH_COUNT] = {
        [HEALTH_task_clock] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
        [HEALTH_context_switches] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
        [HEALTH_migrations] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    };
    *event = software[which];
    return which == HEALTH_tsc ? find_tsc(event) : 0;
}

static int open_event(pid_t pid, const struct event *event) {
    struct perf_event_attr attribute = {
        .type = event->type,
        .size = sizeof attribute,
        .config = event->config,
        .disabled = 1,
        .enable_on_exec = 1,
        .inherit = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    return (int)syscall(SYS_perf_event_open, &attribute, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void counters_open(pid_t pid, struct counters *counters) {
    for (int i = 0; i < HEALTH_COUNT; i++) {
        struct event event;
        int failed = describe((enum health_event)i, &event);
        counters->descriptors[i] = failed ? -1 : open_event(pid, &event);
    }
}

void counters_read(struct counters *counters, struct health *health) {
    for (int i = 0; i < HEALTH_COUNT; i++) {
        uint64_t answer[3]; // count, ns enabled, ns running
        health->values[i] = NAN;
        if (counters->descriptors[i] < 0)
            continue;
        ssize_t got = read(counters->descriptors[i], answer, sizeof answer);
        // A count that ran for a part of the time only is no count.
        if (got == (ssize_t)sizeof answer && answer[1] == answer[2])
            health->values[i] = (double)answer[0] * (i == HEALTH_task_clock ? 1e-6 : 1);
        close(counters->descriptors[i]);
        counters->descriptors[i] = -1;
    }
}
