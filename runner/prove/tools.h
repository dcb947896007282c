// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: GNU as and objdump, run on files.
#pragma once

#include "runner/prove/disassembly.h"
#include "runner/prove/group.h"

struct tools {
    const char *as, *objdump;
};

enum { TOOLS_FILES = 500 }; // of one call of objdump

// Disassemble a section of up to TOOLS_FILES paths. 0; 1 with *error when one of the files is not
// to its or our liking; -1 with *error when it cannot be run at all.
int tools_disassemble(const struct tools *tools, const char *section, const char *const *paths,
                      size_t count, struct disassembly *disassembly, struct error *error);

// How the assembler takes each of `count` texts by itself. Works in two files of the folder, which
// are gone afterwards. 0, or -1 with *error.
int tools_read(const struct tools *tools, const char *folder, const char *const *texts,
               size_t count, struct reading *readings, struct error *error);
