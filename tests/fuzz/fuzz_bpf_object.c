// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever stands in a file: an object is refused with a reason, or all that the kernel is offered
// of it is examined: each call and each address is named, and each jump stays in its function.
#include "tests/fuzz/fuzz.h"

#include "common/memory.h"
#include "runner/bpf/object.h"
#include "runner/bpf/text.h"

static const struct object_reference *reference_at(const struct object *object, size_t at) {
    for (size_t i = 0; i < object->reference_count; i++)
        if (object->references[i].at == at)
            return &object->references[i];
    return NULL;
}

static void check_reference(const struct object *object, const struct object_reference *reference) {
    must(*reference->name && memchr(reference->name, '\0', OBJECT_NAME));
    if (reference->use == OBJECT_USE_own)
        must(reference->function > 0 && (size_t)reference->function < object->function_count);
}

// Returns how many instructions it takes.
static size_t check_instruction(const struct object *object, const struct object_function *function,
                                size_t at) {
    const struct bpf_insn *insn = &object->code[at];
    const struct object_reference *reference = reference_at(object, at);
    int class = BPF_CLASS(insn->code), operation = BPF_OP(insn->code);
    size_t end = function->first + function->count;
    if (reference)
        check_reference(object, reference);
    if (insn->code == (BPF_LD | BPF_IMM | BPF_DW)) {
        // No file descriptor, map or other object of this process by a number.
        must(!insn->src_reg && at + 1 < end && !insn[1].code && !reference_at(object, at + 1));
        return 2;
    }
    if (class == BPF_JMP && operation == BPF_CALL)
        must(insn->code == (BPF_JMP | BPF_CALL) && reference);
    else
        must(!reference);
    if ((class == BPF_JMP || class == BPF_JMP32) && operation != BPF_CALL &&
        operation != BPF_EXIT) {
        long to = (long)at + 1 + insn->off;
        must(to >= (long)function->first && to < (long)end);
    }
    return 1;
}

static void check(const struct object *object) {
    size_t at = 0, count;
    must(object->count && object->function_count && object->loop < object->function_count);
    for (size_t i = 0; i < object->function_count; i++) {
        const struct object_function *function = &object->functions[i];
        must(function->first == at && function->count);
        while (at < function->first + function->count)
            at += check_instruction(object, function, at);
        must(at == function->first + function->count);
    }
    must(at == object->count);
    const struct object_function *loop = &object->functions[object->loop];
    must(object->loop_begin >= loop->first && object->loop_begin + 2 <= object->loop_end &&
         object->loop_end < loop->first + loop->count);
    free(text_of_loop(object, &count));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct object object;
    struct error error = {0};
    void *bytes = memory_zero(1, size + 1); // aligned
    if (size)
        memcpy(bytes, data, size);
    if (object_parse("x.o", bytes, size, &object, &error))
        must(error.kind == ERROR_INPUT && *error.text && !strchr(error.text, '\n'));
    else
        check(&object);
    object_free(&object);
    free(bytes);
    return 0;
}
