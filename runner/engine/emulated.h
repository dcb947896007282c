// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: instructions that the kernel or a hypervisor executes instead of the CPU
// (emulated.def). What they take is no cost of the CPU's.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Where loops are executed.
struct emulators {
    bool umip;       // CPL3, and the kernel emulates what UMIP forbids
    bool hypervisor; // in a virtual machine
    bool privileged; // the CPU takes privileged instructions there: at CPL0, or CPL3 with IOPL 3
    // Ticks that one takes at least, by its mnemonic; NULL: none can be tried.
    double (*ticks_of)(const char *mnemonic);
};

// As found out for an engine's accel and ring, and whether the loop has IOPL 3 there.
struct emulators emulators_find(const char *accel, int ring, bool iopl);

// Is one of the mix's instructions executed by somebody else there? Then `why` says which and by
// whom.
bool emulators_hold(const struct emulators *emulators, const char *mix, char *why, size_t size);

// Is an instruction in the mix at all that somebody may emulate somewhere?
bool emulators_may_hold(const char *mix);

// Instructions of a mix, counted.
double mix_total(const char *mix);
