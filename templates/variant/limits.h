// SPDX-License-Identifier: GPL-3.0-or-later
// variant run-time: what a loop may do to the machine. Everything here holds for a bare run and
// under perf, too, because the variant does it to itself.
#pragma once

// From now on the only system calls are write to standard output and error, exit_group, and those
// in variant_syscalls; any other ends the variant with "error syscall NUMBER". Its memory, stack,
// files and processes are limited. Called last before the loop: what else the run-time asks of the
// kernel (iopl, prctl, madvise, ...) it has asked by then. At CPL0 and in the guest, which answers
// few calls and ends a variant that makes another, it does nothing.
void limits_enter(void);

// Whether they are: it was called where Linux is the kernel.
int limits_are_set(void);
