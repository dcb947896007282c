// SPDX-License-Identifier: GPL-3.0-or-later
// runner/disassemble: a loop's instructions as the texts of proof.csv; the caller frees each.
#pragma once

#include "runner/disassemble/disassembly.h"

// `27*cli+1*sti+1*dec+1*jnz`: mnemonics, first seen first; the loop's own count is `dec` also where
// it counts in memory. A call or jump that has a name for its target is counted by that.
char *loop_text_mix(const struct instruction *instructions, size_t count);

// `27*cli; sti; dec %eax; jnz`: whole instructions with runs.
char *loop_text_order(const struct instruction *instructions, size_t count);

// The differences of two mixes, whatever their order: "claimed 27*cli, found 26*cli; ...".
// Empty when there is none.
char *loop_text_mix_difference(const char *claimed, const char *found);

// Where two orders part: "instruction 3: claimed sti, found cli". Empty when they are
// the same.
char *loop_text_order_difference(const char *claimed, const char *found);
