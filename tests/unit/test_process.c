// SPDX-License-Identifier: GPL-3.0-or-later
// Running one program: how it ended, what it left, and what it was given.
#include "tests/unit/unit.h"

#include "runner/host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct process_result result;
static struct error error;
static char words[128];

static void run(struct process_request request) {
    error = (struct error){0};
    assert_int_equal(process_run(&request, &result, &error), 0);
    process_describe(&result, words, sizeof words);
}

// `sh -c SCRIPT`, with the given fields of the request.
#define SHELL(script, ...)                                                                         \
    run((struct process_request){.argv = (const char *const[]){"/bin/sh", "-c", script, NULL},     \
                                 __VA_ARGS__})

static int release(void **state) {
    (void)state;
    process_free(&result);
    return 0;
}

static void both_streams_and_success_are_reported(void **state) {
    (void)state;
    SHELL("echo out; echo err >&2", .cpu = -1);
    assert_true(process_succeeded(&result));
    assert_string_equal(result.output, "out\n");
    assert_int_equal(result.output_length, 4);
    assert_string_equal(result.errors, "err\n");
    assert_string_equal(words, "exit status 0");
    assert_int_equal(result.truncated, 0);
}

static void an_exit_status_is_reported(void **state) {
    (void)state;
    SHELL("exit 42", .cpu = -1);
    assert_false(process_succeeded(&result));
    assert_string_equal(words, "exit status 42");
}

static void a_signal_is_named(void **state) {
    (void)state;
    SHELL("kill -ILL $$", .cpu = -1);
    assert_false(process_succeeded(&result));
    assert_int_equal(WTERMSIG(result.status), SIGILL);
    assert_string_equal(words, "died of SIGILL");
}

static void a_program_that_is_not_there_is_no_start(void **state) {
    (void)state;
    static const char *const slash[] = {"/nonexistent/variant", NULL}, *const name[] = {"no-such-x",
                                                                                        NULL};
    run((struct process_request){.argv = slash, .cpu = -1});
    assert_int_equal(result.exec_errno, ENOENT);
    assert_false(process_succeeded(&result));
    assert_string_equal(words, "cannot be started: No such file or directory");
    process_free(&result);
    run((struct process_request){.argv = name, .cpu = -1});
    assert_int_equal(result.exec_errno, ENOENT);
}

static void a_damaged_program_is_no_start_and_never_given_to_a_shell(void **state) {
    (void)state;
    char path[] = "/tmp/asmsweep-program-XXXXXX";
    int file = mkstemp(path);
    assert_int_equal(write(file, "echo shell\n", 11), 11);
    assert_int_equal(fchmod(file, 0755), 0);
    close(file);
    run((struct process_request){.argv = (const char *const[]){path, NULL}, .cpu = -1});
    assert_int_equal(result.exec_errno, ENOEXEC);
    assert_string_equal(result.output, "");
    process_free(&result);
    assert_int_equal(chmod(path, 0644), 0);
    run((struct process_request){.argv = (const char *const[]){path, NULL}, .cpu = -1});
    assert_int_equal(result.exec_errno, EACCES);
    unlink(path);
}

static void a_cpu_that_is_not_there_is_no_start(void **state) {
    (void)state;
    SHELL("true", .cpu = CPU_SETSIZE - 1);
    assert_int_equal(result.exec_errno, EINVAL);
    assert_false(process_succeeded(&result));
    assert_string_equal(words, "cannot be pinned to its CPU, is it offline?: Invalid argument");
}

static void the_child_runs_on_the_cpu_it_was_pinned_to_and_nowhere_else(void **state) {
    (void)state;
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int cpu = 0, tried = 0; cpu < CPU_SETSIZE && tried < 2; cpu++) {
        if (!CPU_ISSET((unsigned)cpu, &allowed))
            continue;
        char expected[64];
        snprintf(expected, sizeof expected, "Cpus_allowed_list:\t%d\n", cpu);
        SHELL("grep Cpus_allowed_list /proc/self/status", .cpu = cpu);
        assert_string_equal(result.output, expected);
        process_free(&result);
        tried++;
    }
    cpu_set_t after;
    sched_getaffinity(0, sizeof after, &after);
    assert_true(CPU_EQUAL(&allowed, &after));
}

