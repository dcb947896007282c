// SPDX-License-Identifier: GPL-3.0-or-later
// runner/guest/kernel: page frames and address spaces. A variant's address space holds its own
// pages and the gate (kernel.ld), nothing else: a stray pointer of a variant at CPL0 meets a page
// fault, not the kernel. All pages are 4 KiB.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct space {
    uint64_t root; // physical address of the PML4, as CR3 wants it
    uint64_t user; // PAGE_USER for a variant at CPL3, else 0
};

// The bytes at a physical address below 4 GiB.
void *memory_at(uint64_t physical);

// Makes the kernel's own page tables (text read-only, data not executable, guard pages below the
// gate stacks) and goes over to them. Frames for variants are taken from `begin` to `end`
// (physical addresses).
void memory_init(uint64_t begin, uint64_t end);

// An empty address space with the gate in it. Gives back every frame of the space before.
bool space_open(struct space *space, uint32_t ring);

// A zeroed page at the virtual address `at`, or the one that is there already; `protection` is
// PAGE_WRITE and PAGE_NO_EXECUTE, and gets looser, never tighter, when the page is there. Returns
// where the kernel sees the page, or NULL when memory is out.
uint8_t *space_page(const struct space *space, uint64_t at, uint64_t protection);

// Where the kernel sees the variant's byte at `at`; NULL if the variant has no page there.
uint8_t *space_find(const struct space *space, uint64_t at);
