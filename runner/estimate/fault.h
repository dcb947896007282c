// SPDX-License-Identifier: GPL-3.0-or-later
// runner/estimate: what a variant's line "error fault SIGNAL VECTOR PART BYTE ADDRESS" says
// (templates/variant/signals.h). Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// In words: "died of SIGSEGV at byte 3 of the body: page fault at 0x10". False: it is no such line.
bool fault_describe(const char *line, char *why, size_t size);
