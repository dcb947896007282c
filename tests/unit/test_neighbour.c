// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "runner/host/neighbour.h"

#include <sys/wait.h>
#include <unistd.h>

static enum sharing judge(size_t beside, size_t quiet_beside, size_t alone, size_t quiet_alone) {
    return neighbour_judge(&(struct width_count){beside, quiet_beside},
                           &(struct width_count){alone, quiet_alone});
}

static void a_busy_neighbour_leaves_no_slice_quiet(void **state) {
    (void)state;
    assert_int_equal(judge(300, 0, 300, 180), SHARING_yes);
    assert_int_equal(judge(300, 1, 300, 300), SHARING_yes);
    assert_int_equal(judge(10, 10, 0, 0), SHARING_no);
    assert_int_equal(judge(100, 25, 0, 0), SHARING_no); // a stranger took the rest
}

static void where_a_stranger_is_there_nothing_can_be_told(void **state) {
    (void)state;
    assert_int_equal(judge(300, 0, 300, 0), SHARING_unknown);  // all the time
    assert_int_equal(judge(227, 0, 730, 13), SHARING_unknown); // seen so of two that share none
    assert_int_equal(judge(300, 0, 300, 60), SHARING_unknown);
    assert_int_equal(judge(300, 5, 300, 180), SHARING_unknown);
    assert_int_equal(judge(100, 0, 300, 180), SHARING_unknown); // too few
    assert_int_equal(judge(300, 0, 100, 60), SHARING_unknown);
    assert_int_equal(judge(0, 0, 0, 0), SHARING_unknown);
}

static int count_after(int cpu, const cpu_set_t *siblings, cpu_set_t *rest) {
    neighbour_keep_off(cpu, siblings);
    return sched_getaffinity(0, sizeof *rest, rest) ? -1 : CPU_COUNT(rest);
}

// In a process of its own, which it is done to: the number of the check that failed.
static int keep_off_in_child(const int *cpus, int count) {
    cpu_set_t siblings, rest;
    CPU_ZERO(&siblings);
    for (int i = 1; i < count; i++)
        CPU_SET((unsigned)cpus[i], &siblings);
    // Its siblings are all there is: they are taken.
    if (count_after(cpus[0], &siblings, &rest) != (count > 1 ? count - 1 : 1))
        return 1;
    if (count > 1 && CPU_ISSET((unsigned)cpus[0], &rest))
        return 2;
    // One of several others is a sibling.
    CPU_ZERO(&siblings);
    CPU_SET((unsigned)cpus[count - 1], &siblings);
    if (count > 2 && (count_after(cpus[0], &siblings, &rest) != count - 2 ||
                      CPU_ISSET((unsigned)cpus[count - 1], &rest)))
        return 3;
    return 0;
}

static void a_process_is_kept_off_cpu_and_siblings_where_others_are_left(void **state) {
    (void)state;
    int cpus[CPU_SETSIZE], count = 0, status;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (machine_cpu_allowed(cpu))
            cpus[count++] = cpu;
    pid_t pid = fork();
    if (pid == 0)
        _exit(keep_off_in_child(cpus, count));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

// What comes out depends on the machine: what the two say of each other agrees, and a CPU that the
// kernel calls a sibling is found to be none at most where the kernel is told a tale.
static void two_cpus_are_tried(void **state) {
    (void)state;
    struct width_level level = {.cycles = NAN};
    struct core cores[2];
    cpu_set_t siblings;
    machine_cores(cores);
    assert_int_equal(neighbour_try(cores[0].cpu, cores[0].cpu, &level, 1), SHARING_unknown);
    neighbour_siblings(cores[0].cpu, &level, &siblings);
    assert_false(CPU_ISSET((unsigned)cores[0].cpu, &siblings));
    level.cycles = 1000; // whatever runs here is below that: quiet, so they cannot share
    int other = 0;
    while (other < CPU_SETSIZE && (other == cores[0].cpu || !machine_cpu_allowed(other)))
        other++;
    if (other == CPU_SETSIZE)
        skip();
    assert_int_not_equal(neighbour_try(cores[0].cpu, other, &level, 0.5), SHARING_yes);
}

static void a_busy_neighbour_works_and_rests(void **state) {
    (void)state;
    struct error error;
    assert_null(neighbour_start(CPU_SETSIZE - 1, &error));
    assert_contains(error.text, "on CPU 1023");
    struct core cores[2];
    machine_cores(cores);
    struct neighbour *neighbour = neighbour_start(cores[0].cpu, &error);
    assert_non_null(neighbour);
    unsigned long before = neighbour_beats(neighbour);
    neighbour_work(neighbour, true);
    for (int i = 0; i < 5000 && neighbour_beats(neighbour) == before; i++)
        usleep(1000);
    assert_true(neighbour_beats(neighbour) > before);
    neighbour_stop(neighbour);
    neighbour_stop(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_neighbour_leaves_no_slice_quiet),
        cmocka_unit_test(where_a_stranger_is_there_nothing_can_be_told),
        cmocka_unit_test(a_process_is_kept_off_cpu_and_siblings_where_others_are_left),
        cmocka_unit_test(two_cpus_are_tried),
        cmocka_unit_test(a_busy_neighbour_works_and_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
