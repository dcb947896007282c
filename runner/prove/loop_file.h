// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: what a variant's ELF file says by itself, without a disassembler.
#pragma once

#include "common/error.h"

#include <stdint.h>

enum { SHA256_TEXT = 65 }; // 64 hexadecimal digits and NUL

struct loop_file {
    char elf_sha256[SHA256_TEXT];  // of the whole file
    char loop_sha256[SHA256_TEXT]; // of the bytes loop_setup to loop_teardown_end
    // Addresses of the symbols of the same names (docs/interfaces.md).
    uint64_t setup, begin, end, teardown_end;
    uint32_t iterations, needs; // variant_iterations, variant_needs
    char note[256];             // variant_note, cut to fit
    // A writable section that is none of variant.ld's, whose pages nobody touches before the loop
    // is timed; "" if there is none.
    char stray_section[64];
};

// Read and check a static x86-64 ELF file. 0, or -1 with *error (ERROR_INPUT) when it cannot
// be read, is no such file, or lacks a symbol; every offset in it is checked before use.
int loop_file_read(const char *path, struct loop_file *file, struct error *error);
