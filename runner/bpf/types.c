// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/bpf/types.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>

// struct NAME_value { struct NAME { u32 val; } lock; }
static int add_lock(struct btf *btf, int number, const char *name, const char *value) {
    int lock = btf__add_struct(btf, name, 4);
    btf__add_field(btf, "val", number, 0, 0);
    int whole = btf__add_struct(btf, value, 8);
    btf__add_field(btf, "lock", lock, 0, 0);
    return whole;
}

static void add_all(struct btf *btf, const struct object *object, struct types *types) {
    int whole = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
    int number = btf__add_int(btf, "unsigned int", 4, 0);
    int wide = btf__add_int(btf, "unsigned long", 8, 0);
    int nothing = btf__add_ptr(btf, 0);
    types->key = whole;
    types->locks[0] = add_lock(btf, number, "bpf_spin_lock", "spin_lock_value");
    types->locks[1] = add_lock(btf, number, "bpf_res_spin_lock", "res_spin_lock_value");
    int program = btf__add_func_proto(btf, whole);
    btf__add_func_param(btf, "context", nothing);
    int function = btf__add_func_proto(btf, whole);
    btf__add_func_param(btf, "n", wide);
    for (size_t i = 0; i < object->function_count; i++)
        types->functions[i] =
            btf__add_func(btf, object->functions[i].name, i ? BTF_FUNC_STATIC : BTF_FUNC_GLOBAL,
                          i ? function : program);
}

int types_make(const struct object *object, struct types *types) {
    struct btf *btf = btf__new_empty();
    uint32_t size;
    *types = (struct types){.file = -1};
    if (!btf)
        return -1;
    add_all(btf, object, types);
    const void *bytes = btf__raw_data(btf, &size);
    if (bytes)
        types->file = bpf_btf_load(bytes, size, NULL);
    int number = errno;
    btf__free(btf);
    errno = number;
    return types->file < 0 ? -1 : 0;
}
