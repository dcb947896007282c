// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
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

struct stream {
    char **text;
    size_t *length;
    size_t limit, capacity;
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

// In the child: everything up to exec.
static void become(const struct process_request *request, struct pipes *pipes) {
    int sign = 1;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (request->cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((unsigned)request->cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set)) {
            sign = -1;
            goto failed;
        }
    }
    if (request->timeout > 0) {
        // Above the wall-clock limit: this one is for grandchildren that outlive us.
        rlim_t seconds = (rlim_t)request->timeout + 2;
        setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
    }
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setenv("LC_ALL", "C", 1); // fr_FR would make perf print 100,00
    int input = request->input > 0 ? request->input : open("/dev/null", O_RDONLY);
    if (input < 0 || dup2(input, 0) < 0 || dup2(pipes->output[1], 1) < 0 ||
        dup2(pipes->errors[1], 2) < 0)
        goto failed;
    if (input > 2)
        close(input);
    char byte;
    close(pipes->go[1]);
    while (read(pipes->go[0], &byte, 1) < 0 && errno == EINTR)
        ;
    // Not execvp for a path: it would hand a damaged ELF to /bin/sh.
    if (strchr(request->argv[0], '/'))
        execv(request->argv[0], (char *const *)request->argv);
    else
        execvp(request->argv[0], (char *const *)request->argv);
failed:;
    int number = sign * errno;
    if (write(pipes->failure[1], &number, sizeof number) < 0)
        _exit(126);
    _exit(127);
}

// Read what is there; 0 at the end of the stream, or where it cannot be read on.
static int take(int descriptor, struct stream *stream, struct process_result *result) {
    char piece[65536];
    ssize_t got = read(descriptor, piece, sizeof piece);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return 1;
    if (got < 0) {
        result->read_errno = errno;
        return 0;
    }
    size_t room = stream->limit - *stream->length;
    size_t keep = (size_t)got < room ? (size_t)got : room;
    if ((size_t)got > room)
        result->truncated = 1;
    if (*stream->length + keep + 1 > stream->capacity) {
        size_t larger = (*stream->length + keep + 1) * 2;
        char *moved = realloc(*stream->text, larger);
        if (!moved) {
            result->truncated = 1;
            return got > 0;
        }
        *stream->text = moved;
        stream->capacity = larger;
    }
    memcpy(*stream->text + *stream->length, piece, keep);
    *stream->length += keep;
    (*stream->text)[*stream->length] = '\0';
    return got > 0;
}

// Collect both streams until they end or the time is up. A stream that a
// grandchild holds open does not keep us after the child has been killed.
static void collect(pid_t pid, const struct process_request *request, struct pipes *pipes,
                    struct process_result *result, double started) {
    size_t limit = request->output_limit ? request->output_limit : (size_t)16 << 20;
    struct stream streams[2] = {
        {&result->output, &result->output_length, limit, 0},
        {&result->errors, &result->errors_length, limit, 0},
    };
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
    kill(-pid, SIGKILL); // what it may have left behind in its group
}

int process_run(const struct process_request *request, struct process_result *result,
                struct error *error) {
    *result = (struct process_result){.allowed = request->timeout};
    result->output = calloc(1, 1);
    result->errors = calloc(1, 1);
    struct pipes pipes;
    if (!result->output || !result->errors)
        return error_set(error, ERROR_MISSING, NULL, 0, "not enough memory");
    if (open_pipes(&pipes, error)) {
        close_pipes(&pipes);
        return -1;
    }
    double started = process_now();
    pid_t pid = fork();
    if (pid == 0)
        become(request, &pipes);
    if (pid < 0) {
        error_errno(error, ERROR_MISSING, NULL, "cannot start a process");
        close_pipes(&pipes);
        return -1;
    }
    setpgid(pid, pid);
    running_group = pid;
    close_end(&pipes.output[1]);
    close_end(&pipes.errors[1]);
    close_end(&pipes.failure[1]);
    close_end(&pipes.go[0]);
    if (request->before_exec)
        request->before_exec(pid, request->context);
    close_end(&pipes.go[1]);
    if (read(pipes.failure[0], &result->exec_errno, sizeof(int)) != sizeof(int))
        result->exec_errno = 0;
    result->not_pinned = result->exec_errno < 0;
    result->exec_errno = abs(result->exec_errno);
    collect(pid, request, &pipes, result, started);
    reap(pid, request, result, started);
    running_group = 0;
    result->interrupted = interrupted;
    result->seconds = process_now() - started;
    close_pipes(&pipes);
    return 0;
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
