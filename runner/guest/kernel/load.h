// SPDX-License-Identifier: GPL-3.0-or-later
// runner/guest/kernel: a static ELF and its arguments into an address space, as Linux's execve
// would.
#pragma once

#include "runner/guest/kernel/memory.h"

#include <stdint.h>

// Maps the segments of the ELF (`bytes` bytes at `elf`) with the protection they ask for; sets
// `*entry`. Returns NULL, or why it cannot be loaded. Source: System V ABI, chapter 5.
const char *load_elf(const struct space *space, const uint8_t *elf, uint64_t bytes,
                     uint64_t *entry);

// Maps the stack and lays argc, argv, an empty environment and an empty auxiliary vector on it
// (System V ABI for x86-64, 3.4.1). `strings`: `count` strings of `bytes` bytes together, each
// ended by NUL. Sets `*rsp`, 16-aligned. Returns NULL, or why not.
const char *load_stack(const struct space *space, const char *strings, uint32_t bytes,
                       uint32_t count, uint64_t *rsp);
