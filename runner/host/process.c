// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/host/process.h"

#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The only state outside a call: what a signal handler needs.
static volatile sig_atomic_t running_group, interrupted;

struct pipes {
    int output[2], errors[2]; // read, write
    int go[2];                // the child waits for its end before exec
    int failure[2]; // exec's errno comes back, the pinning's below 0; closed by a successful exec
};

// One of the child's two streams: what is kept of it, up to a limit.
struct stream {
    FILE *kept;
    size_t left; // bytes that may still be kept
};

// Children of the calling thread. A program that a shell's exec starts has the shell's.
struct children {
    pid_t *pid;
    size_t count;
};

double process_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void process_interrupt(void) {
    interrupted = 1;
    if (running_group > 0)
        kill(-running_group, SIGKILL);
}

int process_interrupted(void) {
    return interrupted;
}

static int open_pipes(struct pipes *pipes, struct error *error) {
    memset(pipes, -1, sizeof *pipes);
    if (pipe2(pipes->output, O_CLOEXEC) || pipe2(pipes->errors, O_CLOEXEC) ||
        pipe2(pipes->go, O_CLOEXEC) || pipe2(pipes->failure, O_CLOEXEC))
        return error_errno(error, ERROR_MISSING, NULL, "cannot make a pipe");
    return 0;
}

static void close_end(int *end) {
    if (*end >= 0)
        close(*end);
    *end = -1;
}

static void close_pipes(struct pipes *pipes) {
    int(*all[])[2] = {&pipes->output, &pipes->errors, &pipes->go, &pipes->failure};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int end = 0; end < 2; end++)
            close_end(&(*all[i])[end]);
}

static int pin_to(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set);
}

// Where memory runs out, a child is ended and not whoever measures, or the machine's own programs.
static void go_first(void) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0 && write(file, "1000", 4) == 4)
        close(file);
}

static void set_surroundings(const struct process_request *request) {
    if (request->timeout > 0) {
        // Above the wall-clock limit: this one is for grandchildren that outlive us.
        rlim_t seconds = (rlim_t)request->timeout + 2;
        setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
    }
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    go_first();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setenv("LC_ALL", "C", 1); // fr_FR would make perf print 100,00
}

static int redirect(const struct process_request *request, const struct pipes *pipes) {
    int input = request->input > 0 ? request->input : open("/dev/null", O_RDONLY);
    if (input < 0 || dup2(input, 0) < 0 || dup2(pipes->output[1], 1) < 0 ||
        dup2(pipes->errors[1], 2) < 0)
        return -1;
    if (input > 2)
        close(input);
    return 0;
}

// Tell the parent what failed: errno, or its negative.
static _Noreturn void give_up(const struct pipes *pipes, int number) {
    _exit(write(pipes->failure[1], &number, sizeof number) < 0 ? 126 : 127);
}

// In the child: everything up to exec.
static _Noreturn void start_program(const struct process_request *request,
                                    const struct pipes *pipes) {
    char byte;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (request->cpu >= 0 && pin_to(request->cpu))
        give_up(pipes, -errno);
    set_surroundings(request);
    if (redirect(request, pipes))
        give_up(pipes, errno);
    close(pipes->go[1]);
    while (read(pipes->go[0], &byte, 1) < 0 && errno == EINTR)
        ;
    // Not execvp for a path: it would hand a damaged ELF to /bin/sh.
    if (strchr(request->argv[0], '/'))
        execv(request->argv[0], (char *const *)request->argv);
    else
        execvp(request->argv[0], (char *const *)request->argv);
    give_up(pipes, errno);
}

// Read what is there. False at the end of the stream, or where it cannot be read on.
static bool take(int descriptor, struct stream *stream, struct process_result *result) {
    char piece[65536];
    ssize_t got = read(descriptor, piece, sizeof piece);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (got < 0)
        result->read_errno = errno;
    if (got <= 0)
        return false;
    size_t keep = (size_t)got < stream->left ? (size_t)got : stream->left;
    result->truncated |= keep < (size_t)got;
    fwrite(piece, 1, keep, stream->kept);
    stream->left -= keep;
    return true;
}

// Collect both streams until they end or the time is up. A stream that a
// grandchild holds open does not keep us after the child has been killed.
static void collect(pid_t pid, const struct process_request *request, const struct pipes *pipes,
                    FILE *const kept[2], struct process_result *result, double started) {
    size_t limit = request->output_limit ? request->output_limit : (size_t)16 << 20;
    struct stream streams[2] = {{kept[0], limit}, {kept[1], limit}};
    struct pollfd ends[2] = {{pipes->output[0], POLLIN, 0}, {pipes->errors[0], POLLIN, 0}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        int wait = request->watch ? PROCESS_WATCH_MS : -1;
        if (request->timeout > 0) {
            double left = started + request->timeout - process_now();
            if (left <= 0) {
                result->timed_out = 1;
                break;
            }
            if (wait < 0 || left * 1000 < wait)
                wait = (int)(left * 1000) + 1;
        }
        if (request->watch && request->watch(request->context))
            result->stopped = 1;
        if (interrupted || result->stopped)
            break;
        int ready = poll(ends, 2, wait);
        if (ready < 0 && errno != EINTR)
            break;
        for (int i = 0; ready > 0 && i < 2; i++)
            if (ends[i].revents && !take(ends[i].fd, &streams[i], result))
                ends[i].fd = -1;
    }
    if (result->timed_out || interrupted || result->stopped)
        kill(-pid, SIGKILL);
}

