// SPDX-License-Identifier: GPL-3.0-or-later
// runner/bpf: bytes of the running kernel, read by a program of a few instructions.
#pragma once

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

struct peek {
    int map, program;        // descriptors
    volatile uint64_t *area; // address, length (then the answer), bytes
};

// 0, or -1 with *error that names what is missing. Close in both cases.
int peek_open(struct peek *peek, struct error *error);
void peek_close(struct peek *peek);

// A live_reader (live.h) of a struct peek.
int peek_read(void *peek, uint64_t address, void *bytes, size_t length);
