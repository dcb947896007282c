// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes on the guest's port: every step goes on or says that it waits for more, records
// lie within the text.
#include "fuzz.h"

#include "guest_channel.h"
#include "../../runner/guest/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t nonce[PACK_NONCE_BYTES] = {1, 2, 3};
    struct guest_channel channel;
    struct guest_record record;
    const char *text = (const char *)data;
    guest_channel_open(&channel, nonce);
    for (size_t steps = 0; steps <= 2 * size + 2; steps++) {
        size_t before = channel.at;
        enum guest_channel_step step = guest_channel_next(&channel, text, size, 1, &record);
        if (step == CHANNEL_MORE)
            return 0;
        must(channel.at <= size && (channel.at > before || step == CHANNEL_LOST));
        if (step == CHANNEL_RECORD)
            must(record.payload >= text && record.payload + record.bytes <= text + size);
    }
    abort(); // it never comes to an end
}
