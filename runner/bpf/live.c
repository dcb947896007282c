// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/bpf/live.h"

#include "common/memory.h"
#include "runner/disassemble/loop_text.h"
#include "runner/disassemble/objdump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *text, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (canonical_is(text, names[i]))
            return true;
    return false;
}

// What stands behind a function's end, up to the next.
static bool is_padding(const char *text) {
    static const char *const names[] = {"int3", "nop", "nopl", "nopw", "cs nopw", "data16 cs nopw"};
    return is_one_of(text, names, sizeof names / sizeof *names) || strstr(text, "(bad)") ||
           !strcmp(text, "xchg %ax,%ax");
}

static uint64_t end_of(const struct live_function *function) {
    return function->address + function->length;
}

static void trim(struct live_function *function) {
    size_t count = function->count;
    while (count && is_padding(function->instructions[count - 1].text))
        count--;
    if (count == function->count || count == 0)
        return;
    function->length = function->instructions[count].address - function->address;
    function->count = count;
    function->cut = false;
}

// Read what lies from the function's address to the next symbol.
static int read_function(struct live_function *function, const struct symbols *symbols,
                         live_reader *reader, void *context) {
    uint64_t length = symbols_next(symbols, function->address) - function->address;
    function->cut = length > LIVE_BYTES;
    function->length = function->cut ? LIVE_BYTES : (size_t)length;
    return function->length ? reader(context, function->address, function->bytes, function->length)
                            : -1;
}

static int disassemble(struct live_function *function, const char *objdump, struct error *error) {
    struct disassembly disassembly;
    int failed = objdump_bytes(objdump, function->bytes, function->length, function->address,
                               &disassembly, error);
    if (!failed) {
        function->instructions = disassembly.listings[0].instructions;
        function->count = disassembly.listings[0].count;
        disassembly.listings[0].instructions = NULL;
        trim(function);
    }
    disassembly_free(&disassembly);
    return failed;
}

static void add(struct live *live, uint64_t address, int depth, bool certain,
                const struct symbols *symbols) {
    for (size_t i = 0; i < live->count; i++) {
        struct live_function *function = &live->function[i];
        if (address == function->address ||
            (address > function->address && address < end_of(function))) {
            function->certain |= certain;
            return;
        }
    }
    if (live->count == LIVE_FUNCTIONS || depth > LIVE_DEPTH) {
        live->cut = true;
        return;
    }
    live->function[live->count++] = (struct live_function){.name = symbols_name(symbols, address),
                                                           .address = address,
                                                           .depth = depth,
                                                           .certain = certain};
}

// Where the function goes on to; behind a branch only by way of it.
static void add_targets(struct live *live, size_t at, const struct symbols *symbols) {
    const struct live_function *function = &live->function[at];
    bool certain = function->certain;
    for (size_t i = 0; i < function->count; i++) {
        struct instruction *instruction = &function->instructions[i];
        uint64_t target = instruction->target;
        bool conditional = *instruction->text == 'j' && !canonical_is(instruction->text, "jmp");
        certain &= !conditional;
        if (target && (target < function->address || target >= end_of(function))) {
            char *name = symbols_name(symbols, target);
            live_put_target(instruction, name);
            free(name);
            add(live, target, function->depth + 1, certain, symbols);
        }
        certain &=
            !canonical_is(instruction->text, "jmp") && !canonical_is(instruction->text, "ret");
    }
}

int live_read(const char *const *names, size_t count, const struct symbols *symbols,
              live_reader *reader, void *context, const char *objdump, struct live *live,
              struct error *error) {
    *live = (struct live){0};
    for (size_t i = 0; i < count; i++) {
        uint64_t address = symbols_address(symbols, names[i]);
        if (!address)
            return error_set(error, ERROR_MISSING, NULL, 0,
                             "the kernel's symbols have no %s; what it is cannot be shown",
                             names[i]);
        add(live, address, 0, true, symbols);
    }
    for (size_t i = 0; i < live->count; i++) {
        struct live_function *function = &live->function[i];
        if (read_function(function, symbols, reader, context)) {
            if (!function->depth)
                return error_set(error, ERROR_MISSING, NULL, 0,
                                 "the live bytes of %s cannot be read", function->name);
            function->cut = true;
            function->length = 0;
            continue;
        }
        if (disassemble(function, objdump, error))
            return -1;
        add_targets(live, i, symbols);
    }
    return 0;
}

void live_free(struct live *live) {
    for (size_t i = 0; i < live->count; i++) {
        free(live->function[i].name);
        free(live->function[i].instructions);
    }
    *live = (struct live){0};
}

bool live_unchanged(const struct live *live, live_reader *reader, void *context) {
    uint8_t bytes[LIVE_BYTES];
    for (size_t i = 0; i < live->count; i++) {
        const struct live_function *function = &live->function[i];
        if (function->length && (reader(context, function->address, bytes, function->length) ||
                                 memcmp(bytes, function->bytes, function->length) != 0))
            return false;
    }
    return true;
}

// --- what they say

enum use { USE_none, USE_saves, USE_restores };

