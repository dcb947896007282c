// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runner/disassemble/instruction.h"

#include <stdio.h>

struct row {
    const char *claim;
    uint64_t first, jump, end; // addresses of an instruction, the jump behind it, what follows
    const char *first_text, *jump_text;
    int affected;
};

static void the_condition_is_crossing_or_ending_at_32_bytes(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"the 2016 loop ends at 32", 28, 30, 32, "dec %eax", "jnz", 1},
        {"one byte less does not", 27, 29, 31, "dec %eax", "jnz", 0},
        {"only the fused pair crosses", 31, 33, 35, "dec %eax", "jnz", 1},
        {"an unfused jump starts at the boundary", 30, 32, 34, "nop", "jnz", 0},
        {"the jump itself crosses", 29, 31, 33, "nop", "jnz", 1},
        {"inc does not fuse with a carry jump", 31, 33, 35, "inc %eax", "jc", 0},
        {"test fuses with every condition", 31, 34, 36, "test %al,%al", "js", 1},
        {"cmp does not fuse with a sign jump", 31, 34, 36, "cmp %al,%bl", "js", 0},
        {"a size suffix changes nothing", 31, 33, 35, "cmpl %eax,(%rbx)", "jz", 1},
        {"memory with an immediate does not fuse", 31, 34, 36, "cmpl $0x1,(%rbx)", "jz", 0},
        {"a result in memory does not fuse", 31, 39, 41, "decq 0xa01040", "jnz", 0},
        {"a direct jump counts", 29, 31, 36, "nop", "jmp", 1},
        {"nothing fuses with jmp", 31, 33, 38, "dec %eax", "jmp", 0},
        {"a second line is as the first", 60, 62, 64, "dec %eax", "jnz", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct instruction pair[2] = {{.address = 0x800000 + rows[i].first},
                                      {.address = 0x800000 + rows[i].jump}};
        snprintf(pair[0].text, CANONICAL_SIZE, "%s", rows[i].first_text);
        snprintf(pair[1].text, CANONICAL_SIZE, "%s", rows[i].jump_text);
        if (jcc_erratum(pair, 2, 0x800000 + rows[i].end) != rows[i].affected)
            fail_msg("%s", rows[i].claim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_condition_is_crossing_or_ending_at_32_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
