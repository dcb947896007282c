// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the truth gate of programs at CPL3.
//
// A return code of iopl(3) proves nothing: since Linux 5.5 it changes no I/O
// privilege level, since 5.16 CLI and STI are skipped as NOPs, and POPF has always
// left IF alone without a fault. So a child asks for iopl(3), sets and clears IF and
// reads it back with PUSHF.
#pragma once

#include "common/rows.h"

#include <stddef.h>

// Try it in a child; `why` gets the reason in words ("iopl: ENOSYS"). Never
// PRIVILEGE_not_needed. Costs one fork.
enum privilege gate_user(char *why, size_t size);
