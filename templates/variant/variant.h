// SPDX-License-Identifier: GPL-3.0-or-later
// variant run-time: what its assembly, its C and the generated loop share.
//
// Freestanding: no libc, no stack protector, no red zone, general registers
// only, so that the same bytes run at CPL3 under a kernel and at CPL0 in the
// guest pack. docs/interfaces.md, "A variant's binary", is the contract.
#pragma once

#include <stdint.h>

// A loop in the loop ABI: entered by a jump with the count in EAX, leaves by a
// jump to loop_return. Not callable from C: only timed_call may enter it.
typedef const char loop_entry[];

extern loop_entry loop_setup;                       // the generated one
extern loop_entry chain_add, chain_rol, chain_imul; // chains.s

// Dependent links in one iteration of each reference chain.
enum { CHAIN_LINKS = 32 };

// Enter `loop` with `count` (1 to 2^32-1) iterations. Returns the TSC ticks from
// just before setup to just after teardown, read between LFENCEs (Intel SDM
// vol. 2, RDTSC: ordered by LFENCE on both sides). All registers and RFLAGS are
// as before; if RSP or the canary under it is lost, ends in loop_lost.
uint64_t timed_call(uint32_t count, const char *loop);

// RFLAGS bits that loops left different from what they found, ORed over all calls.
extern uint64_t flags_left;

// Called on the saved stack with the saved RFLAGS; prints the reason and exits.
_Noreturn void loop_lost(int canary);

// The generated variant's own data.
extern const uint32_t variant_iterations, variant_needs;
// The sweep's declared system calls, ended by -1; NULL (no symbol) where there are none.
extern const int32_t variant_syscalls[] __attribute__((weak));
enum { NEEDS_NOTHING = 0, NEEDS_IOPL = 1, NEEDS_CPL0 = 2 };

// The page loops may use and the state that patterns carry on (.loopdata).
extern char scratch[4096];
extern uint64_t pattern_state;

// System call with up to three arguments; the kernel's negative errno comes back.
long system_call(long number, long first, long second, long third);

// 0 to 3, from CS.
int current_privilege_level(void);

// The C entry; the value is the exit status.
int variant_main(long argc, char **argv);
