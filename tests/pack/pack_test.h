// SPDX-License-Identifier: GPL-3.0-or-later
// tests/pack: what the tests of the guest engine share.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SKIPPED = 77 };

// Fails with both texts if `part` does not stand in `text`.
static inline void assert_contains(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' does not contain '%s'", text, part);
}

// A boot needs QEMU; without it the whole test is a visible skip.
static inline int qemu_is_missing(void) {
    const char *path = getenv("PATH");
    char copy[4096], name[4200];
    snprintf(copy, sizeof copy, "%s", path ? path : "");
    for (char *folder = strtok(copy, ":"); folder; folder = strtok(NULL, ":")) {
        snprintf(name, sizeof name, "%s/qemu-system-x86_64", folder);
        FILE *found = fopen(name, "rb");
        if (found) {
            fclose(found);
            return 0;
        }
    }
    puts("SKIP: qemu-system-x86_64 is not installed (package qemu-system-x86)");
    return 1;
}
