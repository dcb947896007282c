// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/bpf/object.h"

#include "common/disk.h"
#include "common/memory.h"

#include <elf.h>
#include <sha2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {[OBJECT_syscall] = "syscall", [OBJECT_tc] = "tc"};

// The file, and what of it is found.
struct image {
    const char *path;
    const uint8_t *bytes;
    size_t size;
    const Elf64_Shdr *sections;
    size_t section_count, code; // code: number of the section
    const Elf64_Sym *symbols;
    size_t symbol_count;
    const char *names; // of symbols
    size_t names_size;
    struct error *error;
};

static int damaged(const struct image *image, const char *what) {
    return error_set(image->error, ERROR_INPUT, image->path, 0,
                     "%s; it is no program for the kernel: build the sweep again", what);
}

// `count` things of `size` bytes at an offset of the file; NULL: it has not so many, or not
// aligned.
static const void *part(const struct image *image, uint64_t offset, uint64_t count, size_t size) {
    if (offset % 8 || offset > image->size || count > (image->size - offset) / size)
        return NULL;
    return image->bytes + offset;
}

// A name in a table of texts, NULL where there is none.
static const char *text_at(const char *names, size_t size, size_t at) {
    return at < size && memchr(names + at, '\0', size - at) ? names + at : NULL;
}

static int find_sections(struct image *image) {
    const Elf64_Ehdr *header = (const void *)image->bytes;
    if (image->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_BPF || header->e_type != ET_REL)
        return damaged(image, "is no BPF object");
    image->section_count = header->e_shnum;
    if (header->e_shentsize == sizeof(Elf64_Shdr))
        image->sections = part(image, header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr));
    return image->sections ? 0 : damaged(image, "its sections lie outside the file");
}

// The bytes of a section as `*count` things of `size` bytes.
static const void *contents(const struct image *image, const Elf64_Shdr *section, size_t size,
                            size_t *count) {
    *count = section->sh_size / size;
    return section->sh_size % size ? NULL : part(image, section->sh_offset, *count, size);
}

static int find_symbols(struct image *image) {
    for (size_t i = 0; i < image->section_count; i++) {
        const Elf64_Shdr *section = &image->sections[i];
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= image->section_count)
            continue;
        const Elf64_Shdr *names = &image->sections[section->sh_link];
        image->symbols = contents(image, section, sizeof(Elf64_Sym), &image->symbol_count);
        if (names->sh_offset <= image->size && names->sh_size <= image->size - names->sh_offset) {
            image->names = (const char *)image->bytes + names->sh_offset;
            image->names_size = names->sh_size;
        }
    }
    if (!image->symbols || !image->names)
        return damaged(image, "its symbols lie outside the file");
    return 0;
}

// The one section that holds code, whose name is the program's type.
static int find_code(struct image *image, struct object *object) {
    const Elf64_Ehdr *header = (const void *)image->bytes;
    const Elf64_Shdr *found = NULL, *names;
    for (size_t i = 0; i < image->section_count; i++) {
        const Elf64_Shdr *section = &image->sections[i];
        if (section->sh_type != SHT_PROGBITS || !(section->sh_flags & SHF_EXECINSTR) ||
            !section->sh_size)
            continue;
        if (found)
            return damaged(image, "its code lies in several sections");
        found = section;
        image->code = i;
    }
    if (!found || header->e_shstrndx >= image->section_count)
        return damaged(image, "it has no code");
    names = &image->sections[header->e_shstrndx];
    const char *name = NULL;
    if (names->sh_offset <= image->size && names->sh_size <= image->size - names->sh_offset)
        name =
            text_at((const char *)image->bytes + names->sh_offset, names->sh_size, found->sh_name);
    object->type = OBJECT_syscall;
    while (name && object->type <= OBJECT_tc && strcmp(name, type_names[object->type]) != 0)
        object->type++;
    if (!name || object->type > OBJECT_tc)
        return damaged(image, "its code is in no section 'syscall' or 'tc'");
    const void *code = contents(image, found, sizeof *object->code, &object->count);
    if (!code || !object->count || object->count > OBJECT_INSTRUCTIONS)
        return damaged(image, "its code is no whole number of instructions, or too many");
    object->code = memory_zero(object->count, sizeof *object->code);
    memcpy(object->code, code, object->count * sizeof *object->code);
    return 0;
}

// The name of a symbol that fits, NULL: none.
static const char *symbol_name(const struct image *image, const Elf64_Sym *symbol) {
    const char *name = text_at(image->names, image->names_size, symbol->st_name);
    return name && *name && strlen(name) < OBJECT_NAME ? name : NULL;
}

