// SPDX-License-Identifier: GPL-3.0-or-later
// results: whether a loop's body is what its group says, by the disassembly.
//
// Pure text handling; no files.
#pragma once

#include <stdbool.h>

// `order` is what was found (order_found of proof.csv: "16*imul %rbx,%rbx; dec %eax; jnz"),
// `general` an item as item_general makes it. True if each instruction of the body in its general
// form is one of the item's, in whatever order and with whatever registers of the same kinds.
bool body_holds_only(const char *order, const char *general);

// True if the body is one instruction again and again, with the same operands: where it writes
// what it reads, a chain.
bool body_repeats_one(const char *order);
