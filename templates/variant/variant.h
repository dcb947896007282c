// SPDX-License-Identifier: GPL-3.0-or-later
// variant run-time: what its assembly, its C and the generated loop share.
//
// Freestanding: no libc, no stack protector, no red zone, general registers
// only, so that the same bytes run at CPL3 under a kernel and at CPL0 in the
// guest pack. docs/interfaces.md, "A variant's binary", is the contract.
#pragma once

#include <stdint.h>

// A loop in the loop ABI: entered by a jump with the count in EAX, takes the time before and behind
// the loop itself (stamp.inc), leaves by a jump to loop_return. Not callable from C: only
// timed_call may enter it.
typedef const char loop_entry[];

extern loop_entry loop_setup; // the generated one
extern loop_entry chain_add, chain_rol, chain_imul, width, cache, divider, cache_divider,
    fault; // chains.s

// Dependent links in one iteration of each reference chain.
enum { CHAIN_LINKS = 32 };

// Enter `loop` with `count` (1 to 2^32-1) iterations. Returns the TSC ticks of the loop alone, from
// after its setup to before its teardown, read between LFENCEs (Intel SDM vol. 2, RDTSC: ordered by
// LFENCE on both sides). All registers and RFLAGS are as before; if RSP or the canary above it is
// lost, or a stamp was jumped over, ends in loop_lost.
uint64_t timed_call(uint32_t count, const char *loop);

// Did an interrupt, a fault or a task switch come between the beginning of the last timed_call and
// its end? Only where stopwatch.c finds that it can be seen; elsewhere always 0 or always 1.
extern uint32_t was_interrupted;

// RFLAGS bits that loops left different from what they found, ORed over all calls.
extern uint64_t flags_left;

// Called on the saved stack with the saved RFLAGS; prints the reason and exits.
_Noreturn void loop_lost(int what);

// The generated variant's own data.
extern const uint32_t variant_iterations, variant_needs;
// The sweep's declared system calls, ended by -1; NULL (no symbol) where there are none.
extern const int32_t variant_syscalls[] __attribute__((weak));
enum { NEEDS_NOTHING = 0, NEEDS_IOPL = 1, NEEDS_CPL0 = 2 };

// What the loop asks of its memory (bits) and what besides the core's width a neighbour could take
// from it.
extern const uint32_t variant_memory, variant_watch;
enum { MEMORY_UNTOUCHED = 1, MEMORY_COLD = 2, MEMORY_HUGE = 4 };
enum { WATCH_WIDTH = 0, WATCH_CACHE = 1, WATCH_DIVIDER = 2, WATCH_BOTH = 3 };

// All memory of loops but their stack (.loopdata), and what they put into .data and .bss.
extern char loopdata_begin[], own_begin[], own_end[];

// Its end, and that of the binary's memory. It may be gigabytes away, where no immediate of 32 bits
// reaches.
static inline char *loopdata_end(void) {
    char *end;
    __asm__("movabs $loopdata_end, %0" : "=r"(end));
    return end;
}

extern char cache_ring[16384];                    // the run-time's own
extern char loop_stack_begin[], loop_stack_end[]; // theirs alone; RSP is 64 bytes below its end

// The page loops may use and the state that patterns carry on (.loopdata).
extern char scratch[4096];
extern uint64_t pattern_state;

// End with status 3, before the loop is measured, saying why: "REASON NUMBER".
_Noreturn void refuse(const char *reason, uint64_t number);

// System call with up to three arguments; the kernel's negative errno comes back.
long system_call(long number, long first, long second, long third);

// 0 to 3, from CS.
int current_privilege_level(void);

// Time `slices` slices and print them (docs/interfaces.md, "The stopwatch's output"), waiting for a
// neighbour to go up to `patience` times what they take; 0: the usual.
void stopwatch(uint64_t slices, uint64_t patience);

// The C entry; the value is the exit status.
int variant_main(long argc, char **argv);