static void the_child_has_no_input_the_c_locale_and_no_signal_blocked(void **state) {
    (void)state;
    setenv("LC_ALL", "fr_FR.UTF-8", 1);
    SHELL("wc -c; echo $LC_ALL; grep SigBlk /proc/self/status", .cpu = -1);
    assert_string_equal(getenv("LC_ALL"), "fr_FR.UTF-8");
    unsetenv("LC_ALL");
    assert_string_equal(result.output, "0\nC\nSigBlk:\t0000000000000000\n");
}

static void the_child_inherits_no_descriptor_of_ours(void **state) {
    (void)state;
    SHELL("ls /proc/self/fd | tr '\\n' ' '", .cpu = -1); // 3 is ls's own
    assert_string_equal(result.output, "0 1 2 3 ");
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Is the process gone, or a zombie that somebody else must reap? Waits a little for it.
static int is_gone(pid_t pid) {
    for (int try = 0; try < 100; try++) {
        char path[64], line[256] = "", *end;
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *stream = fopen(path, "r");
        if (!stream || !fgets(line, sizeof line, stream) || !(end = strrchr(line, ')')) ||
            end[2] == 'Z') {
            if (stream)
                fclose(stream);
            return 1;
        }
        fclose(stream);
        usleep(10000);
    }
    return 0;
}

static void a_time_limit_ends_child_and_grandchildren(void **state) {
    (void)state;
    double started = now();
    SHELL("sleep 100 & echo $!; sleep 100", .cpu = -1, .timeout = 0.3);
    assert_true(now() - started < 50);
    assert_int_equal(result.timed_out, 1);
    assert_false(process_succeeded(&result));
    assert_string_equal(words, "still running after the 0.3 s allowed");
    pid_t grandchild = (pid_t)atol(result.output);
    assert_true(grandchild > 1);
    assert_true(is_gone(grandchild));
}

static void one_that_closed_its_output_and_hangs_is_ended_too(void **state) {
    (void)state;
    SHELL("exec >&- 2>&-; sleep 100", .cpu = -1, .timeout = 0.3);
    assert_int_equal(result.timed_out, 1);
    assert_false(process_succeeded(&result));
}

static void what_a_child_leaves_in_its_group_is_ended(void **state) {
    (void)state;
    SHELL("sleep 100 >/dev/null 2>&1 & echo $!", .cpu = -1, .timeout = 20);
    assert_true(process_succeeded(&result));
    assert_true(is_gone((pid_t)atol(result.output)));
}

// A program that goes where no signal to its group finds it, and says which one it is.
static void what_a_child_leaves_outside_its_group_is_ended_too(void **state) {
    (void)state;
    SHELL("setsid sh -c 'echo $$; exec sleep 100 >/dev/null 2>&1' & sleep 0.3", .cpu = -1);
    assert_string_equal(words, "exit status 0");
    pid_t stray = (pid_t)atol(result.output);
    assert_true(stray > 1);
    assert_int_equal(kill(stray, 0), -1);
    assert_int_equal(errno, ESRCH);
}

static void a_child_that_was_there_before_is_left_alone(void **state) {
    (void)state;
    pid_t other = fork();
    if (other == 0)
        for (;;)
            pause();
    SHELL("setsid sh -c 'exec >/dev/null 2>&1; sleep 100' &", .cpu = -1);
    assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
    kill(other, SIGKILL);
    assert_int_equal(waitpid(other, NULL, 0), other);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void a_child_is_the_first_to_go_where_memory_runs_out(void **state) {
    (void)state;
    SHELL("cat /proc/self/oom_score_adj", .cpu = -1);
    assert_string_equal(result.output, "1000\n");
}

static void output_over_the_limit_is_cut_and_the_rest_read_away(void **state) {
    (void)state;
    SHELL("head -c 3000000 /dev/zero | tr '\\0' x; echo end >&2", .cpu = -1, .output_limit = 1000);
    assert_true(process_succeeded(&result));
    assert_int_equal(result.truncated, 1);
    assert_int_equal(result.output_length, 1000);
    assert_int_equal(strlen(result.output), 1000);
    assert_string_equal(result.errors, "end\n");
    process_free(&result);
    SHELL("head -c 1000 /dev/zero | tr '\\0' x", .cpu = -1, .output_limit = 1000);
    assert_int_equal(result.truncated, 0);
    assert_int_equal(result.output_length, 1000);
}

static void endless_output_ends_at_the_time_limit(void **state) {
    (void)state;
    SHELL("yes", .cpu = -1, .output_limit = 5000, .timeout = 0.3);
    assert_int_equal(result.timed_out, 1);
    assert_int_equal(result.output_length, 5000);
}

static void nuls_in_the_output_are_kept(void **state) {
    (void)state;
    SHELL("printf 'a\\0b'", .cpu = -1);
    assert_int_equal(result.output_length, 3);
    assert_memory_equal(result.output, "a\0b", 4);
}

static int stop_at_once(void *context) {
    (void)context;
    return 1;
}

static void watch_can_end_it(void **state) {
    (void)state;
    SHELL("sleep 100", .cpu = -1, .watch = stop_at_once);
    assert_int_equal(result.stopped, 1);
    assert_false(process_succeeded(&result));
    assert_contains(words, "stopped by us");
}

static void see_pid(pid_t pid, void *context) {
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    FILE *stream = fopen(path, "r");
    if (stream && fgets(name, sizeof name, stream))
        *(int *)context = !strncmp(name, "test-process", 12); // not yet sh
    if (stream)
        fclose(stream);
}

static void before_exec_sees_the_child_before_its_exec(void **state) {
    (void)state;
    int before = 0;
    SHELL("true", .cpu = -1, .before_exec = see_pid, .context = &before);
    assert_int_equal(before, 1);
}

static void interrupt(int number) {
    (void)number;
    process_interrupt();
}

static void an_interrupted_runner_kills_this_child_and_every_later_one(void **state) {
    (void)state;
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGALRM, &action, NULL);
    alarm(1);
    SHELL("sleep 100", .cpu = -1);
    assert_int_equal(result.interrupted, 1);
    assert_string_equal(words, "interrupted");
    process_free(&result);
    SHELL("sleep 100", .cpu = -1);
    assert_int_equal(result.interrupted, 1);
}

#define TEST(name) cmocka_unit_test_teardown(name, release)

int main(void) {
    // What whoever started the tests left open is not ours to judge.
    for (int file = 3; file < 1024; file++)
        fcntl(file, F_SETFD, FD_CLOEXEC);
    const struct CMUnitTest tests[] = {
        TEST(both_streams_and_success_are_reported),
        TEST(an_exit_status_is_reported),
        TEST(a_signal_is_named),
        TEST(a_program_that_is_not_there_is_no_start),
        TEST(a_damaged_program_is_no_start_and_never_given_to_a_shell),
        TEST(a_cpu_that_is_not_there_is_no_start),
        TEST(the_child_runs_on_the_cpu_it_was_pinned_to_and_nowhere_else),
        TEST(the_child_has_no_input_the_c_locale_and_no_signal_blocked),
        TEST(the_child_inherits_no_descriptor_of_ours),
        TEST(a_time_limit_ends_child_and_grandchildren),
        TEST(one_that_closed_its_output_and_hangs_is_ended_too),
        TEST(what_a_child_leaves_in_its_group_is_ended),
        TEST(what_a_child_leaves_outside_its_group_is_ended_too),
        TEST(a_child_that_was_there_before_is_left_alone),
        TEST(a_child_is_the_first_to_go_where_memory_runs_out),
        TEST(output_over_the_limit_is_cut_and_the_rest_read_away),
        TEST(endless_output_ends_at_the_time_limit),
        TEST(nuls_in_the_output_are_kept),
        TEST(watch_can_end_it),
        TEST(before_exec_sees_the_child_before_its_exec),
        TEST(an_interrupted_runner_kills_this_child_and_every_later_one), // the last: for good
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
