// SPDX-License-Identifier: GPL-3.0-or-later
// runner/guest/kernel: entering a variant, and what comes back when it is left (crossing.S,
// gate.c).
#pragma once

#include "runner/guest/kernel/memory.h"

#include <stdint.h>

// What crossing.S pushes; the last five words are the CPU's own (SDM volume 3, figure 6-9).
struct gate_frame {
    uint64_t cr3;
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss;
};

enum gate_end { GATE_EXIT, GATE_FAULT, GATE_BAD_CALL };

// How a variant ended.
struct gate_outcome {
    enum gate_end end;
    uint64_t status;  // GATE_EXIT: the argument of exit_group
    uint64_t number;  // GATE_BAD_CALL: the system call's number. GATE_FAULT: the vector
    uint64_t error;   // GATE_FAULT: the CPU's error code, 0 if the vector has none
    uint64_t address; // GATE_FAULT: CR2, 0 unless it is a page fault
    uint64_t rip, cs, rflags, rsp;
    uint64_t before; // the byte in front of RIP: 0xf4 if a deadman's NMI met a HLT; 0 unmapped
    uint64_t ticks;  // TSC ticks spent in the variant, system calls left out
};

// Runs one variant: `ring` 0 or 3 (CPL3 with IOPL=3), IF set, entered at `rip` with `rsp`, all
// other registers 0. What it writes goes out as records of `entry`.
void gate_run(uint32_t entry, uint32_t ring, const struct space *space, uint64_t rip, uint64_t rsp,
              struct gate_outcome *outcome);