static int by_first(const void *a, const void *b) {
    const struct object_function *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

// Global labels are functions, without a gap between them; the first begins the code.
static int take_functions(const struct image *image, struct object *object) {
    size_t *marks[] = {&object->loop_begin, &object->loop_end};
    static const char *const mark_names[] = {"loop_begin", "loop_end"};
    for (size_t i = 0; i < image->symbol_count; i++) {
        const Elf64_Sym *symbol = &image->symbols[i];
        const char *name = symbol_name(image, symbol);
        uint64_t at = symbol->st_value / sizeof *object->code;
        if (symbol->st_shndx != image->code || !name)
            continue;
        if (symbol->st_value % sizeof *object->code || at > object->count)
            return damaged(image, "a label stands within no instruction");
        for (int m = 0; m < 2; m++)
            if (!strcmp(name, mark_names[m]))
                *marks[m] = at;
        if (ELF64_ST_BIND(symbol->st_info) != STB_GLOBAL)
            continue;
        if (object->function_count == OBJECT_FUNCTIONS || at == object->count)
            return damaged(image, "it has too many functions");
        struct object_function *function = &object->functions[object->function_count++];
        function->first = (uint32_t)at;
        strcpy(function->name, name);
    }
    qsort(object->functions, object->function_count, sizeof *object->functions, by_first);
    if (!object->function_count || object->functions[0].first)
        return damaged(image, "its code begins with no function");
    for (size_t i = 0; i < object->function_count; i++) {
        uint32_t end = i + 1 < object->function_count ? object->functions[i + 1].first
                                                      : (uint32_t)object->count;
        object->functions[i].count = end - object->functions[i].first;
        if (!object->functions[i].count)
            return damaged(image, "two functions begin at one place");
        if (!strcmp(object->functions[i].name, "loop"))
            object->loop = i;
    }
    return 0;
}

// The loop counts r6 down, and goes back to its beginning.
static bool ends_as_a_loop(const struct object *object) {
    const struct bpf_insn *step = &object->code[object->loop_end - 2], *jump = step + 1;
    return step->code == (BPF_ALU64 | BPF_SUB) && step->dst_reg == 6 && !step->src_reg &&
           !step->off && step->imm == 1 && jump->code == (BPF_JMP | BPF_JNE) &&
           jump->dst_reg == 6 && !jump->src_reg && !jump->imm &&
           (long)object->loop_end + jump->off == (long)object->loop_begin;
}

static int find_loop(const struct image *image, const struct object *object) {
    const struct object_function *loop = &object->functions[object->loop];
    if (!object->loop || object->loop_begin <= loop->first ||
        object->loop_end < object->loop_begin + 2 || object->loop_end >= loop->first + loop->count)
        return damaged(image, "it has no function 'loop' with loop_begin and loop_end in it");
    return ends_as_a_loop(object) ? 0 : damaged(image, "its loop does not count r6 down to 0");
}

static int find_function(const struct object *object, uint64_t first) {
    for (size_t i = 0; i < object->function_count; i++)
        if (object->functions[i].first == first)
            return (int)i;
    return -1;
}

static bool is_call(const struct bpf_insn *insn) {
    return insn->code == (BPF_JMP | BPF_CALL);
}

static bool is_wide(const struct bpf_insn *insn) {
    return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

// One relocation as a reference of the object's.
static int take_relocation(const struct image *image, struct object *object, const Elf64_Rel *rel) {
    uint64_t at = rel->r_offset / sizeof *object->code, symbol_at = ELF64_R_SYM(rel->r_info);
    struct object_reference *reference = &object->references[object->reference_count];
    if (rel->r_offset % sizeof *object->code || at >= object->count ||
        symbol_at >= image->symbol_count)
        return damaged(image, "a relocation lies outside its code");
    const Elf64_Sym *symbol = &image->symbols[symbol_at];
    const struct bpf_insn *insn = &object->code[at];
    const char *name = symbol_name(image, symbol);
    bool own = symbol->st_shndx == image->code;
    reference->at = (uint32_t)at;
    if (!name || (!own && symbol->st_shndx != SHN_UNDEF))
        return damaged(image, "a relocation names nothing");
    if (ELF64_R_TYPE(rel->r_info) == R_BPF_64_32 && is_call(insn)) {
        reference->use = own ? OBJECT_USE_own : OBJECT_USE_kernel;
        reference->function = own ? find_function(object, symbol->st_value / sizeof *insn) : -1;
        if (own && reference->function <= 0)
            return damaged(image, "a call goes to no function");
    } else if (ELF64_R_TYPE(rel->r_info) == R_BPF_64_64 && is_wide(insn) && !own) {
        reference->use = OBJECT_USE_value;
        reference->offset = (uint32_t)insn->imm;
    } else {
        return damaged(image, "a relocation is of a kind that no program has");
    }
    strcpy(reference->name, name);
    object->reference_count++;
    return 0;
}

static int by_place(const void *a, const void *b) {
    const struct object_reference *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static int take_relocations(const struct image *image, struct object *object) {
    object->references = memory_zero(object->count + 1, sizeof *object->references);
    for (size_t i = 0; i < image->section_count; i++) {
        size_t count;
        const Elf64_Shdr *section = &image->sections[i];
        if (section->sh_type == SHT_RELA || (section->sh_type == SHT_REL && section->sh_info == 0))
            return damaged(image, "its relocations are of a kind that no program has");
        if (section->sh_type != SHT_REL || section->sh_info != image->code)
            continue;
        const Elf64_Rel *rel = contents(image, section, sizeof *rel, &count);
        if (!rel || object->reference_count + count > object->count)
            return damaged(image, "its relocations lie outside the file, or are too many");
        for (size_t r = 0; r < count; r++)
            if (take_relocation(image, object, &rel[r]))
                return -1;
    }
    qsort(object->references, object->reference_count, sizeof *object->references, by_place);
    for (size_t i = 1; i < object->reference_count; i++)
        if (object->references[i].at == object->references[i - 1].at)
            return damaged(image, "two relocations are of one instruction");
    return 0;
}

// Does the jump, if it is one, end within its function, and not within an lddw?
static bool jumps_well(const struct object *object, const struct object_function *function,
                       uint32_t at) {
    const struct bpf_insn *insn = &object->code[at];
    int class = BPF_CLASS(insn->code), operation = BPF_OP(insn->code);
    if ((class != BPF_JMP && class != BPF_JMP32) || operation == BPF_CALL || operation == BPF_EXIT)
        return true;
    int64_t to = (int64_t)at + 1 + insn->off;
    return (class == BPF_JMP || operation != BPF_JA) && to >= function->first &&
           to < (int64_t)function->first + function->count &&
           (to == function->first || !is_wide(&object->code[to - 1]));
}

// Every call and every address is named; nothing else refers to anything.
static int check_function(const struct image *image, const struct object *object,
                          const struct object_function *function, size_t *next) {
    uint32_t end = function->first + function->count;
    for (uint32_t at = function->first; at < end; at++) {
        const struct bpf_insn *insn = &object->code[at];
        bool named = *next < object->reference_count && object->references[*next].at == at;
        *next += named;
        if (is_call(insn) ? !named : !is_wide(insn) && named)
            return damaged(image, "a call names nothing");
        if (BPF_CLASS(insn->code) == BPF_JMP && BPF_OP(insn->code) == BPF_CALL && !is_call(insn))
            return damaged(image, "a call goes by a register");
        if (!jumps_well(object, function, at))
            return damaged(image, "a jump leaves its function");
        if (!is_wide(insn))
            continue;
        if (insn->src_reg || at + 1 == end || insn[1].code || insn[1].dst_reg || insn[1].src_reg ||
            insn[1].off || (named && insn[1].imm))
            return damaged(image, "an lddw is none");
        at++;
    }
    const struct bpf_insn *last = &object->code[end - 1];
    if (last->code != (BPF_JMP | BPF_EXIT) && last->code != (BPF_JMP | BPF_JA))
        return damaged(image, "a function has no end");
    return 0;
}

static int parse(struct image *image, struct object *object) {
    size_t next = 0;
    if (find_sections(image) || find_symbols(image) || find_code(image, object) ||
        take_functions(image, object) || find_loop(image, object) ||
        take_relocations(image, object))
        return -1;
    for (size_t i = 0; i < object->function_count; i++)
        if (check_function(image, object, &object->functions[i], &next))
            return -1;
    if (next != object->reference_count)
        return damaged(image, "a relocation lies within an lddw");
    const struct object_function *loop = &object->functions[object->loop];
    SHA256Data(image->bytes, image->size, object->elf_sha256);
    SHA256Data((const uint8_t *)&object->code[loop->first], loop->count * sizeof *object->code,
               object->loop_sha256);
    return 0;
}

int object_parse(const char *path, const void *bytes, size_t length, struct object *object,
                 struct error *error) {
    *object = (struct object){0};
    struct image image = {.path = path, .bytes = bytes, .size = length, .error = error};
    return parse(&image, object);
}

int object_read(const char *path, struct object *object, struct error *error) {
    size_t length;
    *object = (struct object){0};
    char *bytes = disk_read(path, &length, error);
    if (bytes == NULL)
        return -1;
    int failed = object_parse(path, bytes, length, object, error);
    free(bytes);
    return failed;
}

void object_free(struct object *object) {
    free(object->code);
    free(object->references);
    *object = (struct object){0};
}
