// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/bpf/load.h"

#include "common/memory.h"
#include "common/printable.h"
#include "runner/bpf/types.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LOG_SIZE = 1 << 16, PACKET = 64 };

// What an object may name, beside numbers.
enum map { MAP_times, MAP_lines, MAP_spin_lock, MAP_res_spin_lock };
static const struct map_row {
    const char *name;
    uint32_t size;
    bool shared;      // with us
    const char *lock; // it is a struct of that name
} maps[LOAD_MAPS] = {
    [MAP_times] = {"times", LOAD_TIMES * 8, true, NULL},
    [MAP_lines] = {"lines", LOAD_LINES, true, NULL},
    [MAP_spin_lock] = {"spin_lock", 8, false, "bpf_spin_lock"},
    [MAP_res_spin_lock] = {"res_spin_lock", 8, false, "bpf_res_spin_lock"},
};

static int find_map(const char *name) {
    for (int i = 0; i < LOAD_MAPS; i++)
        if (!strcmp(name, maps[i].name))
            return i;
    return -1;
}

static enum load_refusal failed(struct error *error, const char *what) {
    int number = errno;
    error_errno(error, ERROR_MISSING, NULL, "%s", what);
    return number == EPERM || number == EACCES ? LOAD_no_rights : LOAD_failed;
}

static int make_map(const struct types *types, enum map map) {
    const struct map_row *row = &maps[map];
    struct bpf_map_create_opts options = {.sz = sizeof options};
    if (row->shared)
        options.map_flags = BPF_F_MMAPABLE;
    if (row->lock) {
        options.btf_fd = (uint32_t)types->file;
        options.btf_key_type_id = (uint32_t)types->key;
        options.btf_value_type_id = (uint32_t)types->locks[map == MAP_res_spin_lock];
    }
    return bpf_map_create(BPF_MAP_TYPE_ARRAY, row->name, 4, row->size, 1, &options);
}

static enum load_refusal make_maps(const struct object *object, const struct types *types,
                                   struct loaded *loaded, struct error *error) {
    for (size_t i = 0; i < object->reference_count; i++) {
        const struct object_reference *reference = &object->references[i];
        int map = reference->use == OBJECT_USE_value ? find_map(reference->name) : -1;
        if (map < 0 || loaded->maps[map] >= 0)
            continue;
        if ((loaded->maps[map] = make_map(types, (enum map)map)) < 0)
            return failed(error, "bpf: BPF_MAP_CREATE");
    }
    if (loaded->maps[MAP_times] < 0)
        return LOAD_taken;
    void *memory =
        mmap(NULL, LOAD_TIMES * 8, PROT_READ | PROT_WRITE, MAP_SHARED, loaded->maps[MAP_times], 0);
    if (memory == MAP_FAILED)
        return failed(error, "bpf: mmap of a map");
    loaded->times = memory;
    return LOAD_taken;
}

// The 64 bits of an lddw.
static enum load_refusal put_value(const struct object_reference *reference, struct bpf_insn *insn,
                                   const struct load_number *numbers, size_t count,
                                   const struct loaded *loaded, struct error *error) {
    int map = find_map(reference->name);
    if (map >= 0 && reference->offset < maps[map].size) {
        insn[0].src_reg = BPF_PSEUDO_MAP_VALUE;
        insn[0].imm = loaded->maps[map];
        insn[1].imm = (int32_t)reference->offset;
        return LOAD_taken;
    }
    for (size_t i = 0; i < count; i++)
        if (!strcmp(reference->name, numbers[i].name)) {
            insn[0].imm = (int32_t)(uint32_t)numbers[i].value;
            insn[1].imm = (int32_t)(uint32_t)(numbers[i].value >> 32);
            return LOAD_taken;
        }
    error_set(error, ERROR_INPUT, NULL, 0, "it names '%s', which is nothing that we give",
              reference->name);
    return LOAD_failed;
}

static enum load_refusal put_call(const struct object *object,
                                  const struct object_reference *reference, struct bpf_insn *insn,
                                  struct error *error) {
    struct load_function function;
    if (reference->use == OBJECT_USE_own) {
        insn->src_reg = BPF_PSEUDO_CALL;
        insn->imm =
            (int32_t)object->functions[reference->function].first - (int32_t)reference->at - 1;
        return LOAD_taken;
    }
    if (!load_find(reference->name, &function)) {
        error_set(error, ERROR_MISSING, NULL, 0, "this kernel has no function %s for programs",
                  reference->name);
        return LOAD_no_function;
    }
    insn->src_reg = function.helper ? 0 : BPF_PSEUDO_KFUNC_CALL;
    insn->imm = function.helper ? function.helper : function.btf_id;
    insn->off = 0;
    return LOAD_taken;
}

// The code with everything that it names in it; the caller frees *code.
static enum load_refusal link_code(const struct object *object, const struct load_number *numbers,
                                   size_t count, const struct loaded *loaded,
                                   struct bpf_insn **code, struct error *error) {
    enum load_refusal refusal = LOAD_taken;
    *code = memory_zero(object->count, sizeof **code);
    memcpy(*code, object->code, object->count * sizeof **code);
    for (size_t i = 0; i < object->reference_count && refusal == LOAD_taken; i++) {
        const struct object_reference *reference = &object->references[i];
        struct bpf_insn *insn = &(*code)[reference->at];
        refusal = reference->use == OBJECT_USE_value
                      ? put_value(reference, insn, numbers, count, loaded, error)
                      : put_call(object, reference, insn, error);
    }
    return refusal;
}

