// SPDX-License-Identifier: GPL-3.0-or-later
#include "subnormal.h"

#include "output.h"
#include "variant.h"

// MXCSR and the x87 status word keep these until they are cleared: an operand was subnormal, a
// result was too small for a normal number. Flushing to zero has the latter, too, and costs
// nothing.
enum { OPERAND = 1 << 1, RESULT = 1 << 4, EXCEPTIONS = 0x3f, FLUSH_TO_ZERO = 1 << 15 };

static uint32_t within; // iterations; 0: none

// Did any of the first `count` iterations meet subnormal numbers? Costs of a few iterations in
// thousands are too little for a clock, and these flags are exact.
static int meets(uint32_t count) {
    uint32_t mxcsr;
    uint16_t x87;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    mxcsr &= ~(uint32_t)EXCEPTIONS;
    __asm__ volatile("ldmxcsr %0\n\tfnclex" : : "m"(mxcsr));
    timed_call(count, loop_setup);
    __asm__ volatile("stmxcsr %0\n\tfnstsw %1" : "=m"(mxcsr), "=m"(x87));
    return mxcsr & OPERAND || (mxcsr & RESULT && !(mxcsr & FLUSH_TO_ZERO)) ||
           x87 & (OPERAND | RESULT);
}

void subnormal_look(uint32_t few, uint32_t many) {
    if (meets(1))
        return;
    within = meets(few) ? few : meets(many) ? many : 0;
}

void subnormal_put_note(void) {
    if (within)
        put_line("note subnormal ", within);
}
