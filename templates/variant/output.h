// SPDX-License-Identifier: GPL-3.0-or-later
// variant run-time: text to a file descriptor without libc. Output is collected
// and written only between slices, so that no system call falls into one.
#pragma once

#include <stdint.h>

void put_text(const char *text);                  // NUL-terminated
void put_number(uint64_t number);                 // decimal
void put_line(const char *word, uint64_t number); // "WORD NUMBER", a line
void put_flush(int descriptor);         // all of it; a failing write ends the process with status 5
void put_flush_if_full(int descriptor); // only if a slice line might not fit any more
