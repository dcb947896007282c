// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: takes the guest's channel apart. Pure: text in, records out.
//
// The form of a record is in runner/guest/pack.h. The channel may hold anything between the
// records: a variant with I/O rights can write to its port. Such bytes are counted and named,
// never taken for a record, because a record's CRC begins with a nonce the variant cannot know.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum guest_record_kind {
#define RECORD(name, whose, meaning) GUEST_RECORD_##name,
#include "runner/guest/records.def"
#undef RECORD
    GUEST_RECORD_KINDS
};

struct guest_record {
    enum guest_record_kind kind;
    uint32_t entry; // index in the pack; PACK_NO_ENTRY: of the boot itself
    uint32_t sequence;
    const char *payload; // in the caller's text, not NUL-terminated
    size_t bytes;        // of payload; CHANNEL_STRAY: bytes skipped; CHANNEL_LOST: records missing
};

struct guest_channel {
    uint32_t nonce_crc;
    uint32_t sequence; // of the next record
    size_t at;         // bytes of the text that are done with
};

enum guest_channel_step {
    CHANNEL_RECORD,   // *record is the next one
    CHANNEL_MORE,     // nothing complete left: come again with a longer text
    CHANNEL_STRAY,    // bytes that are no record were skipped
    CHANNEL_REPEATED, // a true record that had been there before was skipped
    CHANNEL_LOST,     // records before the next one are missing
};

// `nonce`: PACK_NONCE_BYTES bytes, those of the pack this boot was given.
void guest_channel_open(struct guest_channel *channel, const uint8_t *nonce);

// One step through `text`, which holds the channel's `length` bytes from the boot's beginning
// (it may have grown since the last call). `final` says that no more will come: what is
// incomplete is stray then.
enum guest_channel_step guest_channel_next(struct guest_channel *channel, const char *text,
                                           size_t length, int final, struct guest_record *record);

// The value of `key` in a payload of `key=value` words: a number as 0x and hexadecimal digits.
// Returns 0, or -1 if the key is not there or its value is no number.
int guest_record_number(const struct guest_record *record, const char *key, uint64_t *value);
