// SPDX-License-Identifier: GPL-3.0-or-later
// The channel's parser and the report made from it, on texts with every kind of damage.
#include "tests/pack/pack_test.h"

#include "runner/engine/guest_channel.h"
#include "runner/engine/guest_report.h"
#include "runner/guest/crc32.h"
#include "runner/guest/pack.h"

static const uint8_t nonce[PACK_NONCE_BYTES] = "0123456789abcde";
static const uint8_t other_nonce[PACK_NONCE_BYTES] = "not the same one";

struct wire {
    char text[16384];
    size_t length;
};

static void put(struct wire *wire, const void *bytes, size_t count) {
    assert_true(wire->length + count <= sizeof wire->text);
    memcpy(wire->text + wire->length, bytes, count);
    wire->length += count;
}

static void put_words(struct wire *wire, const char *words) {
    put(wire, words, strlen(words));
}

// A record as the kernel makes it, written here a second time so that one checks the other.
static void put_signed(struct wire *wire, const uint8_t *key, unsigned sequence, unsigned entry,
                       const char *kind, const void *payload, size_t bytes) {
    char guarded[64], line[96];
    snprintf(guarded, sizeof guarded, "%08x %08x %s %08zx", sequence, entry, kind, bytes);
    uint32_t crc = crc32_add(0, key, PACK_NONCE_BYTES);
    crc = crc32_add(crc, guarded, strlen(guarded));
    crc = crc32_add(crc, payload, bytes);
    snprintf(line, sizeof line, "@asw %s %08x\n", guarded, crc);
    put_words(wire, line);
    put(wire, payload, bytes);
}

static void put_record(struct wire *wire, unsigned sequence, unsigned entry, const char *kind,
                       const char *payload) {
    put_signed(wire, nonce, sequence, entry, kind, payload, strlen(payload));
}

static enum guest_channel_step next(struct guest_channel *channel, const struct wire *wire,
                                    int final, struct guest_record *record) {
    return guest_channel_next(channel, wire->text, wire->length, final, record);
}