static struct children find_children(void) {
    struct children found = {NULL, 0};
    pid_t pid;
    FILE *list = fopen("/proc/thread-self/children", "re");
    while (list != NULL && fscanf(list, "%d", &pid) == 1) {
        found.pid = memory_more(found.pid, found.count, sizeof *found.pid);
        found.pid[found.count++] = pid;
    }
    if (list != NULL)
        fclose(list);
    return found;
}

// A child of ours that was not there before, 0 if there is none.
static pid_t some_child(const struct children *before) {
    struct children now = find_children();
    pid_t found = 0;
    for (size_t i = 0; i < now.count && !found; i++) {
        found = now.pid[i];
        for (size_t k = 0; k < before->count; k++)
            if (before->pid[k] == now.pid[i])
                found = 0;
    }
    free(now.pid);
    return found;
}

// End what the child, which has been waited for, left behind, and wait until it is gone: it would
// sit on the CPU that the next one is measured on. All of it is our children by now
// (PR_SET_CHILD_SUBREAPER): most in the child's group, which ends as a whole; then what has left
// the group, one after the other.
static void end_strays(pid_t group, bool may_leave, const struct children *before) {
    kill(-group, SIGKILL);
    while (waitpid(-group, NULL, 0) > 0 || errno == EINTR)
        ;
    for (pid_t pid; !may_leave && (pid = some_child(before)) > 0;) {
        kill(pid, SIGKILL);
        if (waitpid(pid, NULL, 0) < 0 && errno != EINTR)
            return;
    }
}

// Wait for the child within what is left of the time; kill it then.
static void reap(pid_t pid, const struct process_request *request, struct process_result *result,
                 double started) {
    for (;;) {
        int bounded = request->timeout > 0 && !result->timed_out && !interrupted;
        pid_t got = wait4(pid, &result->status, bounded ? WNOHANG : 0, &result->usage);
        if (got == pid || (got < 0 && errno != EINTR))
            break;
        if (got == 0 && (process_now() - started >= request->timeout)) {
            result->timed_out = 1;
            kill(-pid, SIGKILL);
        } else if (got == 0) {
            usleep(500); // streams are closed: the end is microseconds away, or it hangs
        }
    }
}

// In the parent, once the child has been made: let it start, hear it out, wait for its end.
static void attend(pid_t pid, const struct process_request *request, struct pipes *pipes,
                   FILE *const kept[2], struct process_result *result, double started) {
    int failure;
    setpgid(pid, pid);
    running_group = pid;
    close_end(&pipes->output[1]);
    close_end(&pipes->errors[1]);
    close_end(&pipes->failure[1]);
    close_end(&pipes->go[0]);
    if (request->before_exec)
        request->before_exec(pid, request->context);
    close_end(&pipes->go[1]);
    if (read(pipes->failure[0], &failure, sizeof failure) == sizeof failure) {
        result->exec_errno = abs(failure);
        result->not_pinned = failure < 0;
    }
    collect(pid, request, pipes, kept, result, started);
    reap(pid, request, result, started);
    running_group = 0;
    result->interrupted = interrupted;
    result->seconds = process_now() - started;
}

int process_run(const struct process_request *request, struct process_result *result,
                struct error *error) {
    *result = (struct process_result){.allowed = request->timeout};
    prctl(PR_SET_CHILD_SUBREAPER, !request->may_leave);
    FILE *kept[2] = {text_open(&result->output, &result->output_length),
                     text_open(&result->errors, &result->errors_length)};
    struct children before = find_children();
    struct pipes pipes;
    double started = process_now();
    int failed = open_pipes(&pipes, error);
    pid_t pid = failed ? -1 : fork();
    if (pid == 0)
        start_program(request, &pipes);
    if (pid > 0) {
        attend(pid, request, &pipes, kept, result, started);
        end_strays(pid, request->may_leave, &before);
    } else if (!failed)
        failed = error_errno(error, ERROR_MISSING, NULL, "cannot start a process");
    close_pipes(&pipes);
    free(before.pid);
    text_close(kept[0]);
    text_close(kept[1]);
    return failed;
}

void process_free(struct process_result *result) {
    free(result->output);
    free(result->errors);
    *result = (struct process_result){0};
}

int process_succeeded(const struct process_result *result) {
    return !result->exec_errno && !result->read_errno && !result->timed_out &&
           !result->interrupted && !result->stopped && WIFEXITED(result->status) &&
           WEXITSTATUS(result->status) == 0;
}

const char *process_describe(const struct process_result *result, char *text, size_t size) {
    if (result->not_pinned)
        snprintf(text, size, "cannot be pinned to its CPU, is it offline?: %s",
                 strerror(result->exec_errno));
    else if (result->exec_errno)
        snprintf(text, size, "cannot be started: %s", strerror(result->exec_errno));
    else if (result->timed_out)
        snprintf(text, size, "still running after the %.3g s allowed", result->allowed);
    else if (result->interrupted)
        snprintf(text, size, "interrupted");
    else if (result->stopped)
        snprintf(text, size, "stopped by us after %.3g s", result->seconds);
    else if (result->read_errno)
        snprintf(text, size, "its output cannot be read: %s", strerror(result->read_errno));
    else if (WIFSIGNALED(result->status))
        snprintf(text, size, "died of SIG%s", sigabbrev_np(WTERMSIG(result->status)));
    else
        snprintf(text, size, "exit status %d", WEXITSTATUS(result->status));
    return text;
}
