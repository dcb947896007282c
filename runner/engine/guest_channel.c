// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/guest_channel.h"

#include "runner/guest/crc32.h"
#include "runner/guest/pack.h"

#include <string.h>

static const char *const kind_names[GUEST_RECORD_KINDS] = {
#define RECORD(name, whose, meaning) [GUEST_RECORD_##name] = #name,
#include "runner/guest/records.def"
#undef RECORD
};

enum { HEX_DIGITS = 8, KIND_LONGEST = 16 };

// A piece of text that is read from its beginning.
struct cursor {
    const char *at, *end;
};

enum reading { READ, READ_NOT, READ_CUT }; // READ_CUT: right as far as the text goes

static enum reading read_text(struct cursor *cursor, const char *wanted) {
    for (; *wanted; wanted++, cursor->at++) {
        if (cursor->at == cursor->end)
            return READ_CUT;
        if (*cursor->at != *wanted)
            return READ_NOT;
    }
    return READ;
}

static int hex_digit(char digit) {
    const char *found = digit ? strchr("0123456789abcdef", digit) : NULL;
    return found ? (int)(found - "0123456789abcdef") : -1;
}

// A number of exactly eight digits and the character behind it.
static enum reading read_hex(struct cursor *cursor, uint32_t *value, char behind) {
    *value = 0;
    for (int i = 0; i < HEX_DIGITS; i++, cursor->at++) {
        if (cursor->at == cursor->end)
            return READ_CUT;
        int digit = hex_digit(*cursor->at);
        if (digit < 0)
            return READ_NOT;
        *value = *value << 4 | (uint32_t)digit;
    }
    if (cursor->at == cursor->end)
        return READ_CUT;
    return *cursor->at++ == behind ? READ : READ_NOT;
}

static enum reading read_kind(struct cursor *cursor, enum guest_record_kind *kind) {
    const char *begin = cursor->at;
    size_t length = 0;
    while (length < KIND_LONGEST && begin + length < cursor->end && begin[length] != ' ')
        length++;
    if (begin + length == cursor->end)
        return length < KIND_LONGEST ? READ_CUT : READ_NOT;
    for (unsigned i = 0; i < GUEST_RECORD_KINDS; i++)
        if (strlen(kind_names[i]) == length && !memcmp(kind_names[i], begin, length)) {
            *kind = i;
            cursor->at += length + 1;
            return READ;
        }
    return READ_NOT;
}

// A whole record at the cursor, its CRC included. Moves the cursor behind it.
static enum reading read_record(uint32_t nonce_crc, struct cursor *cursor,
                                struct guest_record *record) {
    uint32_t bytes, crc;
    enum reading reading;
    if ((reading = read_text(cursor, PACK_RECORD_MARK)) != READ)
        return reading;
    const char *guarded = cursor->at;
    if ((reading = read_hex(cursor, &record->sequence, ' ')) != READ ||
        (reading = read_hex(cursor, &record->entry, ' ')) != READ ||
        (reading = read_kind(cursor, &record->kind)) != READ ||
        (reading = read_hex(cursor, &bytes, ' ')) != READ)
        return reading;
    size_t guarded_bytes = (size_t)(cursor->at - 1 - guarded);
    if ((reading = read_hex(cursor, &crc, '\n')) != READ)
        return reading;
    if (bytes > PACK_PAYLOAD_MAX)
        return READ_NOT;
    if ((size_t)(cursor->end - cursor->at) < bytes)
        return READ_CUT;
    if (crc32_add(crc32_add(nonce_crc, guarded, guarded_bytes), cursor->at, bytes) != crc)
        return READ_NOT;
    record->payload = cursor->at;
    record->bytes = bytes;
    cursor->at += bytes;
    return READ;
}

void guest_channel_open(struct guest_channel *channel, const uint8_t *nonce) {
    *channel = (struct guest_channel){.nonce_crc = crc32_add(0, nonce, PACK_NONCE_BYTES)};
}

enum guest_channel_step guest_channel_next(struct guest_channel *channel, const char *text,
                                           size_t length, int final, struct guest_record *record) {
    size_t begin = channel->at;
    *record = (struct guest_record){.entry = PACK_NO_ENTRY};
    for (size_t at = begin; at < length; at++) {
        struct cursor cursor = {text + at, text + length};
        enum reading reading = read_record(channel->nonce_crc, &cursor, record);
        if (reading == READ_NOT || (reading == READ_CUT && final))
            continue;
        channel->at = at;
        if (at > begin) { // deliver what was skipped first; this one comes with the next call
            record->bytes = at - begin;
            return CHANNEL_STRAY;
        }
        if (reading == READ_CUT)
            return CHANNEL_MORE;
        if (record->sequence > channel->sequence) {
            record->bytes = record->sequence - channel->sequence;
            channel->sequence = record->sequence;
            return CHANNEL_LOST;
        }
        channel->at = (size_t)(cursor.at - text);
        if (record->sequence < channel->sequence)
            return CHANNEL_REPEATED;
        channel->sequence++;
        return CHANNEL_RECORD;
    }
    channel->at = length;
    record->bytes = length - begin;
    return length > begin ? CHANNEL_STRAY : CHANNEL_MORE;
}

int guest_record_number(const struct guest_record *record, const char *key, uint64_t *value) {
    const char *end = record->payload + record->bytes;
    size_t key_length = strlen(key);
    for (const char *word = record->payload; word < end;) {
        const char *blank = memchr(word, ' ', (size_t)(end - word));
        const char *word_end = blank ? blank : end;
        if ((size_t)(word_end - word) > key_length + 3 && !memcmp(word, key, key_length) &&
            !memcmp(word + key_length, "=0x", 3)) {
            *value = 0;
            for (const char *at = word + key_length + 3; at < word_end; at++) {
                if (hex_digit(*at) < 0 || *value >> 60) // no digit, or one that has no room
                    return -1;
                *value = *value << 4 | (uint64_t)hex_digit(*at);
            }
            return 0;
        }
        word = word_end + 1;
    }
    return -1;
}