static void crc_is_that_of_ieee_802_3(void **state) {
    (void)state;
    assert_int_equal(crc32_add(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(crc32_add(crc32_add(0, "1234", 4), "56789", 5), 0xcbf43926);
}

static void records_come_in_order_with_payload_and_nuls(void **state) {
    struct wire wire = {0};
    struct guest_channel channel;
    struct guest_record record;
    (void)state;
    put_record(&wire, 0, PACK_NO_ENTRY, "boot", "cs=0x8");
    put_signed(&wire, nonce, 1, 7, "out", "a\0@asw \0\n", 9);
    guest_channel_open(&channel, nonce);
    assert_int_equal(next(&channel, &wire, 0, &record), CHANNEL_RECORD);
    assert_int_equal(record.kind, GUEST_RECORD_boot);
    assert_int_equal(record.entry, PACK_NO_ENTRY);
    assert_int_equal(next(&channel, &wire, 0, &record), CHANNEL_RECORD);
    assert_int_equal(record.kind, GUEST_RECORD_out);
    assert_int_equal(record.entry, 7);
    assert_int_equal(record.bytes, 9);
    assert_memory_equal(record.payload, "a\0@asw \0\n", 9);
    assert_int_equal(next(&channel, &wire, 1, &record), CHANNEL_MORE);
}

static void a_text_cut_anywhere_waits_and_then_gives_the_same(void **state) {
    struct wire wire = {0};
    (void)state;
    put_record(&wire, 0, 3, "begin", "");
    put_record(&wire, 1, 3, "exit", "status=0x0 ticks=0x10");
    for (size_t cut = 0; cut < wire.length; cut++) {
        struct guest_channel channel;
        struct guest_record record;
        unsigned records = 0;
        guest_channel_open(&channel, nonce);
        while (guest_channel_next(&channel, wire.text, cut, 0, &record) == CHANNEL_RECORD)
            records++;
        assert_int_equal(next(&channel, &wire, 1, &record) == CHANNEL_RECORD, records < 2);
        while (records++ < 1)
            assert_int_equal(next(&channel, &wire, 1, &record), CHANNEL_RECORD);
        assert_int_equal(next(&channel, &wire, 1, &record), CHANNEL_MORE);
    }
}

static void what_is_incomplete_at_the_end_is_stray(void **state) {
    struct wire wire = {0};
    struct guest_channel channel;
    struct guest_record record;
    (void)state;
    put_record(&wire, 0, 3, "exit", "status=0x0");
    wire.length -= 4;
    guest_channel_open(&channel, nonce);
    assert_int_equal(next(&channel, &wire, 0, &record), CHANNEL_MORE);
    assert_int_equal(next(&channel, &wire, 1, &record), CHANNEL_STRAY);
    assert_int_equal(record.bytes, wire.length);
}

static void a_flipped_bit_anywhere_makes_no_record(void **state) {
    struct wire good = {0};
    (void)state;
    put_record(&good, 0, 3, "exit", "status=0x0");
    for (size_t bit = 0; bit < good.length * 8; bit++) {
        struct wire wire = good;
        struct guest_channel channel;
        struct guest_record record;
        wire.text[bit / 8] ^= (char)(1 << bit % 8);
        guest_channel_open(&channel, nonce);
        assert_int_equal(next(&channel, &wire, 1, &record), CHANNEL_STRAY);
        assert_int_equal(record.bytes, wire.length);
    }
}

static void a_record_signed_with_another_nonce_is_stray(void **state) {
    struct wire wire = {0};
    struct guest_channel channel;
    struct guest_record record;
    (void)state;
    put_signed(&wire, other_nonce, 0, 3, "exit", "status=0x0", 10);
    size_t forged = wire.length;
    put_record(&wire, 0, 3, "begin", "");
    guest_channel_open(&channel, nonce);
    assert_int_equal(next(&channel, &wire, 0, &record), CHANNEL_STRAY);
    assert_int_equal(record.bytes, forged);
    assert_int_equal(next(&channel, &wire, 0, &record), CHANNEL_RECORD);
    assert_int_equal(record.kind, GUEST_RECORD_begin);
}

static void a_repeated_and_a_missing_sequence_are_told(void **state) {
    struct wire wire = {0};
    struct guest_channel channel;
    struct guest_record record;
    (void)state;
    put_record(&wire, 0, 3, "begin", "");
    put_record(&wire, 0, 3, "begin", "");
    put_record(&wire, 3, 3, "exit", "status=0x0");
    guest_channel_open(&channel, nonce);
    assert_int_equal(next(&channel, &wire, 0, &record), CHANNEL_RECORD);
    assert_int_equal(next(&channel, &wire, 0, &record), CHANNEL_REPEATED);
    assert_int_equal(next(&channel, &wire, 0, &record), CHANNEL_LOST);
    assert_int_equal(record.bytes, 2);
    assert_int_equal(next(&channel, &wire, 0, &record), CHANNEL_RECORD);
    assert_int_equal(record.kind, GUEST_RECORD_exit);
    assert_int_equal(next(&channel, &wire, 0, &record), CHANNEL_MORE);
}

// A forged head that claims a long payload must not swallow what the kernel says next.
static void a_forged_length_hides_nothing(void **state) {
    struct wire wire = {0};
    struct guest_channel channel;
    struct guest_record record;
    (void)state;
    put_words(&wire, "@asw 00000000 00000003 out 00001000 00000000\n");
    put_record(&wire, 0, 3, "exit", "status=0x0");
    guest_channel_open(&channel, nonce);
    assert_int_equal(next(&channel, &wire, 0, &record), CHANNEL_MORE);
    assert_int_equal(next(&channel, &wire, 1, &record), CHANNEL_STRAY);
    assert_int_equal(next(&channel, &wire, 1, &record), CHANNEL_RECORD);
    assert_int_equal(record.kind, GUEST_RECORD_exit);
}

// Damage at random, fed in random portions: each byte is part of a record or counted as stray,
// and what comes through is a record as it was sent.
static void every_byte_is_accounted_for(void **state) {
    uint32_t random = 1;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct wire wire = {0};
        struct guest_channel channel;
        struct guest_record record;
        size_t accounted = 0, shown = 0;
        for (unsigned i = 0; i < 6; i++)
            put_record(&wire, i, i, i % 2 ? "out" : "exit", "status=0x0 @asw 0000");
        for (int hit = 0; hit < 3; hit++) {
            random = random * 1664525 + 1013904223;
            wire.text[(random >> 8) % wire.length] = (char)random;
        }
        guest_channel_open(&channel, nonce);
        for (;;) {
            size_t before = channel.at;
            int final = shown == wire.length;
            enum guest_channel_step step =
                guest_channel_next(&channel, wire.text, shown, final, &record);
            assert_true(channel.at <= shown);
            accounted += channel.at - before;
            if (step == CHANNEL_STRAY)
                assert_int_equal(channel.at - before, record.bytes);
            if (step == CHANNEL_RECORD)
                assert_memory_equal(record.payload, "status=0x0 @asw 0000", record.bytes);
            if (step != CHANNEL_MORE)
                continue;
            if (final)
                break;
            random = random * 1664525 + 1013904223;
            shown += (random >> 8) % 200;
            shown = shown < wire.length ? shown : wire.length;
        }
        assert_int_equal(accounted, wire.length);
    }
}

static void numbers_are_found_by_their_whole_key(void **state) {
    const char words[] = "xstatus=0x1 status=0xfe rip=0x7fffffffefc0 bad=0xzz ticks=10 "
                         "long=0x10000000000000001 most=0xffffffffffffffff";
    const struct guest_record record = {.payload = words, .bytes = sizeof words - 1};
    uint64_t value = 5;
    (void)state;
    assert_int_equal(guest_record_number(&record, "status", &value), 0);
    assert_int_equal(value, 0xfe);
    assert_int_equal(guest_record_number(&record, "rip", &value), 0);
    assert_int_equal(value, 0x7fffffffefc0);
    assert_int_equal(guest_record_number(&record, "bad", &value), -1);
    assert_int_equal(guest_record_number(&record, "ticks", &value), -1);
    assert_int_equal(guest_record_number(&record, "error", &value), -1);
    assert_int_equal(guest_record_number(&record, "long", &value), -1);
    assert_int_equal(guest_record_number(&record, "most", &value), 0);
    assert_true(value == UINT64_MAX);
}

static void the_entry_a_boot_broke_off_in_is_named_and_the_next_begins_behind_it(void **state) {
    struct wire wire = {0};
    struct guest_result results[3] = {{0}};
    struct guest_report report;
    (void)state;
    put_record(&wire, 0, PACK_NO_ENTRY, "boot", "cs=0x8");
    put_record(&wire, 1, 0, "begin", "");
    put_record(&wire, 2, 0, "out", "end 5\n");
    put_record(&wire, 3, 0, "exit", "status=0x0 ticks=0x20");
    put_record(&wire, 4, 1, "begin", "");
    guest_report_open(&report, nonce, 0, results, 3);
    guest_report_take(&report, wire.text, wire.length, 1);
    assert_int_equal(guest_report_close(&report, GUEST_CRASHED, "triple fault"), 2);
    assert_int_equal(results[0].end, GUEST_EXITED);
    assert_int_equal(results[0].ticks, 0x20);
    assert_string_equal(results[0].output, "end 5\n");
    assert_int_equal(results[1].end, GUEST_CRASHED);
    assert_string_equal(results[1].detail, "triple fault");
    assert_int_equal(results[2].end, GUEST_NOT_RUN);
    guest_results_free(results, 3);
}

static void a_lost_record_spoils_the_entry_it_may_have_belonged_to(void **state) {
    struct wire wire = {0};
    struct guest_result results[2] = {{0}};
    struct guest_report report;
    (void)state;
    put_record(&wire, 0, PACK_NO_ENTRY, "boot", "cs=0x8");
    put_record(&wire, 1, 0, "begin", "");
    put_record(&wire, 3, 0, "exit", "status=0x0 ticks=0x20");
    put_record(&wire, 4, 1, "begin", "");
    put_record(&wire, 5, 1, "exit", "status=0x0 ticks=0x20");
    put_record(&wire, 6, PACK_NO_ENTRY, "end", "");
    guest_report_open(&report, nonce, 0, results, 2);
    guest_report_take(&report, wire.text, wire.length, 1);
    assert_int_equal(guest_report_close(&report, GUEST_CRASHED, ""), 2);
    assert_int_equal(results[0].end, GUEST_FAULTED);
    assert_string_equal(results[0].detail, "1 records lost on the results' port");
    assert_int_equal(results[1].end, GUEST_EXITED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_is_that_of_ieee_802_3),
        cmocka_unit_test(records_come_in_order_with_payload_and_nuls),
        cmocka_unit_test(a_text_cut_anywhere_waits_and_then_gives_the_same),
        cmocka_unit_test(what_is_incomplete_at_the_end_is_stray),
        cmocka_unit_test(a_flipped_bit_anywhere_makes_no_record),
        cmocka_unit_test(a_record_signed_with_another_nonce_is_stray),
        cmocka_unit_test(a_repeated_and_a_missing_sequence_are_told),
        cmocka_unit_test(a_forged_length_hides_nothing),
        cmocka_unit_test(every_byte_is_accounted_for),
        cmocka_unit_test(numbers_are_found_by_their_whole_key),
        cmocka_unit_test(the_entry_a_boot_broke_off_in_is_named_and_the_next_begins_behind_it),
        cmocka_unit_test(a_lost_record_spoils_the_entry_it_may_have_belonged_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
