// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/bpf/evidence.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

int evidence_open(const char *objdump, struct evidence_kernel *kernel, struct error *error) {
    *kernel = (struct evidence_kernel){.objdump = objdump, .peek = {.map = -1, .program = -1}};
    if (symbols_read(&kernel->symbols, error))
        return -1;
    kernel->blind.kind = ERROR_NONE;
    peek_open(&kernel->peek, &kernel->blind);
    return 0;
}

void evidence_close(struct evidence_kernel *kernel) {
    for (size_t i = 0; i < kernel->count; i++)
        live_free(&kernel->calls[i].live);
    free(kernel->calls);
    peek_close(&kernel->peek);
    symbols_free(&kernel->symbols);
    *kernel = (struct evidence_kernel){0};
}

// The functions of the kernel that the loop calls, each once, in their order. How
// many; more than EVIDENCE_CALLS are too many.
static size_t called(const struct object *object, const char **names) {
    const struct object_function *loop = &object->functions[object->loop];
    size_t count = 0;
    for (size_t i = 0; i < object->reference_count; i++) {
        const struct object_reference *reference = &object->references[i];
        bool known = reference->use != OBJECT_USE_kernel || reference->at < loop->first ||
                     reference->at >= loop->first + loop->count;
        for (size_t k = 0; k < count && k < EVIDENCE_CALLS; k++)
            known |= !strcmp(names[k], reference->name);
        if (!known && count++ < EVIDENCE_CALLS)
            names[count - 1] = reference->name;
    }
    return count;
}

static struct evidence_calls *find_calls(const struct evidence_kernel *kernel,
                                         const char *const *names, size_t count) {
    for (size_t i = 0; i < kernel->count; i++) {
        struct evidence_calls *calls = &kernel->calls[i];
        size_t same = 0;
        while (same < count && same < calls->count && !strcmp(calls->names[same], names[same]))
            same++;
        if (calls->count == count && same == count)
            return calls;
    }
    return NULL;
}

// The functions as they are now: those that were looked at before, unless somebody has patched them
// meanwhile. NULL with *error.
static const struct live *look(struct evidence_kernel *kernel, const char *const *names,
                               size_t count, struct error *error) {
    struct evidence_calls *calls = find_calls(kernel, names, count);
    if (calls && calls->live.count && live_unchanged(&calls->live, peek_read, &kernel->peek))
        return &calls->live;
    if (!calls) {
        kernel->calls = memory_more(kernel->calls, kernel->count, sizeof *kernel->calls);
        calls = &kernel->calls[kernel->count++];
        *calls = (struct evidence_calls){.count = count};
        for (size_t i = 0; i < count; i++)
            snprintf(calls->names[i], OBJECT_NAME, "%s", names[i]);
    }
    live_free(&calls->live);
    if (!live_read(names, count, &kernel->symbols, peek_read, &kernel->peek, kernel->objdump,
                   &calls->live, error))
        return &calls->live;
    live_free(&calls->live);
    return NULL;
}

static void say(struct evidence *evidence, enum evidence_verdict verdict, char *why) {
    if (evidence->verdict == EVIDENCE_proved) {
        evidence->verdict = verdict;
        evidence->why = why;
    } else {
        free(why);
    }
}

static void look_at_calls(struct evidence_kernel *kernel, const struct object *object,
                          struct evidence *evidence, FILE *listing) {
    const char *names[EVIDENCE_CALLS];
    size_t count = called(object, names);
    struct error error;
    if (count > EVIDENCE_CALLS) {
        say(evidence, EVIDENCE_unproved,
            text_make("its loop calls %zu functions of the kernel", count));
        return;
    }
    if (!count)
        return;
    const struct live *live = NULL;
    if (kernel->blind.kind != ERROR_NONE)
        error = kernel->blind;
    else
        live = look(kernel, names, count, &error);
    if (!live) {
        say(evidence, EVIDENCE_unproved, text_make("%s", error.text));
        return;
    }
    char *emulated = live_emulated(live);
    if (emulated)
        say(evidence, EVIDENCE_emulated, emulated);
    evidence->restores = live_restores(live);
    free(evidence->calls);
    evidence->calls = live_mixes(live);
    fprintf(listing, "\nThe kernel's functions that each iteration comes to: live bytes\n\n");
    live_print(listing, live, true);
    fprintf(listing, EVIDENCE_FURTHER "The kernel's functions behind a branch\n\n");
    live_print(listing, live, false);
}

int evidence_make(struct evidence_kernel *kernel, const struct object *object,
                  const struct loaded *loaded, struct evidence *evidence, struct error *error) {
    struct load_native code;
    struct error unseen;
    char *others;
    size_t length;
    int failed = 0;
    *evidence = (struct evidence){.restores = "", .calls = text_make("%s", "")};
    FILE *listing = text_open(&evidence->text, &evidence->text_length);
    FILE *around = text_open(&others, &length);
    if (load_native(loaded, &code, &unseen)) {
        say(evidence, EVIDENCE_unproved, text_make("%s", unseen.text));
    } else {
        fprintf(listing, "The loop as the kernel's JIT made it\n\n");
        failed = native_check(object, &code, &kernel->symbols, kernel->objdump, listing, around,
                              &evidence->native, error);
        if (evidence->native.why)
            say(evidence, EVIDENCE_unproved, text_make("%s", evidence->native.why));
    }
    load_native_free(&code);
    if (!failed)
        look_at_calls(kernel, object, evidence, listing);
    text_close(around);
    fprintf(listing, EVIDENCE_FURTHER "The program around the loop\n\n%s", others);
    free(others);
    text_close(listing);
    return failed;
}

void evidence_free(struct evidence *evidence) {
    native_free(&evidence->native);
    free(evidence->why);
    free(evidence->calls);
    free(evidence->text);
    *evidence = (struct evidence){0};
}
