// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/bpf/symbols.h"

#include "common/disk.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char kallsyms[] = "/proc/kallsyms";

// Names that the kernel gives a place beside its usual one: of early boot, and of the padding.
static bool is_alias(const char *name) {
    return !strncmp(name, "__pi_", 5) || !strncmp(name, "__pfx_", 6);
}

static int by_address(const void *a, const void *b) {
    const struct symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    int alias = is_alias(x->name) - is_alias(y->name);
    return alias ? alias : (x->name > y->name) - (x->name < y->name); // as in the text
}

// "ffffffff81527580 T bpf_local_irq_save\t[module]" in place.
static bool parse_line(char *line, struct symbol *symbol) {
    char *behind, *name;
    symbol->address = strtoull(line, &behind, 16);
    if (behind == line || behind[0] != ' ' || !behind[1] || behind[2] != ' ')
        return false;
    name = behind + 3;
    symbol->module = strchr(name, '[') != NULL;
    name[strcspn(name, "\t ")] = '\0';
    symbol->name = name;
    return *name;
}

int symbols_parse(const char *path, char *text, struct symbols *symbols, struct error *error) {
    *symbols = (struct symbols){.text = text};
    size_t lines = 1;
    bool shown = false;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    symbols->symbol = memory_zero(lines, sizeof *symbols->symbol);
    for (char *line; (line = strsep(&text, "\n"));) {
        struct symbol *symbol = &symbols->symbol[symbols->count];
        if (!parse_line(line, symbol))
            continue;
        shown |= symbol->address != 0;
        symbols->count++;
    }
    if (!shown)
        return error_set(error, ERROR_MISSING, path, 0,
                         "it tells no addresses; kernel.kptr_restrict hides them from whoever "
                         "lacks CAP_SYSLOG");
    qsort(symbols->symbol, symbols->count, sizeof *symbols->symbol, by_address);
    return 0;
}

int symbols_read(struct symbols *symbols, struct error *error) {
    *symbols = (struct symbols){0};
    char *text = disk_read(kallsyms, NULL, error);
    return text ? symbols_parse(kallsyms, text, symbols, error) : -1;
}

void symbols_free(struct symbols *symbols) {
    free(symbols->symbol);
    free(symbols->text);
    *symbols = (struct symbols){0};
}

uint64_t symbols_address(const struct symbols *symbols, const char *name) {
    for (size_t i = 0; i < symbols->count; i++)
        if (!symbols->symbol[i].module && !strcmp(symbols->symbol[i].name, name))
            return symbols->symbol[i].address;
    return 0;
}

// How many symbols begin at or before an address.
static size_t count_to(const struct symbols *symbols, uint64_t address) {
    size_t low = 0, high = symbols->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->symbol[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t symbols_next(const struct symbols *symbols, uint64_t address) {
    size_t at = count_to(symbols, address);
    return at < symbols->count ? symbols->symbol[at].address : 0;
}

char *symbols_name(const struct symbols *symbols, uint64_t address) {
    enum { NEAR = 1 << 20 };
    size_t at = count_to(symbols, address);
    if (!at || address - symbols->symbol[at - 1].address > NEAR)
        return text_make("0x%" PRIx64, address);
    while (at > 1 && symbols->symbol[at - 2].address == symbols->symbol[at - 1].address)
        at--;
    const struct symbol *symbol = &symbols->symbol[at - 1];
    return symbol->address == address
               ? text_make("%s", symbol->name)
               : text_make("%s+0x%" PRIx64, symbol->name, address - symbol->address);
}
