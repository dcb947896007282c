// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: from one boot's channel to the results of its entries. Pure: text in.
#pragma once

#include "runner/engine/guest.h"
#include "runner/engine/guest_channel.h"

struct guest_report {
    struct guest_channel channel;
    struct guest_result *results; // `count` of them, the caller's
    size_t count;
    size_t first;     // where this boot began
    size_t current;   // the entry that was begun last; `count`: none yet
    int open;         // `current` has begun and not ended
    int booted;       // the boot record came
    int ended;        // the end record came
    size_t stray;     // bytes outside records before any entry began
    size_t records;   // seen so far: the measure of progress
    char boot[512];   // payload of the boot record
    char damage[256]; // the kernel's own trouble, in words; empty: none
};

// Before a boot that begins with entry `first` under `nonce`.
void guest_report_open(struct guest_report *report, const uint8_t *nonce, size_t first,
                       struct guest_result *results, size_t count);

// Take in what is new in `text` (the boot's channel from its beginning). `final`: the boot is over.
void guest_report_take(struct guest_report *report, const char *text, size_t length, int final);

// After the final text: the entry this boot broke off in gets `end` and `detail` (empty: the
// kernel's own words for it). Returns the entry to begin the next boot with; `count`: all are done.
size_t guest_report_close(struct guest_report *report, enum guest_end end, const char *detail);
