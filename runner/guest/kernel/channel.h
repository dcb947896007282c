// SPDX-License-Identifier: GPL-3.0-or-later
// runner/guest/kernel: records to the host (pack.h has their form).
#pragma once

#include <stdint.h>

enum record_kind {
#define RECORD(name, whose, meaning) RECORD_##name,
#include "runner/guest/records.def"
#undef RECORD
};

// `nonce`: PACK_NONCE_BYTES bytes that only the host and this boot know.
void channel_open(const uint8_t *nonce);

// `entry`: index in the pack, or PACK_NO_ENTRY. At most PACK_PAYLOAD_MAX bytes of payload.
void channel_record(uint32_t entry, enum record_kind kind, const void *payload, uint32_t bytes);
