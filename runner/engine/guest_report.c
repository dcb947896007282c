// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/guest_report.h"

#include "runner/guest/pack.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VECTOR_NMI = 2, VECTOR_PAGE_FAULT = 14, OPCODE_HLT = 0xf4, RFLAGS_IF = 0x200 };

void guest_report_open(struct guest_report *report, const uint8_t *nonce, size_t first,
                       struct guest_result *results, size_t count) {
    *report =
        (struct guest_report){.results = results, .count = count, .first = first, .current = count};
    guest_channel_open(&report->channel, nonce);
}

static uint64_t number_of(const struct guest_record *record, const char *key) {
    uint64_t value;
    return guest_record_number(record, key, &value) ? 0 : value;
}

static const char *vector_name(uint64_t vector) {
    switch (vector) {
#define VECTOR(number, short, meaning)                                                             \
    case number:                                                                                   \
        return meaning " (" short ")";
#include "runner/guest/vectors.def"
#undef VECTOR
    default:
        return "an interrupt that no device sends";
    }
}

#define end_entry(result, how, ...)                                                                \
    ((result)->end = (how), snprintf((result)->detail, sizeof((result)->detail), __VA_ARGS__))

static void append(char **text, size_t *length, const struct guest_record *record) {
    char *moved = realloc(*text, *length + record->bytes + 1);
    if (!moved)
        return;
    memcpy(moved + *length, record->payload, record->bytes);
    *length += record->bytes;
    moved[*length] = '\0';
    *text = moved;
}

// What a page fault tried, from its error code (SDM volume 3, 4.7).
static const char *attempt_of(uint64_t error) {
    return error & 0x10 ? "executing" : error & 0x2 ? "writing" : "reading";
}

static void end_by_page_fault(struct guest_result *result, const char *at) {
    const uint64_t bottom = PACK_STACK_TOP - PACK_STACK_BYTES;
    if (result->address < bottom && result->address >= bottom - PACK_STACK_BYTES)
        end_entry(result, GUEST_FAULTED,
                  "stack overflow: page fault (#PF) %s 0x%" PRIx64 ", below the stack, %s",
                  attempt_of(result->fault_error), result->address, at);
    else
        end_entry(result, GUEST_FAULTED,
                  "page fault (#PF), error 0x%" PRIx64 ": %s 0x%" PRIx64 ", %s, %s",
                  result->fault_error, attempt_of(result->fault_error), result->address,
                  result->fault_error & 1 ? "which is protected" : "where nothing is mapped", at);
}

static void end_by_fault(struct guest_result *result, const struct guest_record *record) {
    char at[80];
    snprintf(at, sizeof at, "rip 0x%" PRIx64 ", CPL%d", result->rip,
             (int)(number_of(record, "cs") & 3));
    result->vector = (unsigned)number_of(record, "vector");
    result->fault_error = number_of(record, "error");
    result->address = number_of(record, "address");
    if (result->vector == VECTOR_NMI) // only the deadman sends one
        end_entry(result, GUEST_TIMED_OUT, "%s, stopped at %s%s",
                  number_of(record, "before") == OPCODE_HLT ? "halted (hlt)" : "still running", at,
                  number_of(record, "rflags") & RFLAGS_IF ? "" : ", interrupts off (IF=0)");
    else if (result->vector == VECTOR_PAGE_FAULT)
        end_by_page_fault(result, at);
    else
        end_entry(result, GUEST_FAULTED, "%s, vector %u, error 0x%" PRIx64 ", %s",
                  vector_name(result->vector), result->vector, result->fault_error, at);
}

