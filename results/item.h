// SPDX-License-Identifier: GPL-3.0-or-later
// results: the name of an item ("push %rbx; popfq") with its operands made general.
//
// Pure text handling; no files.
#pragma once

#include <stddef.h>

// An item with its operands made general, as published figures name them. "push %rbx; popfq" and
// "push r64;popfq" both give "push r64;popfq".
// - A register becomes its kind: r8, r16, r32, r64, xmm, ymm, zmm, tmm, mm, k, sreg, cr, dr, st.
// - Registers of one kind that differ within an instruction are numbered: "imul %rdx,%rdx" is the
//   chain "imul r64,r64", "imul %rsi,%rdx" is "imul r64.1,r64.2" and need not be one.
// - A constant becomes $imm8, $imm32 or $imm64 by its size, $imm where it is no number.
// - Memory operands and mnemonics stay as they are.
// Cut at size.
void item_general(const char *item, char *text, size_t size);
