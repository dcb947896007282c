// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/guest/kernel/load.h"

#include "runner/guest/kernel/layout.h"
#include "runner/guest/pack.h"

#include <elf.h>

#define LOAD_LIMIT 0x7fff00000000 // segments end below the stack

static bool elf_is_ours(const Elf64_Ehdr *header, uint64_t bytes) {
    static const uint8_t wanted[] = {ELFMAG0,    ELFMAG1,     ELFMAG2,   ELFMAG3,
                                     ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    if (bytes < sizeof *header)
        return false;
    for (unsigned i = 0; i < sizeof wanted; i++)
        if (header->e_ident[i] != wanted[i])
            return false;
    return header->e_type == ET_EXEC && header->e_machine == EM_X86_64 &&
           header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phoff <= bytes &&
           header->e_phnum * sizeof(Elf64_Phdr) <= bytes - header->e_phoff;
}

static const char *load_segment(const struct space *space, const uint8_t *elf, uint64_t bytes,
                                const Elf64_Phdr *segment) {
    if (segment->p_filesz > segment->p_memsz || segment->p_offset > bytes ||
        segment->p_filesz > bytes - segment->p_offset)
        return "a segment reaches behind the end of the file";
    if (segment->p_vaddr < PAGE_BYTES || segment->p_memsz > LOAD_LIMIT ||
        segment->p_vaddr > LOAD_LIMIT - segment->p_memsz)
        return "a segment lies outside the addresses of a program";

    uint64_t protection = (segment->p_flags & PF_W ? PAGE_WRITE : 0) |
                          (segment->p_flags & PF_X ? 0 : PAGE_NO_EXECUTE);
    uint64_t end = segment->p_vaddr + segment->p_memsz;
    for (uint64_t at = segment->p_vaddr; at < end; at = (at | (PAGE_BYTES - 1)) + 1) {
        uint8_t *page = space_page(space, at, protection);
        if (!page)
            return "not enough memory";
        for (uint64_t i = at; i < end && i / PAGE_BYTES == at / PAGE_BYTES; i++)
            if (i - segment->p_vaddr < segment->p_filesz)
                page[i % PAGE_BYTES] = elf[segment->p_offset + (i - segment->p_vaddr)];
    }
    return NULL;
}

const char *load_elf(const struct space *space, const uint8_t *elf, uint64_t bytes,
                     uint64_t *entry) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)elf;
    if (!elf_is_ours(header, bytes))
        return "not a static x86-64 ELF executable";
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(elf + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_INTERP)
            return "dynamically linked";
        if (segments[i].p_type != PT_LOAD || segments[i].p_memsz == 0)
            continue;
        const char *problem = load_segment(space, elf, bytes, &segments[i]);
        if (problem)
            return problem;
    }
    *entry = header->e_entry;
    return NULL;
}

static void poke(const struct space *space, uint64_t at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        *space_find(space, at + i) = (uint8_t)(value >> (8 * i));
}

const char *load_stack(const struct space *space, const char *strings, uint32_t bytes,
                       uint32_t count, uint64_t *rsp) {
    uint64_t bottom = PACK_STACK_TOP - PACK_STACK_BYTES;
    for (uint64_t at = bottom; at < PACK_STACK_TOP; at += PAGE_BYTES)
        if (!space_page(space, at, PAGE_WRITE | PAGE_NO_EXECUTE))
            return "not enough memory";
    // Words from RSP up: argc, argv, NULL, NULL of the environment, AT_NULL and its value.
    uint64_t words = 1 + (uint64_t)count + 1 + 1 + 2;
    if (bytes + words * 8 + 16 > PACK_STACK_BYTES / 2 || (bytes && strings[bytes - 1]))
        return "the arguments are too long or not ended";

    uint64_t text = PACK_STACK_TOP - bytes;
    uint64_t word = (text - words * 8) & ~15UL;
    *rsp = word;
    poke(space, word, count, 8);
    uint32_t found = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        poke(space, text + i, (uint8_t)strings[i], 1);
        if (i == 0 || !strings[i - 1]) {
            if (++found > count)
                return "more strings than arguments";
            poke(space, word + 8 * found, text + i, 8);
        }
    }
    return found == count ? NULL : "fewer strings than arguments";
}