// A record of the entry that runs.
static void take_entry(struct guest_report *report, const struct guest_record *record) {
    struct guest_result *result = &report->results[record->entry];
    if (record->kind == GUEST_RECORD_out || record->kind == GUEST_RECORD_err) {
        bool out = record->kind == GUEST_RECORD_out;
        append(out ? &result->output : &result->errors,
               out ? &result->output_length : &result->errors_length, record);
        return;
    }
    report->open = 0;
    result->rip = number_of(record, "rip");
    result->ticks = number_of(record, "ticks");
    switch (record->kind) {
    case GUEST_RECORD_exit:
        result->end = GUEST_EXITED;
        result->exit_status = (int)(number_of(record, "status") & 0xff);
        break;
    case GUEST_RECORD_fault:
        end_by_fault(result, record);
        break;
    case GUEST_RECORD_badcall:
        end_entry(result, GUEST_FAULTED,
                  "system call %" PRIu64
                  " is not offered (write, iopl and exit_group are), rip 0x%" PRIx64,
                  number_of(record, "number"), result->rip);
        break;
    default: // unloadable: the payload is the reason
        end_entry(result, GUEST_FAULTED, "cannot be loaded: %.*s", (int)record->bytes,
                  record->payload);
    }
}

static void take_record(struct guest_report *report, const struct guest_record *record) {
    report->records++;
    switch (record->kind) {
    case GUEST_RECORD_boot:
        report->booted = 1;
        snprintf(report->boot, sizeof report->boot, "%.*s", (int)record->bytes, record->payload);
        return;
    case GUEST_RECORD_end:
        report->ended = 1;
        return;
    case GUEST_RECORD_damage:
    case GUEST_RECORD_panic:
        snprintf(report->damage, sizeof report->damage, "%.*s%s", (int)record->bytes,
                 record->payload,
                 record->kind == GUEST_RECORD_panic ? ": the guest's kernel faulted" : "");
        return;
    case GUEST_RECORD_begin:
        if (record->entry < report->count) {
            report->current = record->entry;
            report->open = 1;
        }
        return;
    default:
        if (report->open && record->entry == report->current)
            take_entry(report, record);
    }
}

// Bytes or records that are not as they should be: whoever ran last did it.
static void blame(struct guest_report *report, const char *what, size_t amount) {
    if (report->current >= report->count) {
        report->stray += amount;
        return;
    }
    struct guest_result *result = &report->results[report->current];
    result->stray += amount;
    bool spoilt = !report->open && result->end == GUEST_EXITED;
    end_entry(result, spoilt ? GUEST_FAULTED : result->end, "%zu %s", result->stray, what);
}

void guest_report_take(struct guest_report *report, const char *text, size_t length, int final) {
    struct guest_record record;
    for (;;) {
        switch (guest_channel_next(&report->channel, text, length, final, &record)) {
        case CHANNEL_MORE:
            return;
        case CHANNEL_RECORD:
            take_record(report, &record);
            break;
        case CHANNEL_STRAY:
            blame(report, "bytes written to the results' port that are no record", record.bytes);
            break;
        case CHANNEL_REPEATED:
            blame(report, "records repeated on the results' port", 1);
            break;
        case CHANNEL_LOST:
            blame(report, "records lost on the results' port", record.bytes);
            break;
        }
    }
}

size_t guest_report_close(struct guest_report *report, enum guest_end end, const char *detail) {
    // What an entry wrote to the port besides its records spoils it, however it ended.
    for (size_t i = report->first; i < report->count; i++) {
        struct guest_result *result = &report->results[i];
        int passed = report->ended || (report->current < report->count && i < report->current);
        if (result->stray && result->end == GUEST_EXITED)
            result->end = GUEST_FAULTED;
        if (passed && result->end == GUEST_NOT_RUN && result->detail[0])
            result->end = GUEST_FAULTED;
        else if (passed && result->end == GUEST_NOT_RUN)
            end_entry(result, GUEST_FAULTED, "its last record is missing");
    }
    if (report->ended)
        return report->count;
    if (report->current >= report->count)
        return report->first; // nothing ran
    struct guest_result *result = &report->results[report->current];
    // The end is `end` also when it had exited: between its end and the next entry only its traces
    // can have brought the kernel down.
    if (report->damage[0])
        end_entry(result, GUEST_FAULTED, "%s", report->damage);
    else
        end_entry(result, end, "%s", detail);
    return report->current + 1;
}
