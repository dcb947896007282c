// SPDX-License-Identifier: GPL-3.0-or-later
// What the running kernel has: functions by name, and a program's native code.
#include "runner/bpf/load.h"

#include "common/memory.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// The list of the headers that we are built with; a newer kernel may have more, which are kernel
// functions by now.
#define HELPER(helper)                                                                             \
    { "bpf_" #helper, BPF_FUNC_##helper, 0 }
static const struct load_function helpers[] = {__BPF_FUNC_MAPPER(HELPER)};
#undef HELPER

// The kernel's types, read once: some megabytes.
static const struct btf *kernel_types(void) {
    static struct btf *types;
    static bool tried;
    if (!tried)
        types = btf__load_vmlinux_btf();
    tried = true;
    return types;
}

bool load_find(const char *name, struct load_function *function) {
    for (size_t i = 1; i < sizeof helpers / sizeof *helpers; i++)
        if (!strcmp(helpers[i].name, name)) {
            *function = helpers[i];
            return true;
        }
    const struct btf *types = kernel_types();
    int id = types ? btf__find_by_name_kind(types, name, BTF_KIND_FUNC) : -1;
    *function = (struct load_function){name, 0, id};
    return id > 0;
}

int load_native(const struct loaded *loaded, struct load_native *native, struct error *error) {
    __u64 addresses[OBJECT_FUNCTIONS] = {0};
    __u32 lengths[OBJECT_FUNCTIONS] = {0}, size = sizeof(struct bpf_prog_info);
    struct bpf_prog_info info = {0};
    *native = (struct load_native){0};
    if (bpf_obj_get_info_by_fd(loaded->program, &info, &size))
        return error_errno(error, ERROR_MISSING, NULL, "bpf: BPF_OBJ_GET_INFO_BY_FD");
    __u32 length = info.jited_prog_len;
    native->bytes = memory_zero(1, length + 1);
    info = (struct bpf_prog_info){
        .jited_prog_len = length,
        .jited_prog_insns = (uintptr_t)native->bytes,
        .nr_jited_ksyms = OBJECT_FUNCTIONS,
        .jited_ksyms = (uintptr_t)addresses,
        .nr_jited_func_lens = OBJECT_FUNCTIONS,
        .jited_func_lens = (uintptr_t)lengths,
    };
    size = sizeof info;
    if (bpf_obj_get_info_by_fd(loaded->program, &info, &size))
        return error_errno(error, ERROR_MISSING, NULL, "bpf: BPF_OBJ_GET_INFO_BY_FD");
    if (!length || !info.jited_prog_insns || info.nr_jited_func_lens > OBJECT_FUNCTIONS)
        return error_set(error, ERROR_MISSING, NULL, 0,
                         "the kernel shows no native code: net.core.bpf_jit_enable is 0, or "
                         "CAP_SYSLOG is missing (kernel.kptr_restrict)");
    size_t at = 0;
    native->count = info.nr_jited_func_lens;
    for (size_t i = 0; i < native->count && at + lengths[i] <= length; at += lengths[i++])
        native->functions[i] = (struct load_code){i < info.nr_jited_ksyms ? addresses[i] : 0,
                                                  native->bytes + at, lengths[i]};
    return 0;
}

void load_native_free(struct load_native *native) {
    free(native->bytes);
    *native = (struct load_native){0};
}