static int offer(const struct object *object, const struct bpf_insn *code,
                 const struct types *types, char *log, uint32_t log_size) {
    struct bpf_func_info info[OBJECT_FUNCTIONS];
    for (size_t i = 0; i < object->function_count; i++)
        info[i] = (struct bpf_func_info){object->functions[i].first, (uint32_t)types->functions[i]};
    struct bpf_prog_load_opts options = {
        .sz = sizeof options,
        .prog_flags = object->type == OBJECT_syscall ? BPF_F_SLEEPABLE : 0,
        .prog_btf_fd = (uint32_t)types->file,
        .func_info = info,
        .func_info_cnt = (uint32_t)object->function_count,
        .func_info_rec_size = sizeof *info,
        .log_buf = log,
        .log_size = log_size,
        .log_level = log_size ? 1 : 0,
    };
    return bpf_prog_load(object->type == OBJECT_syscall ? BPF_PROG_TYPE_SYSCALL
                                                        : BPF_PROG_TYPE_SCHED_CLS,
                         "asmsweep", "GPL", code, object->count, &options);
}

// An instruction in its log: "12: (79) r2 = *(u64 *)(r1 +0)    ; what it knows then". NULL: none.
static char *instruction_of(char *line) {
    char *code = line + strspn(line, "0123456789");
    if (code == line || strncmp(code, ": (", 3) != 0 || !(code = strstr(code, ") ")))
        return NULL;
    code += 2;
    code[strcspn(code, ";")] = '\0';
    for (size_t length = strlen(code); length && code[length - 1] == ' '; length--)
        code[length - 1] = '\0';
    return code;
}

// What the verifier said last, before its counts, and the instruction that it was at.
static void take_last_words(char *log, char *words, char *at, size_t size) {
    char *line, *code, *rest = log;
    *words = *at = '\0';
    while ((line = strsep(&rest, "\n")))
        if ((code = instruction_of(line)))
            printable_line(at, size, code);
        else if (*line && strncmp(line, "processed ", 10) != 0 &&
                 strncmp(line, "verification ", 13) != 0)
            printable_line(words, size, line);
}

static enum load_refusal refuse(const struct object *object, const struct bpf_insn *code,
                                const struct types *types, struct error *error) {
    char *log = memory_zero(1, LOG_SIZE), words[400], at[200];
    int number = errno, again = offer(object, code, types, log, LOG_SIZE);
    if (again >= 0)
        close(again);
    log[LOG_SIZE - 1] = '\0';
    take_last_words(log, words, at, sizeof at);
    free(log);
    if (*words) {
        if (*at)
            printable_add(words, sizeof words, "at %s", at);
        error_set(error, ERROR_MISSING, NULL, 0, "the kernel's verifier: %s", words);
        return LOAD_rejected;
    }
    errno = number;
    return failed(error, "bpf: BPF_PROG_LOAD");
}

static enum load_refusal load_linked(const struct object *object, const struct load_number *numbers,
                                     size_t count, const struct types *types, struct loaded *loaded,
                                     struct error *error) {
    struct bpf_insn *code = NULL;
    enum load_refusal refusal = make_maps(object, types, loaded, error);
    if (refusal == LOAD_taken)
        refusal = link_code(object, numbers, count, loaded, &code, error);
    if (refusal == LOAD_taken) {
        loaded->program = offer(object, code, types, NULL, 0);
        if (loaded->program < 0)
            refusal = refuse(object, code, types, error);
    }
    free(code);
    return refusal;
}

enum load_refusal load_program(const struct object *object, const struct load_number *numbers,
                               size_t count, struct loaded *loaded, struct error *error) {
    struct types types;
    *loaded = (struct loaded){.program = -1, .btf = -1, .type = object->type};
    for (int i = 0; i < LOAD_MAPS; i++)
        loaded->maps[i] = -1;
    if (types_make(object, &types))
        return failed(error, "bpf: BPF_BTF_LOAD");
    enum load_refusal refusal = load_linked(object, numbers, count, &types, loaded, error);
    loaded->btf = types.file;
    return refusal;
}

void load_unload(struct loaded *loaded) {
    if (loaded->times)
        munmap((void *)(uintptr_t)loaded->times, LOAD_TIMES * 8);
    for (int i = 0; i < LOAD_MAPS; i++)
        if (loaded->maps[i] >= 0)
            close(loaded->maps[i]);
    if (loaded->program >= 0)
        close(loaded->program);
    if (loaded->btf >= 0)
        close(loaded->btf);
}

int load_run(const struct loaded *loaded, struct error *error) {
    uint8_t packet[PACKET] = {0};
    struct bpf_test_run_opts options = {.sz = sizeof options};
    if (loaded->type == OBJECT_tc) {
        options.data_in = packet;
        options.data_size_in = sizeof packet;
        options.repeat = 1;
    }
    if (bpf_prog_test_run_opts(loaded->program, &options))
        return error_errno(error, ERROR_MISSING, NULL, "bpf: BPF_PROG_TEST_RUN");
    return 0;
}