static enum use use_of(const char *name) {
    static const struct {
        const char *name;
        enum use use;
    } rows[] = {
#define FUNCTION(name, use) {#name, USE_##use},
#include "runner/bpf/kernel_functions.def"
#undef FUNCTION
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            return rows[i].use;
    return USE_none;
}

static bool holds(const struct live *live, const char *mnemonic) {
    for (size_t i = 0; i < live->count; i++)
        for (size_t k = 0; k < live->function[i].count; k++)
            if (canonical_is(live->function[i].instructions[k].text, mnemonic))
                return true;
    return false;
}

static bool has_use(const struct live *live, enum use use) {
    for (size_t i = 0; i < live->count; i++)
        if (!live->function[i].depth && use_of(live->function[i].name) == use)
            return true;
    return false;
}

const char *live_restores(const struct live *live) {
    if (!has_use(live, USE_restores))
        return "";
    return holds(live, "popfq") ? "popf" : holds(live, "sti") ? "sti" : "";
}

static const char *whose(const char *name) {
#define NAME(prefix, who)                                                                          \
    if (!strncmp(name, prefix, strlen(prefix)))                                                    \
        return who;
#define INSTRUCTION(mnemonic)
#include "runner/bpf/foreign.def"
#undef NAME
#undef INSTRUCTION
    return NULL;
}

static bool is_hypercall(const char *text) {
    static const char *const names[] = {
#define NAME(prefix, who)
#define INSTRUCTION(mnemonic) mnemonic,
#include "runner/bpf/foreign.def"
#undef NAME
#undef INSTRUCTION
    };
    return is_one_of(text, names, sizeof names / sizeof *names);
}

// A call or jump by memory or by a register.
static bool is_indirect(const char *text) {
    return !strncmp(text, "call *", 6) || !strncmp(text, "jmp *", 5);
}

static char *foreign_instruction(const struct live_function *function) {
    for (size_t i = 0; i < function->count; i++) {
        const char *text = function->instructions[i].text;
        if (function->certain && is_hypercall(text))
            return text_make("%s makes a hypercall (%s)", function->name, text);
        if (!function->depth && is_indirect(text))
            return text_make("%s goes on through a pointer (%s), as a kernel does whose "
                             "hypervisor stands in for instructions",
                             function->name, text);
    }
    return NULL;
}

char *live_emulated(const struct live *live) {
    char *why;
    for (size_t i = 0; i < live->count; i++) {
        const struct live_function *function = &live->function[i];
        const char *who = whose(function->name);
        if (who)
            return text_make("%s calls %s: %s does what the CPU would", live->function[0].name,
                             function->name, who);
        if ((why = foreign_instruction(function)))
            return why;
    }
    if (has_use(live, USE_saves) && (!holds(live, "pushfq") || !holds(live, "cli")))
        return text_make("no PUSHF and CLI in what saves IF: somebody else than the CPU does it");
    if (has_use(live, USE_restores) && !*live_restores(live))
        return text_make("neither STI nor POPF in what restores IF: somebody else than the CPU "
                         "does it");
    return NULL;
}

static char *mix_of(const struct live_function *function) {
    struct instruction *kept = memory_zero(function->count, sizeof *kept);
    size_t count = 0;
    for (size_t i = 0; i < function->count; i++)
        if (!is_padding(function->instructions[i].text))
            kept[count++] = function->instructions[i];
    char *mix = loop_text_mix(kept, count);
    free(kept);
    return mix;
}

char *live_mixes(const struct live *live) {
    char *text;
    size_t size;
    FILE *stream = text_open(&text, &size);
    for (size_t i = 0; i < live->count; i++) {
        const struct live_function *function = &live->function[i];
        if (!function->certain)
            continue;
        char *mix = mix_of(function);
        fprintf(stream, "%s%s: %s", i ? "; " : "", function->name, mix);
        free(mix);
    }
    text_close(stream);
    return text;
}

// --- shown

void live_put_target(struct instruction *instruction, const char *name) {
    size_t length = strlen(instruction->text);
    snprintf(instruction->text + length, CANONICAL_SIZE - length, " %s", name);
}

void live_print_code(FILE *stream, const char *name, uint64_t address, const uint8_t *bytes,
                     const struct instruction *instructions, size_t count, uint64_t end) {
    fprintf(stream, "%s at 0x%" PRIx64 ", %" PRIu64 " bytes:\n", name, address, end - address);
    for (size_t i = 0; i < count; i++) {
        const struct instruction *it = &instructions[i];
        uint64_t next = i + 1 < count ? it[1].address : end;
        char hex[64] = "";
        for (size_t k = 0; k < next - it->address && k < 15; k++)
            sprintf(hex + 3 * k, "%02x ", bytes[it->address - address + k]);
        fprintf(stream, "  %016" PRIx64 "  %-36s%s", it->address, hex, it->text);
        if (it->target >= address && it->target < end)
            fprintf(stream, " %s+0x%" PRIx64, name, it->target - address);
        fputs("\n", stream);
    }
}

void live_print(FILE *stream, const struct live *live, bool certain) {
    for (size_t i = 0; i < live->count; i++) {
        const struct live_function *function = &live->function[i];
        if (function->certain != certain)
            continue;
        live_print_code(stream, function->name, function->address, function->bytes,
                        function->instructions, function->count, end_of(function));
        if (function->cut)
            fprintf(stream, "  ... cut\n");
    }
    if (live->cut && !certain)
        fprintf(stream, "... and what these call further on\n");
}
