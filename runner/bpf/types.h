// SPDX-License-Identifier: GPL-3.0-or-later
// runner/bpf: the types (BTF) that the kernel asks of a program whose functions call each other,
// and of a map that holds a lock.
#pragma once

#include "runner/bpf/object.h"

struct types {
    int file;                        // descriptor of what the kernel has loaded
    int functions[OBJECT_FUNCTIONS]; // of the object
    int key;                         // of an array
    int locks[2];                    // a struct with a bpf_spin_lock, with a bpf_res_spin_lock
};

// 0, or -1 with errno; the caller closes `file`.
int types_make(const struct object *object, struct types *types);
