// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/guest_channel.h"

#include "runner/guest/crc32.h"
#include "runner/guest/pack.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[GUEST_RECORD_KINDS] = {
#define RECORD(name, whose, meaning) [GUEST_RECORD_##name] = #name,
#include "runner/guest/records.def"
#undef RECORD
};

enum { LONGEST_HEAD = 64, KIND_ROOM = 16 };           // a record's first line, its kind; with NUL
enum { MARK = sizeof PACK_RECORD_MARK - 1, CRC = 9 }; // what stands around what the CRC guards

enum reading { READ, READ_NOT, READ_CUT }; // READ_CUT: it may be one, but the text ends before it

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static bool find_kind(const char *name, enum guest_record_kind *kind) {
    for (unsigned i = 0; i < GUEST_RECORD_KINDS; i++)
        if (!strcmp(kind_names[i], name)) {
            *kind = i;
            return true;
        }
    return false;
}

// A whole record at `at`, its CRC included. What does not read back as it was written is none.
static enum reading read_record(uint32_t nonce_crc, const char *at, const char *end,
                                struct guest_record *record) {
    char head[LONGEST_HEAD] = "", again[LONGEST_HEAD], kind[KIND_ROOM];
    uint32_t bytes, crc;
    size_t room = (size_t)(end - at);
    if (memcmp(at, PACK_RECORD_MARK, least(room, MARK)) != 0)
        return READ_NOT;
    const char *newline = memchr(at, '\n', least(room, LONGEST_HEAD));
    if (newline == NULL)
        return room < LONGEST_HEAD ? READ_CUT : READ_NOT;
    size_t length = (size_t)(newline - at);
    memcpy(head, at, length);
    if (sscanf(head, PACK_RECORD_MARK "%8x %8x %15s %8x %8x", &record->sequence, &record->entry,
               kind, &bytes, &crc) != 5)
        return READ_NOT;
    snprintf(again, sizeof again, PACK_RECORD_MARK "%08x %08x %s %08x %08x", record->sequence,
             record->entry, kind, bytes, crc);
    if (strlen(again) != length || memcmp(again, head, length) != 0 ||
        !find_kind(kind, &record->kind) || bytes > PACK_PAYLOAD_MAX)
        return READ_NOT;
    record->payload = newline + 1;
    record->bytes = bytes;
    if ((size_t)(end - record->payload) < bytes)
        return READ_CUT;
    uint32_t found = crc32_add(nonce_crc, at + MARK, length - MARK - CRC);
    return crc32_add(found, record->payload, bytes) == crc ? READ : READ_NOT;
}

void guest_channel_open(struct guest_channel *channel, const uint8_t *nonce) {
    *channel = (struct guest_channel){.nonce_crc = crc32_add(0, nonce, PACK_NONCE_BYTES)};
}

enum guest_channel_step guest_channel_next(struct guest_channel *channel, const char *text,
                                           size_t length, int final, struct guest_record *record) {
    size_t begin = channel->at;
    *record = (struct guest_record){.entry = PACK_NO_ENTRY};
    for (size_t at = begin; at < length; at++) {
        enum reading reading = read_record(channel->nonce_crc, text + at, text + length, record);
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
        channel->at = (size_t)(record->payload + record->bytes - text);
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
    char words[PACK_PAYLOAD_MAX + 2], wanted[32];
    snprintf(words, sizeof words, " %.*s", (int)record->bytes, record->payload);
    snprintf(wanted, sizeof wanted, " %s=0x", key);
    const char *at = strstr(words, wanted);
    if (at == NULL)
        return -1;
    at += strlen(wanted);
    size_t digits = strspn(at, "0123456789abcdef");
    if (digits == 0 || digits > 16 || (at[digits] && at[digits] != ' '))
        return -1;
    *value = strtoull(at, NULL, 16);
    return 0;
}
