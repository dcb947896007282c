// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/host/neighbour.h"

#include "common/memory.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

// Nops between two beats: 1 microsecond, 2 on a core that both share; a slice takes 30 or more.
enum { BEAT_LOOPS = 200, LEAST_BEATS = 14, REST_US = 100, SWITCH_US = 300 };
// Slices of a turn; how many beside the neighbour, or quiet beside it, are enough to judge by.
enum { TURN_SLICES = 25, ENOUGH = 200, ENOUGH_QUIET = 10, MOST_TRIALS = 4 };
// A busy neighbour leaves fewer quiet than `taken`. A stranger who comes and goes within
// milliseconds leaves as many beside it as alone: that these were `left` or more tells them apart.
static const double taken = 0.005, left = 0.3, trial_seconds = 0.1;

struct neighbour {
    pthread_t thread;
    atomic_bool busy, end;
    atomic_ulong beats; // how far it came
};

static void *work(void *argument) {
    struct neighbour *neighbour = argument;
    while (!atomic_load(&neighbour->end)) {
        if (!atomic_load(&neighbour->busy)) {
            usleep(REST_US);
            continue;
        }
        width_run(BEAT_LOOPS);
        atomic_fetch_add(&neighbour->beats, 1);
    }
    return NULL;
}

struct neighbour *neighbour_start(int cpu, struct error *error) {
    struct neighbour *neighbour = memory_zero(1, sizeof *neighbour);
    pthread_attr_t attributes;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)cpu, &one);
    pthread_attr_init(&attributes);
    int failed = pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    if (!failed)
        failed = pthread_create(&neighbour->thread, &attributes, work, neighbour);
    pthread_attr_destroy(&attributes);
    if (!failed)
        return neighbour;
    errno = failed;
    error_errno(error, ERROR_MISSING, NULL, "no thread can be had on CPU %d", cpu);
    free(neighbour);
    return NULL;
}

void neighbour_work(struct neighbour *neighbour, bool busy) {
    atomic_store(&neighbour->busy, busy);
}

unsigned long neighbour_beats(const struct neighbour *neighbour) {
    return atomic_load(&neighbour->beats);
}

void neighbour_stop(struct neighbour *neighbour) {
    if (!neighbour)
        return;
    atomic_store(&neighbour->end, true);
    pthread_join(neighbour->thread, NULL);
    free(neighbour);
}

enum sharing neighbour_judge(const struct width_count *beside, const struct width_count *alone) {
    if (beside->quiet >= ENOUGH_QUIET && width_share(beside) >= taken)
        return SHARING_no;
    if (beside->slices >= ENOUGH && alone->slices >= ENOUGH && width_share(beside) < taken &&
        width_share(alone) >= left)
        return SHARING_yes;
    return SHARING_unknown;
}

// Slices in which the neighbour did as it was told, by its beats.
static void take_turn(int cpu, struct neighbour *neighbour, bool busy,
                      const struct width_level *level, struct width_count *all) {
    struct width_slice slice;
    neighbour_work(neighbour, busy);
    usleep(SWITCH_US);
    for (int i = 0; i < TURN_SLICES; i++) {
        unsigned long before = neighbour_beats(neighbour);
        width_take(cpu, &slice, 1);
        unsigned long beats = neighbour_beats(neighbour) - before;
        if (busy ? beats >= LEAST_BEATS : beats == 0)
            width_count(&slice, 1, level, all);
    }
}

enum sharing neighbour_try(int cpu, int other, const struct width_level *level, double seconds) {
    struct error ignored; // no thread: nothing can be tried
    struct width_count beside = {0}, alone = {0};
    double end = machine_read_tsc().seconds + seconds;
    struct neighbour *neighbour = isnan(level->cycles) ? NULL : neighbour_start(other, &ignored);
    enum sharing sharing = SHARING_unknown;
    while (neighbour && sharing == SHARING_unknown && machine_read_tsc().seconds < end) {
        take_turn(cpu, neighbour, true, level, &beside);
        take_turn(cpu, neighbour, false, level, &alone);
        sharing = neighbour_judge(&beside, &alone);
    }
    neighbour_stop(neighbour);
    return sharing;
}

void neighbour_siblings(int cpu, const struct width_level *level, cpu_set_t *siblings) {
    char list[256];
    int trials = 0;
    CPU_ZERO(siblings);
    machine_read_line(list, sizeof list,
                      "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    for (int other = 0; other < CPU_SETSIZE; other++)
        if (other != cpu && machine_in_list(list, other))
            CPU_SET((unsigned)other, siblings);
    // A kernel that knows of siblings knows them all; one that knows none may not be told.
    for (int other = 0; other < CPU_SETSIZE && !CPU_COUNT(siblings) && trials < MOST_TRIALS;
         other++)
        if (other != cpu && machine_cpu_allowed(other) && ++trials &&
            neighbour_try(cpu, other, level, trial_seconds) == SHARING_yes)
            CPU_SET((unsigned)other, siblings);
}

int neighbour_first(const cpu_set_t *siblings) {
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((unsigned)cpu, siblings))
            return cpu;
    return -1;
}

void neighbour_keep_off(int cpu, const cpu_set_t *siblings) {
    cpu_set_t allowed, rest;
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return;
    rest = allowed;
    CPU_CLR((unsigned)cpu, &rest);
    cpu_set_t farther = rest;
    for (int other = 0; other < CPU_SETSIZE; other++)
        if (CPU_ISSET((unsigned)other, siblings))
            CPU_CLR((unsigned)other, &farther);
    if (CPU_COUNT(&farther))
        rest = farther;
    if (CPU_COUNT(&rest))
        sched_setaffinity(0, sizeof rest, &rest);
}
