// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: does a loop meet the condition of Intel's JCC erratum (Skylake and
// its kin)? Source: Intel, "Mitigations for Jump Conditional Code Erratum", 2019.
#ifndef ASMSWEEP_ERRATUM_H
#define ASMSWEEP_ERRATUM_H

#include "runner/prove/disassembly.h"

// Nonzero if one of the `count` instructions is a jump (or call, or return), or a pair
// macro-fused with one, that crosses a 32-byte boundary or ends at one. `end` is the
// address behind the last instruction.
int jcc_erratum(const struct instruction *instructions, size_t count, uint64_t end);

#endif
