// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the guest engine. Unmodified variants at CPL0, or at CPL3 with IOPL=3, in QEMU,
// with a kernel of our own (runner/guest/kernel) and no other program beside them.
//
// All entries of a call run in one boot, in their order. One that faults ends alone. One that
// hangs is stopped by an NMI; one that takes the machine down (triple fault) is found by the
// missing end of its record, and the entries behind it run in a further boot.
#pragma once

#include "common/disk.h"

#include <stddef.h>
#include <stdint.h>

struct guest_entry {
    const char *path;    // a static ELF; one path in many entries is read and packed once
    const char *argv[4]; // NULL-terminated, argv[0] included
    int ring;            // 0, or 3 for CPL3 with IOPL=3
};

enum guest_accel { GUEST_TCG, GUEST_KVM };

struct guest_options {
    enum guest_accel accel;
    int icount;            // TCG only: one TSC tick is exactly one instruction
    double timeout;        // seconds of wall time without any record until the entry is stopped; 0:
                           // 10. At least 10 until the kernel has come up
    int cpu;               // host CPU to pin QEMU to; negative: not pinned
    const char *kernel;    // its path; NULL: `kernel` in `directory`
    const char *directory; // where `kernel` and `truth` are; NULL: ../guest beside this program
    const char *qemu;      // NULL: qemu-system-x86_64
    const char *const *wrapper; // words in front of QEMU (perf stat ... --), or NULL
};

enum guest_end {
    GUEST_NOT_RUN,   // the boot never came this far
    GUEST_EXITED,    // exit_group: look at exit_status
    GUEST_FAULTED,   // an exception, an unknown system call, stray writes: detail says
    GUEST_TIMED_OUT, // stopped by us
    GUEST_CRASHED,   // it took the machine down, or ended it
};

struct guest_result {
    enum guest_end end;
    int exit_status;
    char *output, *errors; // NUL-terminated; lengths without it. Complete if `end` is GUEST_EXITED
    size_t output_length, errors_length;
    uint64_t ticks;  // TSC ticks spent in it, system calls left out; icount: instructions
    unsigned vector; // GUEST_FAULTED by an exception, else 0
    uint64_t fault_error, address, rip;
    size_t stray;     // bytes it wrote to the channel's port by itself
    char detail[256]; // the reason in words; empty after an ordinary exit
};

// Run `count` entries. `results` has room for `count`; each is filled, also when 0 is not
// returned. `boot_text` (may be NULL) gets `boot_room` bytes at most with NUL of what the kernel
// said of its CPU. Returns 0 when every entry has an end of its own, however bad; -1 with *error
// when QEMU or the kernel is missing or does not come up.
int guest_run(const struct guest_entry *entries, size_t count, const struct guest_options *options,
              struct guest_result *results, char *boot_text, size_t boot_room, struct error *error);

// Path of a file of the guest's directory.
struct path guest_file(const struct guest_options *options, const char *name);

// Give back what guest_run allocated in `count` results.
void guest_results_free(struct guest_result *results, size_t count);
