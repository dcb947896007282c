// SPDX-License-Identifier: GPL-3.0-or-later
// runner/estimate: what a variant wrote, as numbers. Text in, slices out.
//
// A variant proves its own completion: without its end mark there is no value,
// whatever the exit status of whatever ran it says.
#pragma once

#include "runner/estimate/stopwatch.h"

// Parse the output of `variant --stopwatch expected`: up to so many slices, fewer where time or
// quiet moments were short. Returns 0 and *slices (free with slices_free), or -1 and the reason in
// why[size]: an error line of the variant's own, a line that is none of ours, a missing end mark.
// Any bytes are safe, NULs included.
int slices_parse(const char *text, size_t length, size_t expected, struct slices *slices, char *why,
                 size_t size);

// What setup and teardown take in each call of the loop, in TSC ticks, if the text begins with a
// note of that (milliseconds and more); else 0. It is there before a time limit can end the
// variant.
uint64_t slices_long_setup(const char *text, size_t length);

// Is the text exactly the end mark of `variant iterations`? 0, or -1 and why.
int slices_parse_end(const char *text, size_t length, unsigned long iterations, char *why,
                     size_t size);

void slices_free(struct slices *slices);

// The RFLAGS bits a loop left changed, in words: "leaves DF, AC changed"; "" for none.
void slices_describe_flags(uint64_t flags, char *text, size_t size);
