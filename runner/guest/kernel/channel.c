// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/guest/kernel/channel.h"

#include "runner/guest/crc32.h"
#include "runner/guest/kernel/machine.h"
#include "runner/guest/kernel/text.h"
#include "runner/guest/pack.h"

static const char *const kind_names[] = {
#define RECORD(name, whose, meaning) [RECORD_##name] = #name,
#include "runner/guest/records.def"
#undef RECORD
};

static uint32_t nonce_crc;
static uint32_t sequence;

void channel_open(const uint8_t *nonce) {
    nonce_crc = crc32_add(0, nonce, PACK_NONCE_BYTES);
}

void channel_record(uint32_t entry, enum record_kind kind, const void *payload, uint32_t bytes) {
    char line[64];
    struct text text = {.begin = line, .room = sizeof line};
    const uint64_t mark = sizeof PACK_RECORD_MARK - 1;

    text_put(&text, PACK_RECORD_MARK);
    text_hex(&text, sequence++, 8);
    text_put(&text, " ");
    text_hex(&text, entry, 8);
    text_put(&text, " ");
    text_put(&text, kind_names[kind]);
    text_put(&text, " ");
    text_hex(&text, bytes, 8);
    uint32_t crc = crc32_add(nonce_crc, line + mark, text.length - mark);
    crc = crc32_add(crc, payload, bytes);
    text_put(&text, " ");
    text_hex(&text, crc, 8);
    text_put(&text, "\n");
    write_port_bytes(PACK_PORT_CHANNEL, line, text.length);
    write_port_bytes(PACK_PORT_CHANNEL, payload, bytes);
}
