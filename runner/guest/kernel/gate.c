// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/guest/kernel/gate.h"

#include "runner/guest/kernel/channel.h"
#include "runner/guest/kernel/gate_symbols.h"
#include "runner/guest/kernel/layout.h"
#include "runner/guest/kernel/machine.h"
#include "runner/guest/kernel/text.h"
#include "runner/guest/pack.h"

#define CALL_WRITE 1
#define CALL_MADVISE 28
#define CALL_PRCTL 157
#define CALL_IOPL 172
#define CALL_EXIT_GROUP 231
#define ERROR_BAD_FILE ((uint64_t)-9)
#define ERROR_FAULT ((uint64_t)-14)
#define ERROR_NOT_IMPLEMENTED ((uint64_t)-38)

// In crossing.S.
void gate_launch(struct gate_frame *frame);
void gate_finish(void) __attribute__((noreturn));
void gate_dispatch(struct gate_frame *frame);

// The variant that runs; NULL `outcome` while none does. There is one CPU and one variant.
static struct {
    uint32_t entry;
    const struct space *space;
    struct gate_outcome *outcome;
} running;

static uint64_t call_write(uint64_t file, uint64_t from, uint64_t bytes) {
    static uint8_t piece[PACK_PAYLOAD_MAX];
    if (file != 1 && file != 2)
        return ERROR_BAD_FILE;
    for (uint64_t done = 0; done < bytes;) {
        uint32_t length = 0;
        for (; length < sizeof piece && done < bytes; length++, done++) {
            const uint8_t *byte = space_find(running.space, from + done);
            if (!byte)
                return ERROR_FAULT;
            piece[length] = *byte;
        }
        channel_record(running.entry, file == 1 ? RECORD_out : RECORD_err, piece, length);
    }
    return bytes;
}

static void __attribute__((noreturn)) leave(enum gate_end end, const struct gate_frame *frame) {
    struct gate_outcome *outcome = running.outcome;
    const uint8_t *before = space_find(running.space, frame->rip - 1);
    outcome->before = before ? *before : 0;
    outcome->end = end;
    outcome->error = frame->error;
    outcome->rip = frame->rip;
    outcome->cs = frame->cs;
    outcome->rflags = frame->rflags;
    outcome->rsp = frame->rsp;
    running.outcome = NULL;
    gate_finish();
}

static void system_call(struct gate_frame *frame) {
    switch (frame->rax) {
    case CALL_WRITE:
        frame->rax = call_write(frame->rdi, frame->rsi, frame->rdx);
        return;
    case CALL_PRCTL: // to end with its parent: here it has none
    case CALL_IOPL:  // both rings have it from the start
        frame->rax = 0;
        return;
    case CALL_MADVISE: // pages are what they are here
        frame->rax = ERROR_NOT_IMPLEMENTED;
        return;
    case CALL_EXIT_GROUP:
        running.outcome->status = frame->rdi;
        leave(GATE_EXIT, frame);
    default:
        running.outcome->number = frame->rax;
        leave(GATE_BAD_CALL, frame);
    }
}

// A fault outside a variant is an error of this kernel; the boot ends here.
static void __attribute__((noreturn)) panic(const struct gate_frame *frame) {
    char line[160];
    struct text text = {.begin = line, .room = sizeof line};
    text_word(&text, "vector", frame->vector);
    text_word(&text, "error", frame->error);
    text_word(&text, "address", read_cr2());
    text_word(&text, "rip", frame->rip);
    channel_record(PACK_NO_ENTRY, RECORD_panic, line, (uint32_t)text.length);
    write_port(PACK_PORT_EXIT, 0);
    for (;;)
        __asm__ volatile("cli; hlt");
}

// Called by crossing.S; returning goes on where the frame was made.
void gate_dispatch(struct gate_frame *frame) {
    bool in_kernel = frame->cr3 == gate_kernel_cr3;
    bool in_gate = frame->rip >= (uint64_t)gate_text_begin && frame->rip < (uint64_t)gate_text_end;
    // The host's deadman may strike just when a variant is being entered or left: it will come
    // again if it was meant.
    if (frame->vector == VECTOR_NMI && (!running.outcome || in_kernel || in_gate))
        return;
    if (!running.outcome || in_kernel)
        panic(frame);

    running.outcome->ticks += gate_left_at - gate_entered_at;
    if (frame->vector == VECTOR_SYSCALL) {
        system_call(frame);
        return;
    }
    running.outcome->number = frame->vector;
    running.outcome->address = frame->vector == VECTOR_PAGE_FAULT ? read_cr2() : 0;
    leave(GATE_FAULT, frame);
}

void gate_run(uint32_t entry, uint32_t ring, const struct space *space, uint64_t rip, uint64_t rsp,
              struct gate_outcome *outcome) {
    uint64_t code = ring == 3 ? SELECTOR_CODE3 : SELECTOR_CODE0;
    uint64_t data = ring == 3 ? SELECTOR_DATA3 : SELECTOR_DATA0;
    // The frame has to lie on a gate stack: the rest is not mapped once CR3 is the variant's.
    const uint64_t top = (uint64_t)gate_syscall_stack_guard + PAGE_BYTES + GATE_STACK_BYTES;
    struct gate_frame *frame = (struct gate_frame *)(top - sizeof *frame);

    machine_settle();
    gate_variant_code = code;
    gate_variant_data = data;
    *outcome = (struct gate_outcome){.end = GATE_FAULT};
    *frame = (struct gate_frame){
        .cr3 = space->root,
        .rip = rip,
        .cs = code,
        .rflags = RFLAGS_FIXED | RFLAGS_IF | (ring == 3 ? RFLAGS_IOPL3 : 0),
        .rsp = rsp,
        .ss = data,
    };
    running.entry = entry;
    running.space = space;
    running.outcome = outcome;
    gate_launch(frame);
}
