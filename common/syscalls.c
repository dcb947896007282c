// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/syscalls.h"

#include <stddef.h>

static const struct {
    unsigned number;
    const char *name;
} calls[] = {
#define SYSCALL(number, name) {number, name},
#include "common/syscalls.def"
#undef SYSCALL
};

const char *syscall_name(unsigned number) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            return calls[i].name;
    return "";
}
