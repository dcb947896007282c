// SPDX-License-Identifier: GPL-3.0-or-later
// runner/disassemble: GNU objdump, run on files and on bytes.
#pragma once

#include "runner/disassemble/disassembly.h"
#include "runner/host/process.h"

#include <stdint.h>

enum { OBJDUMP_FILES = 500 }; // of one call

// Run one of the binutils. 0 with the result of a program that ran, however it ended; -1 with
// *error. Free the result in both cases.
int binutils_run(const char *const *argv, struct process_result *result, struct error *error);

// Disassemble a section of up to OBJDUMP_FILES paths. 0; 1 with *error when one of the files is not
// to its or our liking; -1 with *error when it cannot be run at all. Free *disassembly in each
// case.
int objdump_section(const char *objdump, const char *section, const char *const *paths,
                    size_t count, struct disassembly *disassembly, struct error *error);

// Disassemble bytes that lie, or lay, at an address: one listing. 0, or -1 with *error. Free
// *disassembly in both cases.
int objdump_bytes(const char *objdump, const void *bytes, size_t length, uint64_t address,
                  struct disassembly *disassembly, struct error *error);
