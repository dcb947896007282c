// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: the one spelling of an instruction (docs/interfaces.md, canonical text).
#ifndef ASMSWEEP_CANONICAL_H
#define ASMSWEEP_CANONICAL_H

#include <stddef.h>

// The longest canonical instruction, with its NUL; longer ones are cut.
enum { CANONICAL_SIZE = 96 };

// objdump's AT&T text of one instruction (without address and bytes, not NUL-terminated,
// `length` characters) as canonical text in out[CANONICAL_SIZE].
void canonical_text(const char *text, size_t length, char *out);

// How many characters of a canonical text are its mnemonic, prefixes included.
size_t canonical_mnemonic(const char *canonical);

// Nonzero for a jump or call, conditional or not (its direct target is dropped from the text).
int canonical_is_jump(const char *canonical);

#endif
