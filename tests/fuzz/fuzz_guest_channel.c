// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes on the guest's port: every step goes on or says that it waits for more, records
// lie within the text. True records are all found, whatever stands between them.
#include "tests/fuzz/fuzz.h"

#include "runner/engine/guest_channel.h"
#include "runner/guest/crc32.h"
#include "runner/guest/pack.h"

#include <stdio.h>

static const uint8_t nonce[PACK_NONCE_BYTES] = {1, 2, 3};

// All steps through a text; returns how many records came.
static size_t walk(const char *text, size_t size) {
    struct guest_channel channel;
    struct guest_record record;
    uint64_t value;
    size_t records = 0;
    guest_channel_open(&channel, nonce);
    for (size_t steps = 0; steps <= 2 * size + 2; steps++) {
        size_t before = channel.at;
        enum guest_channel_step step = guest_channel_next(&channel, text, size, 1, &record);
        if (step == CHANNEL_MORE)
            return records;
        must(channel.at <= size && (channel.at > before || step == CHANNEL_LOST));
        if (step != CHANNEL_RECORD)
            continue;
        records++;
        must(record.kind < GUEST_RECORD_KINDS && record.sequence + 1 == channel.sequence);
        must(record.payload >= text && record.payload + record.bytes <= text + size);
        guest_record_number(&record, "rip", &value);
    }
    abort(); // it never comes to an end
}

static void put_record(FILE *stream, uint32_t sequence, unsigned how, const uint8_t *payload,
                       size_t bytes) {
    static const char *const kinds[] = {"boot", "out", "exit", "fault"};
    char head[64];
    int length = snprintf(head, sizeof head, "%08x %08x %s %08x", sequence, how, kinds[how % 4],
                          (unsigned)bytes);
    uint32_t crc = crc32_add(0, nonce, PACK_NONCE_BYTES);
    crc = crc32_add(crc32_add(crc, head, (size_t)length), payload, bytes);
    fprintf(stream, PACK_RECORD_MARK "%s %08x\n", head, crc);
    fwrite(payload, 1, bytes, stream);
}

// The input as orders: a byte that says what comes, one that says how long, then its bytes.
// Returns how many records with numbers of their own were put.
static size_t put_orders(FILE *stream, const uint8_t *data, size_t size) {
    enum { STRAY = 128, REPEATED = 64, LOST = 32 };
    uint32_t sequence = 0;
    size_t records = 0;
    while (size >= 2) {
        unsigned how = data[0];
        size_t bytes = data[1] < size - 2 ? data[1] : size - 2;
        const uint8_t *payload = data + 2;
        data += 2 + bytes;
        size -= 2 + bytes;
        if (how & STRAY) {
            fwrite(payload, 1, bytes, stream);
        } else if (how & REPEATED && sequence) {
            put_record(stream, sequence - 1, how, payload, bytes);
        } else {
            sequence += how & LOST ? 2 : 0;
            put_record(stream, sequence++, how, payload, bytes);
            records++;
        }
    }
    return records;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text;
    size_t length;
    must(walk((const char *)data, size) <= size);
    FILE *stream = open_memstream(&text, &length);
    size_t records = put_orders(stream, data, size);
    fclose(stream);
    must(walk(text, length) == records);
    free(text);
    return 0;
}
