// SPDX-License-Identifier: GPL-3.0-or-later
// runner/disassemble: one instruction as text, in its one spelling (docs/interfaces.md, canonical
// text), and what the text tells of it. Pure.
#pragma once

#include "common/rows.h"

#include <stdint.h>

// The longest canonical instruction, with its NUL; longer ones are cut.
enum { CANONICAL_SIZE = 96 };

struct instruction {
    uint64_t address;
    uint64_t target;           // of a direct jump or call; 0: it is none
    char text[CANONICAL_SIZE]; // canonical
};

// objdump's AT&T text of one instruction (without address and bytes, not NUL-terminated,
// `length` characters) as canonical text in out[CANONICAL_SIZE].
void canonical_text(const char *text, size_t length, char *out);

// How many characters of a canonical text are its mnemonic, prefixes included.
size_t canonical_mnemonic(const char *canonical);

// Nonzero for a jump or call, conditional or not (its direct target is dropped from the text).
int canonical_is_jump(const char *canonical);

// Is its mnemonic, without prefixes, this name, as it is or with the suffix of a size? objdump adds
// one where no register tells.
int canonical_is(const char *canonical, const char *name);

// Does the loop meet the condition of Intel's JCC erratum (Skylake and its kin; "Mitigations for
// Jump Conditional Code Erratum", 2019)? Nonzero if one of the `count` instructions is a jump (or
// call, or return), or a pair macro-fused with one, that crosses a 32-byte boundary or ends at one.
// `end` is the address behind the last instruction.
int jcc_erratum(const struct instruction *instructions, size_t count, uint64_t end);
