// SPDX-License-Identifier: GPL-3.0-or-later
// tests/unit: what the tests share: cmocka's includes, and assertions that print both sides.
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SKIPPED = 77 };

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

// |a - b| <= tolerance; NaN is near nothing.
#define assert_near(a, b, tolerance)                                                               \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                       \
            fail_msg(#a " is %.10g, not %.10g within %g", a_, b_, (double)(tolerance));            \
    } while (0)

#define assert_nan(a)                                                                              \
    do {                                                                                           \
        double a_ = (a);                                                                           \
        if (!isnan(a_))                                                                            \
            fail_msg(#a " is %.10g, not empty (NaN)", a_);                                         \
    } while (0)

#define assert_contains(text, part)                                                                \
    do {                                                                                           \
        const char *text_ = (text), *part_ = (part);                                               \
        if (!strstr(text_, part_))                                                                 \
            fail_msg("'%s' does not contain '%s'", text_, part_);                                  \
    } while (0)
