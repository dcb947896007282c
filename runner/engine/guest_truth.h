// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the guest's truth gate. What CLI, STI and POPF really are in the guest: found by
// running runner/guest/truth.c in it, never from a return code or a flag of /proc.
#pragma once

#include "common/rows.h"
#include "runner/engine/guest.h"

// TSC ticks that a pair of CLI and STI, PUSH and POPF or PUSHF and POP never takes on silicon
// (published figures end below 140), and that one trap into a hypervisor always exceeds.
enum { GUEST_TRAP_TICKS = 400 };

struct guest_truth {
    enum privilege privilege; // real, emulated, faulting, ignored or unavailable
    char detail[256];         // the evidence in words
};

// Classify one run of the truth program. Pure. `boot`: what the kernel said of its CPU;
// `result`: the run; `ring`: 0 or 3; `host_hypervisor`: of the machine QEMU itself
// runs on, as struct machine has it: a CPU that is itself emulated makes nothing real.
void guest_truth_classify(const char *boot, const struct guest_result *result, int ring,
                          const char *host_hypervisor, struct guest_truth *truth);

// Boot the truth program under `options` and classify both rings: truths[0] is CPL0, truths[1] is
// CPL3 with IOPL=3. Without QEMU, kernel or /dev/kvm both are unavailable, with the reason.
void guest_probe(const struct guest_options *options, struct guest_truth truths[2]);
