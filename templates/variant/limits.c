// SPDX-License-Identifier: GPL-3.0-or-later
#include "limits.h"

#include "signals.h"
#include "variant.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>

enum {
    SYS_WRITE = 1,
    SYS_GETPID = 39,
    SYS_CLONE = 56,
    SYS_FORK = 57,
    SYS_VFORK = 58,
    SYS_GETRUSAGE = 98,
    SYS_GETUID = 102,
    SYS_SETRESUID = 117,
    SYS_PRCTL = 157,
    SYS_SETRLIMIT = 160,
    SYS_EXIT_GROUP = 231,
    SYS_UNSHARE = 272,
    SYS_SECCOMP = 317,
    SYS_CLONE3 = 435
};
enum { STANDARD_OUTPUT = 1, STANDARD_ERROR = 2 };
enum { ERRNO_EINVAL = 22 };
enum { MOST_INSTRUCTIONS = 256, MOST_FILES = 64, MOST_PROCESSES = 64 };

// A gigabyte beside what the binary itself holds; what a run prints is under 20 megabytes.
static const uint64_t most_memory = 1ul << 30, most_stack = 8ul << 20, most_written = 64ul << 20;

// A user of its own for a variant of root's that may start processes: root itself has no limit.
enum { FIRST_OWN_USER = 1 << 30 };

static int are_set;

// All five arguments: prctl(2) and seccomp(2) refuse rubbish in those that they do not use.
static long call(long number, long first, long second, long third, long fourth) {
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = 0;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return number;
}

static void limit(int resource, uint64_t most) {
    struct {
        uint64_t soft, hard;
    } both = {most, most};
    call(SYS_SETRLIMIT, resource, (long)&both, 0, 0);
}

static int may_start_processes(void) {
    for (const int32_t *declared = variant_syscalls; declared && *declared >= 0; declared++)
        if (*declared == SYS_FORK || *declared == SYS_VFORK || *declared == SYS_CLONE ||
            *declared == SYS_CLONE3)
            return 1;
    return 0;
}

// RLIMIT_NPROC counts all that a user has and does not bind root. So root becomes a user who has
// nothing else, and another user goes where nothing else of its own is, a user namespace, if it
// may.
static void limit_processes(void) {
    int at_parents_death = 0;
    long user = FIRST_OWN_USER + call(SYS_GETPID, 0, 0, 0, 0);
    if (!may_start_processes())
        return;
    if (call(SYS_GETUID, 0, 0, 0, 0) != 0) {
        if (call(SYS_UNSHARE, CLONE_NEWUSER, 0, 0, 0) == 0)
            limit(RLIMIT_NPROC, MOST_PROCESSES);
        return;
    }
    limit(RLIMIT_NPROC, MOST_PROCESSES);
    call(SYS_PRCTL, PR_GET_PDEATHSIG, (long)&at_parents_death, 0, 0);
    call(SYS_SETRESUID, user, user, user, 0);
    call(SYS_PRCTL, PR_SET_PDEATHSIG, at_parents_death, 0, 0); // another user's is forgotten
}

struct filter {
    struct sock_filter code[MOST_INSTRUCTIONS];
    unsigned short length;
};

static void add(struct filter *filter, struct sock_filter instruction) {
    if (filter->length < MOST_INSTRUCTIONS)
        filter->code[filter->length++] = instruction;
}

// What was loaded last is compared: end with `verdict` if it is `value`.
static void add_verdict(struct filter *filter, unsigned value, unsigned verdict) {
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

static void add_load(struct filter *filter, unsigned offset) {
    add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

static void make_filter(struct filter *filter) {
    filter->length = 0;
    add_load(filter, offsetof(struct seccomp_data, arch));
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
    add_load(filter, offsetof(struct seccomp_data, nr)); // of x32: a bit more, so no match
    add_verdict(filter, SYS_EXIT_GROUP, SECCOMP_RET_ALLOW);
    add_verdict(filter, SYS_GETRUSAGE, SECCOMP_RET_ALLOW); // traps.c
    for (const int32_t *declared = variant_syscalls; declared && *declared >= 0; declared++)
        add_verdict(filter, (unsigned)*declared, SECCOMP_RET_ALLOW);
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_WRITE, 1, 0));
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
    add_load(filter, offsetof(struct seccomp_data, args[0]));
    add_verdict(filter, STANDARD_OUTPUT, SECCOMP_RET_ALLOW);
    add_verdict(filter, STANDARD_ERROR, SECCOMP_RET_ALLOW);
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
}

// With SPEC_ALLOW: a filter without it makes kernels before 5.16 switch the CPU's speculative store
// bypass off (SSBD), which changes what loads cost. A kernel that does not know the flag knows no
// SSBD either. A kernel without seccomp leaves the other limits.
static void forbid_the_rest(void) {
    static struct filter filter;
    make_filter(&filter);
    struct sock_fprog program = {.len = filter.length, .filter = filter.code};
    if (call(SYS_SECCOMP, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, (long)&program,
             0) == -ERRNO_EINVAL)
        call(SYS_SECCOMP, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0);
}

void limits_enter(void) {
    if (current_privilege_level() == 0)
        return;
    // A filter may be set by whoever gives up gaining privileges. The guest's kernel says yes to
    // any prctl and remembers nothing.
    if (call(SYS_PRCTL, PR_SET_NO_NEW_PRIVS, 1, 0, 0) ||
        call(SYS_PRCTL, PR_GET_NO_NEW_PRIVS, 0, 0, 0) != 1)
        return;
    limit(RLIMIT_AS, (uint64_t)loopdata_end() - 0x400000 + most_memory);
    limit(RLIMIT_STACK, most_stack);
    limit(RLIMIT_FSIZE, most_written);
    limit(RLIMIT_NOFILE, MOST_FILES);
    limit_processes();
    signals_name();
    forbid_the_rest();
    are_set = 1;
}

int limits_are_set(void) {
    return are_set;
}
