// SPDX-License-Identifier: GPL-3.0-or-later
// results: the name of an item ("push %rbx; popfq") with its operands made general, and whether a
// loop's body is that item, by the disassembly.
//
// Pure text handling; no files.
#pragma once

#include <stdbool.h>
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

// `order` is what was found (order_found of proof.csv: "16*imul %rbx,%rbx; dec %eax; jnz"),
// `general` an item as item_general makes it. True if each instruction of the body in its general
// form is one of the item's, in whatever order and with whatever registers of the same kinds.
bool body_holds_only(const char *order, const char *general);

// True if the body is one instruction again and again, with the same operands: where it writes
// what it reads, a chain.
bool body_repeats_one(const char *order);
