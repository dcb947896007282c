// SPDX-License-Identifier: GPL-3.0-or-later
// tests/fuzz: what the libFuzzer targets share. A target checks more than "no crash": what
// must hold of any answer is an abort when it does not.
#ifndef ASMSWEEP_FUZZ_H
#define ASMSWEEP_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Abort, so that libFuzzer keeps the input.
static inline void must(int holds) {
    if (!holds)
        abort();
}

#endif
