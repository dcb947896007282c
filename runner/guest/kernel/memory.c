// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/guest/kernel/memory.h"

#include "runner/guest/kernel/gate_symbols.h"
#include "runner/guest/kernel/layout.h"
#include "runner/guest/kernel/machine.h"

#define TABLE_ENTRIES 512

typedef uint64_t page_table[TABLE_ENTRIES] __attribute__((aligned(PAGE_BYTES)));

// Three levels above the image are the same for both; only the last one tells the kernel's view
// of the image from a variant's.
static page_table kernel_directory, kernel_directories, kernel_pages;
static page_table gate_directory, gate_directories, gate_pages;
extern page_table boot_pml4;

static uint64_t frames_begin, frames_next, frames_end;

void *memory_at(uint64_t physical) {
    return (void *)(DIRECT_BASE + physical);
}

static uint64_t physical_of(const void *symbol) {
    return (uint64_t)symbol - KERNEL_BASE;
}

static void clear_page(void *page) {
    uint64_t *word = page;
    for (size_t i = 0; i < TABLE_ENTRIES; i++)
        word[i] = 0;
}

// Physical address of a zeroed frame, 0 when there is none left.
static uint64_t frame_take(void) {
    if (frames_next + PAGE_BYTES > frames_end)
        return 0;
    uint64_t frame = frames_next;
    frames_next += PAGE_BYTES;
    clear_page(memory_at(frame));
    return frame;
}

// Maps the image's pages from `begin` up to `end` in the last-level table `pages`.
static void image_map(page_table pages, const char *begin, const char *end, uint64_t bits) {
    for (uint64_t at = physical_of(begin); at < physical_of(end); at += PAGE_BYTES)
        pages[at / PAGE_BYTES] = at | PAGE_PRESENT | bits;
}

static void image_unmap(page_table pages, const char *page) {
    pages[physical_of(page) / PAGE_BYTES] = 0;
}

static void guards_unmap(page_table pages) {
    image_unmap(pages, gate_fault_stack_guard);
    image_unmap(pages, gate_nmi_stack_guard);
    image_unmap(pages, gate_double_stack_guard);
    image_unmap(pages, gate_syscall_stack_guard);
}

// Hangs `pages` under `directories` and `directory` where the image lies: at -2 GiB.
static void image_link(page_table directories, page_table directory, page_table pages) {
    directories[510] = physical_of(directory) | PAGE_PRESENT | PAGE_WRITE;
    directory[0] = physical_of(pages) | PAGE_PRESENT | PAGE_WRITE;
}

void memory_init(uint64_t begin, uint64_t end) {
    frames_begin = frames_next = (begin + PAGE_BYTES - 1) & PAGE_ADDRESS;
    frames_end = end & PAGE_ADDRESS;

    image_map(kernel_pages, kernel_text_begin, gate_text_end, 0);
    image_map(kernel_pages, gate_text_end, kernel_rodata_end, PAGE_NO_EXECUTE);
    image_map(kernel_pages, gate_tables_begin, kernel_end, PAGE_WRITE | PAGE_NO_EXECUTE);
    guards_unmap(kernel_pages);
    image_link(kernel_directories, kernel_directory, kernel_pages);

    image_map(gate_pages, gate_text_begin, gate_text_end, 0);
    image_map(gate_pages, gate_tables_begin, gate_tables_end, PAGE_NO_EXECUTE);
    image_map(gate_pages, gate_writable_begin, gate_writable_end, PAGE_WRITE | PAGE_NO_EXECUTE);
    guards_unmap(gate_pages);
    image_link(gate_directories, gate_directory, gate_pages);

    boot_pml4[0] = 0;
    boot_pml4[256] |= PAGE_NO_EXECUTE;
    boot_pml4[511] = physical_of(kernel_directories) | PAGE_PRESENT | PAGE_WRITE;
    gate_kernel_cr3 = physical_of(boot_pml4);
    write_cr3(gate_kernel_cr3);
}

bool space_open(struct space *space, uint32_t ring) {
    frames_next = frames_begin;
    space->user = ring == 3 ? PAGE_USER : 0;
    space->root = frame_take();
    if (!space->root)
        return false;
    uint64_t *root = memory_at(space->root);
    root[511] = physical_of(gate_directories) | PAGE_PRESENT | PAGE_WRITE;
    return true;
}

// The last-level entry for `at`; tables that are missing are made if `make`, else NULL.
static uint64_t *space_entry(const struct space *space, uint64_t at, bool make) {
    uint64_t *table = memory_at(space->root);
    for (unsigned shift = 39; shift > 12; shift -= 9) {
        uint64_t *entry = &table[at >> shift & (TABLE_ENTRIES - 1)];
        if (!(*entry & PAGE_PRESENT)) {
            uint64_t frame = make ? frame_take() : 0;
            if (!frame)
                return NULL;
            *entry = frame | PAGE_PRESENT | PAGE_WRITE | PAGE_USER;
        }
        table = memory_at(*entry & PAGE_ADDRESS);
    }
    return &table[at >> 12 & (TABLE_ENTRIES - 1)];
}

uint8_t *space_page(const struct space *space, uint64_t at, uint64_t protection) {
    uint64_t *entry = space_entry(space, at, true);
    if (!entry)
        return NULL;
    if (!(*entry & PAGE_PRESENT)) {
        uint64_t frame = frame_take();
        if (!frame)
            return NULL;
        *entry = frame | PAGE_PRESENT | space->user | protection;
    } else {
        *entry |= protection & PAGE_WRITE;
        if (!(protection & PAGE_NO_EXECUTE))
            *entry &= ~PAGE_NO_EXECUTE;
    }
    return memory_at(*entry & PAGE_ADDRESS);
}

uint8_t *space_find(const struct space *space, uint64_t at) {
    if (at >> 47) // not the variant's half
        return NULL;
    uint64_t *entry = space_entry(space, at, false);
    if (!entry || !(*entry & PAGE_PRESENT))
        return NULL;
    return (uint8_t *)memory_at(*entry & PAGE_ADDRESS) + at % PAGE_BYTES;
}
