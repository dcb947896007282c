// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: how GNU as takes texts, with objdump to read what it made.
#pragma once

#include "runner/prove/group.h"

struct tools {
    const char *as, *objdump;
};

// How the assembler takes each of `count` texts by itself. Works in two files of the folder, which
// are gone afterwards. 0, or -1 with *error.
int tools_read(const struct tools *tools, const char *folder, const char *const *texts,
               size_t count, struct reading *readings, struct error *error);
