// SPDX-License-Identifier: GPL-3.0-or-later
// runner/guest/kernel: runs the pack's entries in order and says how each ended.
#include "runner/guest/crc32.h"
#include "runner/guest/kernel/channel.h"
#include "runner/guest/kernel/gate.h"
#include "runner/guest/kernel/gate_symbols.h"
#include "runner/guest/kernel/layout.h"
#include "runner/guest/kernel/load.h"
#include "runner/guest/kernel/machine.h"
#include "runner/guest/kernel/memory.h"
#include "runner/guest/kernel/text.h"
#include "runner/guest/pack.h"

#define START_MAGIC 0x336ec578

// Xen's hvm_start_info and hvm_modlist_entry, as far as they are used here (pvh.pandoc).
struct start_info {
    uint32_t magic, version, flags, module_count;
    uint64_t modules;
};
struct start_module {
    uint64_t address, bytes, command_line, reserved;
};

void kernel_main(const struct start_info *physical);

static void say(uint32_t entry, enum record_kind kind, const char *words) {
    uint32_t length = 0;
    while (words[length])
        length++;
    channel_record(entry, kind, words, length);
}

static void __attribute__((noreturn)) finish(uint8_t value) {
    for (;;)
        write_port(PACK_PORT_EXIT, value);
}

// The parts of the image that never change once the kernel runs.
static uint32_t image_crc(void) {
    return crc32_add(0, kernel_text_begin, (uint64_t)(kernel_rodata_end - kernel_text_begin));
}

static const char *pack_problem(const struct pack_header *pack, uint64_t bytes) {
    if (bytes < sizeof *pack || pack->bytes > bytes)
        return "the pack is cut short";
    for (unsigned i = 0; i < sizeof pack->magic; i++)
        if (pack->magic[i] != PACK_MAGIC[i])
            return "the initrd is not a pack";
    if (pack->entries > (bytes - sizeof *pack) / sizeof(struct pack_entry))
        return "the pack's table is cut short";
    return NULL;
}

// Checked before each entry, so that a variant that got at the pack cannot pass unnoticed.
static const char *entry_problem(const struct pack_header *pack, const struct pack_entry *entry) {
    if (crc32_add(0, entry, offsetof(struct pack_entry, entry_crc)) != entry->entry_crc)
        return "the pack's table changed";
    if (entry->elf_offset > pack->bytes || entry->elf_bytes > pack->bytes - entry->elf_offset ||
        entry->argument_offset > pack->bytes ||
        entry->argument_bytes > pack->bytes - entry->argument_offset)
        return "an entry points behind the pack";
    if (crc32_add(0, (const uint8_t *)pack + entry->elf_offset, entry->elf_bytes) != entry->elf_crc)
        return "the ELF in the pack changed";
    return NULL;
}

static void report(uint32_t index, const struct gate_outcome *outcome) {
    char line[256];
    struct text text = {.begin = line, .room = sizeof line};
    enum record_kind kind = RECORD_exit;
    switch (outcome->end) {
    case GATE_EXIT:
        text_word(&text, "status", outcome->status);
        break;
    case GATE_BAD_CALL:
        kind = RECORD_badcall;
        text_word(&text, "number", outcome->number);
        break;
    case GATE_FAULT:
        kind = RECORD_fault;
        text_word(&text, "vector", outcome->number);
        text_word(&text, "error", outcome->error);
        text_word(&text, "address", outcome->address);
        text_word(&text, "cs", outcome->cs);
        text_word(&text, "rsp", outcome->rsp);
        text_word(&text, "before", outcome->before);
        break;
    }
    text_word(&text, "rip", outcome->rip);
    text_word(&text, "rflags", outcome->rflags);
    text_word(&text, "ticks", outcome->ticks);
    channel_record(index, kind, line, (uint32_t)text.length);
}

static void run_entry(uint32_t index, const struct pack_header *pack,
                      const struct pack_entry *entry) {
    const char *base = (const char *)pack;
    struct space space;
    uint64_t rip = 0, rsp = 0;
    say(index, RECORD_begin, "");
    const char *problem = space_open(&space, entry->ring) ? NULL : "not enough memory";
    if (!problem)
        problem =
            load_elf(&space, (const uint8_t *)base + entry->elf_offset, entry->elf_bytes, &rip);
    if (!problem)
        problem = load_stack(&space, base + entry->argument_offset, entry->argument_bytes,
                             entry->argument_count, &rsp);
    if (problem) {
        say(index, RECORD_unloadable, problem);
        return;
    }
    struct gate_outcome outcome;
    gate_run(index, entry->ring, &space, rip, rsp, &outcome);
    machine_settle();
    report(index, &outcome);
}

static void run_pack(const struct pack_header *pack) {
    const struct pack_entry *table = (const struct pack_entry *)(pack + 1);
    const uint32_t image = image_crc();
    for (uint32_t index = pack->first; index < pack->entries; index++) {
        const char *problem = entry_problem(pack, &table[index]);
        if (!problem) {
            run_entry(index, pack, &table[index]);
            problem = image_crc() == image ? NULL : "the kernel's code changed";
        }
        if (problem) {
            say(PACK_NO_ENTRY, RECORD_damage, problem);
            finish(0);
        }
    }
}

void kernel_main(const struct start_info *physical) {
    const struct start_info *start = memory_at((uint64_t)physical);
    const struct start_module *module = memory_at(start->modules);
    if (start->magic != START_MAGIC || start->module_count != 1)
        finish(0); // no nonce yet, so nothing can be said
    const struct pack_header *pack = memory_at(module->address);

    machine_init();
    memory_init((uint64_t)kernel_end - KERNEL_BASE,
                module->address < FRAME_LIMIT ? module->address : FRAME_LIMIT);
    machine_settle();
    channel_open(pack->nonce);
    const char *problem = pack_problem(pack, module->bytes);
    if (problem) {
        say(PACK_NO_ENTRY, RECORD_damage, problem);
        finish(0);
    }
    char line[512];
    uint64_t length = machine_describe(line, sizeof line);
    channel_record(PACK_NO_ENTRY, RECORD_boot, line, (uint32_t)length);
    run_pack(pack);
    say(PACK_NO_ENTRY, RECORD_end, "");
    finish(PACK_EXIT_VALUE);
}
