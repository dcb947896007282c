// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/gate.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/io.h>
#include <sys/wait.h>
#include <unistd.h>

#define FLAG_IF 0x200u

// What the child found, as its exit status; a fault shows as a signal instead. FOUND_IOPL_ERRNO:
// plus errno.
enum finding { FOUND_REAL, FOUND_CLI_IGNORED, FOUND_POPF_IGNORED, FOUND_STI_IGNORED, FOUND_COUNT };
enum { FOUND_IOPL_ERRNO = 64 };

static const struct {
    enum privilege privilege;
    const char *why;
} findings[FOUND_COUNT] = {
    [FOUND_REAL] = {PRIVILEGE_real, "IF followed CLI, STI and POPF"},
    // Since Linux 5.16 the kernel skips them; they cost an exception, not an instruction.
    [FOUND_CLI_IGNORED] = {PRIVILEGE_emulated, "iopl(3) succeeds, but CLI leaves IF set: the "
                                               "kernel fakes it as a NOP"},
    [FOUND_POPF_IGNORED] = {PRIVILEGE_ignored, "CLI and STI work, but POPF leaves IF alone"},
    [FOUND_STI_IGNORED] = {PRIVILEGE_ignored, "STI leaves IF clear"},
};

static uint64_t read_flags(void) {
    uint64_t flags;
    __asm__ volatile("pushfq\n\tpop %0" : "=r"(flags) : : "memory");
    return flags;
}

static void write_flags(uint64_t flags) {
    __asm__ volatile("push %0\n\tpopfq" : : "r"(flags) : "memory", "cc");
}

// Interrupts stay off for a few instructions at a time.
static int child_finding(void) {
    if (iopl(3))
        return FOUND_IOPL_ERRNO + errno;
    uint64_t before = read_flags();
    __asm__ volatile("cli" : : : "memory");
    uint64_t after_cli = read_flags();
    __asm__ volatile("sti" : : : "memory");
    uint64_t after_sti = read_flags();
    write_flags(before & ~(uint64_t)FLAG_IF);
    uint64_t popped_off = read_flags();
    write_flags(before | FLAG_IF);
    uint64_t popped_on = read_flags();
    if (after_cli & FLAG_IF)
        return FOUND_CLI_IGNORED;
    if (!(after_sti & FLAG_IF))
        return FOUND_STI_IGNORED;
    if (popped_off & FLAG_IF || !(popped_on & FLAG_IF))
        return FOUND_POPF_IGNORED;
    return FOUND_REAL;
}

static enum privilege classify(int status, char *why, size_t size) {
    if (WIFSIGNALED(status)) {
        snprintf(why, size, "iopl(3) succeeds, but CLI ends in SIG%s",
                 sigabbrev_np(WTERMSIG(status)));
        return PRIVILEGE_faulting;
    }
    int finding = WEXITSTATUS(status);
    if (finding >= FOUND_COUNT) {
        snprintf(why, size, "iopl: %s", strerrorname_np(finding - FOUND_IOPL_ERRNO));
        return PRIVILEGE_unavailable;
    }
    snprintf(why, size, "%s", findings[finding].why);
    return findings[finding].privilege;
}

enum privilege gate_user(char *why, size_t size) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(child_finding());
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        snprintf(why, size, "no process for the truth gate: %s", strerror(errno));
        return PRIVILEGE_unavailable;
    }
    return classify(status, why, size);
}
