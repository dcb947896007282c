// SPDX-License-Identifier: GPL-3.0-or-later
#include "generator/operands/object.h"

#include "common/disk.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool within(uint64_t offset, uint64_t length, size_t size) {
    return offset <= size && length <= size - offset;
}

static bool is_object(const char *bytes, size_t size) {
    const Elf64_Ehdr *header = (const void *)bytes;
    return size >= sizeof *header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64 &&
           header->e_shentsize == sizeof(Elf64_Shdr) && header->e_shoff % 8 == 0;
}

// An object of many sections has their number, and that of the names' section, in section 0.
static uint64_t sections_of(const Elf64_Ehdr *header, const Elf64_Shdr *first, uint64_t *names) {
    *names = header->e_shstrndx == SHN_XINDEX ? first->sh_link : header->e_shstrndx;
    return header->e_shnum != 0 ? header->e_shnum : first->sh_size;
}

static int walk(const char *bytes, size_t size, object_section *each, void *context) {
    const Elf64_Ehdr *header = (const void *)bytes;
    const Elf64_Shdr *section = (const void *)(bytes + header->e_shoff);
    uint64_t strings;
    if (!is_object(bytes, size) || !within(header->e_shoff, sizeof *section, size))
        return -1;
    uint64_t count = sections_of(header, section, &strings);
    if (count > size / sizeof *section || strings >= count ||
        !within(header->e_shoff, count * sizeof *section, size))
        return -1;
    const Elf64_Shdr *names = &section[strings];
    if (!within(names->sh_offset, names->sh_size, size) || names->sh_size == 0 ||
        bytes[names->sh_offset + names->sh_size - 1] != '\0')
        return -1;
    for (uint64_t i = 0; i < count; i++) {
        const Elf64_Shdr *s = &section[i];
        if (s->sh_type != SHT_PROGBITS || !(s->sh_flags & SHF_EXECINSTR) || s->sh_size == 0)
            continue;
        if (!within(s->sh_offset, s->sh_size, size) || s->sh_name >= names->sh_size)
            return -1;
        each(bytes + names->sh_offset + s->sh_name, (const uint8_t *)bytes + s->sh_offset,
             s->sh_size, context);
    }
    return 0;
}

int object_walk(const char *path, object_section *each, void *context, struct error *error) {
    size_t size;
    char *bytes = disk_read(path, &size, error);
    if (bytes == NULL)
        return -1;
    int failed = size < sizeof(Elf64_Ehdr) || walk(bytes, size, each, context) != 0;
    free(bytes);
    return failed ? error_set(error, ERROR_INPUT, path, 0,
                              "is no object of x86-64; give what the assembler wrote")
                  : 0;
}
