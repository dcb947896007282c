// SPDX-License-Identifier: GPL-3.0-or-later
// runner/bpf: the symbols of the running kernel, from the text of /proc/kallsyms.
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct symbol {
    uint64_t address;
    const char *name;
    bool module; // of one; its address is no place for a name of the kernel's own
};

struct symbols {
    struct symbol *symbol; // by address
    size_t count;
    char *text;
};

// Read /proc/kallsyms. 0, or -1 with *error: it is not there, or hides the addresses. Free with
// symbols_free in both cases.
int symbols_read(struct symbols *symbols, struct error *error);

// The same from a text, which is taken over; `path` is for *error.
int symbols_parse(const char *path, char *text, struct symbols *symbols, struct error *error);

void symbols_free(struct symbols *symbols);

// The address of a function of the kernel's own; 0: there is none of that name.
uint64_t symbols_address(const struct symbols *symbols, const char *name);

// Where the next symbol begins behind an address; 0: none does.
uint64_t symbols_next(const struct symbols *symbols, uint64_t address);

// An address as `name`, `name+0x12`, or `0x...` where no symbol is near; the caller frees it.
char *symbols_name(const struct symbols *symbols, uint64_t address);
