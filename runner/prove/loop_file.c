// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/loop_file.h"

#include "common/disk.h"

#include <elf.h>
#include <sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image {
    const char *path;
    const uint8_t *bytes;
    size_t size;
    struct error *error;
};

static int damaged(const struct image *image, const char *what) {
    return error_set(image->error, ERROR_INPUT, image->path, 0, "%s; build the sweep again", what);
}

// The part [offset, offset+length) of the file, or NULL.
static const void *part(const struct image *image, uint64_t offset, uint64_t length) {
    if (offset > image->size || length > image->size - offset)
        return NULL;
    return image->bytes + offset;
}

// Section headers; *count of them. The caller has checked the ELF header.
static const Elf64_Shdr *sections(const struct image *image, size_t *count) {
    const Elf64_Ehdr *header = (const void *)image->bytes;
    *count = header->e_shnum;
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8)
        return NULL;
    return part(image, header->e_shoff, (uint64_t)*count * sizeof(Elf64_Shdr));
}

// Bytes in the file that are loaded at `address`, `length` of them; NULL if there are none.
static const void *loaded(const struct image *image, uint64_t address, uint64_t length) {
    size_t count;
    const Elf64_Shdr *section = sections(image, &count);
    for (size_t i = 0; section && i < count; i++) {
        const Elf64_Shdr *s = &section[i];
        if (s->sh_type == SHT_PROGBITS && s->sh_flags & SHF_ALLOC && address >= s->sh_addr &&
            address - s->sh_addr <= s->sh_size && length <= s->sh_size - (address - s->sh_addr))
            return part(image, s->sh_offset + (address - s->sh_addr), length);
    }
    return NULL;
}

struct wanted {
    const char *name;
    uint64_t address;
    unsigned section;
    int found;
};

static int find_symbols(const struct image *image, struct wanted *wanted, size_t wanted_count) {
    size_t count;
    const Elf64_Shdr *section = sections(image, &count);
    for (size_t i = 0; section && i < count; i++) {
        if (section[i].sh_type != SHT_SYMTAB || section[i].sh_link >= count ||
            section[i].sh_offset % 8)
            continue;
        const Elf64_Shdr *strings = &section[section[i].sh_link];
        const Elf64_Sym *symbol = part(image, section[i].sh_offset, section[i].sh_size);
        const char *names = part(image, strings->sh_offset, strings->sh_size);
        if (!symbol || !names || !strings->sh_size || names[strings->sh_size - 1])
            return damaged(image, "its symbol table is damaged");
        for (size_t s = 0; s < section[i].sh_size / sizeof *symbol; s++)
            for (size_t w = 0; w < wanted_count; w++)
                if (symbol[s].st_name < strings->sh_size && symbol[s].st_shndx != SHN_UNDEF &&
                    !strcmp(names + symbol[s].st_name, wanted[w].name)) {
                    wanted[w].address = symbol[s].st_value;
                    wanted[w].section = symbol[s].st_shndx;
                    wanted[w].found = 1;
                }
    }
    for (size_t w = 0; w < wanted_count; w++)
        if (!wanted[w].found)
            return error_set(image->error, ERROR_INPUT, image->path, 0,
                             "no symbol %s; it is not a variant", wanted[w].name);
    return 0;
}

static int read_number(const struct image *image, uint64_t address, uint32_t *number) {
    const void *bytes = loaded(image, address, sizeof *number);
    if (!bytes)
        return damaged(image, "its numbers lie outside the file");
    memcpy(number, bytes, sizeof *number);
    return 0;
}

static int read_note(const struct image *image, uint64_t address, char *note, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const char *byte = loaded(image, address + i, 1);
        if (!byte)
            return damaged(image, "its name lies outside the file");
        note[i] = i + 1 < size ? *byte : '\0';
        if (!note[i])
            break;
    }
    return 0;
}

// Of variant.ld, and what the linker adds by itself.
static bool is_known_section(const char *name) {
    static const char *const known[] = {".stamps",   ".data", ".bss",     ".loopstack",
                                        ".loopdata", ".got",  ".got.plt", ".igot.plt"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i]))
            return true;
    return false;
}

static int find_stray_section(const struct image *image, char *stray, size_t size) {
    const Elf64_Ehdr *header = (const void *)image->bytes;
    size_t count;
    const Elf64_Shdr *section = sections(image, &count);
    if (!section || header->e_shstrndx >= count)
        return damaged(image, "its section headers are damaged");
    const Elf64_Shdr *strings = &section[header->e_shstrndx];
    const char *names = part(image, strings->sh_offset, strings->sh_size);
    if (!names || !strings->sh_size || names[strings->sh_size - 1])
        return damaged(image, "its section names are damaged");
    for (size_t i = 0; i < count; i++)
        if (section[i].sh_flags & SHF_WRITE && section[i].sh_flags & SHF_ALLOC &&
            section[i].sh_size && section[i].sh_name < strings->sh_size &&
            !is_known_section(names + section[i].sh_name))
            snprintf(stray, size, "%s", names + section[i].sh_name);
    return 0;
}

static int read_image(const struct image *image, struct loop_file *file) {
    enum { SETUP, BEGIN, END, TEARDOWN_END, ITERATIONS, NEEDS, NOTE, WANTED };
    struct wanted wanted[WANTED] = {
        [SETUP] = {.name = "loop_setup"},
        [BEGIN] = {.name = "loop_begin"},
        [END] = {.name = "loop_end"},
        [TEARDOWN_END] = {.name = "loop_teardown_end"},
        [ITERATIONS] = {.name = "variant_iterations"},
        [NEEDS] = {.name = "variant_needs"},
        [NOTE] = {.name = "variant_note"},
    };
    const Elf64_Ehdr *header = (const void *)image->bytes;
    if (image->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64)
        return damaged(image, "is no x86-64 ELF file");
    if (find_symbols(image, wanted, WANTED))
        return -1;
    for (size_t w = SETUP; w <= TEARDOWN_END; w++)
        if (wanted[w].section != wanted[SETUP].section)
            return error_set(image->error, ERROR_INPUT, image->path, 0,
                             "the loop leaves its section; no .section or .text in setup, body "
                             "and teardown without going back to .loop");
    file->setup = wanted[SETUP].address;
    file->begin = wanted[BEGIN].address;
    file->end = wanted[END].address;
    file->teardown_end = wanted[TEARDOWN_END].address;
    if (file->setup > file->begin || file->begin >= file->end || file->end > file->teardown_end)
        return damaged(image, "its loop symbols are out of order");
    const uint8_t *loop = loaded(image, file->setup, file->teardown_end - file->setup);
    if (!loop)
        return damaged(image, "its loop lies outside the file");
    SHA256Data(image->bytes, image->size, file->elf_sha256);
    SHA256Data(loop, file->teardown_end - file->setup, file->loop_sha256);
    if (read_number(image, wanted[ITERATIONS].address, &file->iterations) ||
        read_number(image, wanted[NEEDS].address, &file->needs))
        return -1;
    if (find_stray_section(image, file->stray_section, sizeof file->stray_section))
        return -1;
    return read_note(image, wanted[NOTE].address, file->note, sizeof file->note);
}

int loop_file_read(const char *path, struct loop_file *file, struct error *error) {
    *file = (struct loop_file){0};
    struct image image = {.path = path, .error = error};
    char *bytes = disk_read(path, &image.size, error);
    if (bytes == NULL)
        return -1;
    image.bytes = (const uint8_t *)bytes;
    int result = read_image(&image, file);
    free(bytes);
    return result;
}
