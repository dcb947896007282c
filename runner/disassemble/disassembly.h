// SPDX-License-Identifier: GPL-3.0-or-later
// runner/disassemble: what `objdump -d -w --no-show-raw-insn` printed, as instructions.
// Takes text; runs nothing.
#pragma once

#include "common/error.h"
#include "runner/disassemble/instruction.h"

// One file's part of objdump's output.
struct listing {
    char *path; // as objdump was given it
    struct instruction *instructions;
    size_t count;
};

struct disassembly {
    struct listing *listings;
    size_t count;
};

// Parse the output for any number of files. 0, or -1 with *error (line of the output)
// when a line has none of the forms objdump prints; then *disassembly is empty. Free with
// disassembly_free in both cases.
int disassembly_parse(const char *text, size_t length, struct disassembly *disassembly,
                      struct error *error);

void disassembly_free(struct disassembly *disassembly);
