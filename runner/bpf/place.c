// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/bpf/place.h"

#include <stdbool.h>
#include <string.h>

// In front of a function, in its first line (struct bpf_binary_header); what the JIT keeps free
// behind it at least, and how it rounds: a function that is so full has the fewest places, ROOM /
// ROUND.
enum { HEADER = 8, ROOM = 16, ROUND = 4, FULL = PLACE_LINE - HEADER - ROOM };

// sub $1,%rbx; test %rbx,%rbx; jne
static const uint8_t step[] = {0x48, 0x83, 0xeb, 0x01, 0x48, 0x85, 0xdb};

// `xor %edi,%edi` and `mov $1,%edi`.
enum { SHORT = 2, LONG = 5 };

size_t place_find(const uint8_t *bytes, size_t length) {
    size_t found = 0;
    for (size_t at = 0; at + sizeof step + 6 <= length; at++) {
        const uint8_t *jump = bytes + at + sizeof step;
        if (memcmp(bytes + at, step, sizeof step) != 0)
            continue;
        int64_t behind = (int64_t)(at + sizeof step), to = 0;
        int32_t far;
        if (jump[0] == 0x75) {
            to = behind + 2 + (int8_t)jump[1];
        } else if (jump[0] == 0x0f && jump[1] == 0x85) {
            memcpy(&far, jump + 2, sizeof far);
            to = behind + 6 + far;
        }
        if (to > 0 && to < behind)
            found = (size_t)to;
    }
    return found;
}

struct place place_choose(size_t offset, size_t length) {
    unsigned before = (unsigned)((2 * PLACE_LINE - HEADER - offset % PLACE_LINE) % PLACE_LINE);
    if (before < LONG - 1 && before % 2)
        before += PLACE_LINE; // no sum of the two instructions is 1 or 3
    unsigned after = 0, whole = (unsigned)(length % PLACE_LINE) + before;
    while ((whole + after + ROUND - 1) / ROUND * ROUND % PLACE_LINE != FULL)
        after += SHORT;
    return (struct place){before, after};
}

static bool is_nothing(const struct bpf_insn *insn) {
    return insn->code == (BPF_JMP | BPF_JA) && !insn->dst_reg && !insn->src_reg && !insn->off &&
           !insn->imm;
}

// Into the row of `ja 0` that ends in front of `end`.
static void put(struct bpf_insn *code, size_t end, unsigned bytes) {
    unsigned longs = bytes / LONG;
    longs -= longs && (bytes - longs * LONG) % SHORT;
    unsigned count = longs + (bytes - longs * LONG) / SHORT;
    for (unsigned i = 0; i < count && end-- && is_nothing(&code[end]); i++)
        code[end] =
            (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV, .dst_reg = 1, .imm = i < longs ? 1 : 0};
}

void place_put(struct object *object, struct place place) {
    const struct object_function *loop = &object->functions[object->loop];
    put(object->code, object->loop_begin, place.before);
    put(object->code, loop->first + loop->count - 2, place.after);
}
