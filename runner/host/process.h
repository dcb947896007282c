// SPDX-License-Identifier: GPL-3.0-or-later
// runner/host: run one program to its end and say exactly how it ended.
//
// The only place that forks. Programs are given as argument vectors, never as
// shell text. The child has its own process group, the C locale, no standard
// input, and dies with us (PR_SET_PDEATHSIG; a CPU limit covers grandchildren). What it has started
// ends with it. We have no other children meanwhile: whoever has would lose them.
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct process_request {
    const char *const *argv; // NULL-terminated; argv[0] is looked up in PATH if it has no '/'
    int cpu;                 // logical CPU to pin to; negative: not pinned
    double timeout;          // seconds of wall time until the group is killed; 0: none
    size_t output_limit;     // bytes kept of each of stdout and stderr; 0: 16 MiB
    // Called in the parent with the child's pid after fork, before its exec: to
    // attach counters. May be NULL.
    void (*before_exec)(pid_t pid, void *context);
    // Called in the parent at least every PROCESS_WATCH_MS while the child runs; nonzero: kill
    // it. For a child that is talked with by other ways than its output. May be NULL.
    int (*watch)(void *context);
    int input; // descriptor the child reads as standard input; 0 or less: none (/dev/null)
    void *context;
    bool may_leave; // what leaves the child's group (setsid) lives on, as nobody's child of ours
};

enum { PROCESS_WATCH_MS = 20 };

struct process_result {
    int exec_errno;  // exec, or what comes before it, failed with this; 0: it started
    int not_pinned;  // it was the pinning to the CPU that failed
    int timed_out;   // we killed it
    int stopped;     // watch asked for its end
    int interrupted; // process_interrupt was called meanwhile and it was killed
    int status;      // of wait4
    double seconds;  // wall time from before fork to after wait
    double allowed;  // seconds, of the request: its timeout
    struct rusage usage;
    char *output, *errors; // NUL-terminated; lengths without it
    size_t output_length, errors_length;
    int truncated;  // more output came than output_limit
    int read_errno; // reading its output failed with this; 0: it was read to its end
};

// Run it. 0 when a child was started and waited for, however it ended (look at
// *result); -1 with *error when not even fork or pipe worked. Free *result with
// process_free in both cases.
int process_run(const struct process_request *request, struct process_result *result,
                struct error *error);

void process_free(struct process_result *result);

// Nonzero if the program started, was not killed by us and exited with status 0.
int process_succeeded(const struct process_result *result);

// How it ended in words: "exit status 3", "died of SIGSEGV", "no such program", "still
// running after the 10 s allowed" (the limit, so that all that ran into it read alike). Writes
// at most size bytes with NUL; returns text.
const char *process_describe(const struct process_result *result, char *text, size_t size);

// Seconds of CLOCK_MONOTONIC.
double process_now(void);

// From a signal handler: kill the running child's group, and every later one at once.
void process_interrupt(void);

// Nonzero after process_interrupt.
int process_interrupted(void);
