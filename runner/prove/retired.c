// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/retired.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PART = 1000, LARGEST = 1000000000 }; // thousandths; instructions in an iteration

const char *retired_argument(int run) {
    // As many digits in both, so that reading and printing them costs the same.
    return run % 2 ? "2000" : "1000";
}

int retired_parse(const char *text, int64_t *thousandths) {
    int64_t whole = 0, part = 0;
    int digits = 0;
    for (; *text >= '0' && *text <= '9' && whole < LARGEST; text++, digits++)
        whole = whole * 10 + (*text - '0');
    if (!digits)
        return -1;
    if (*text == '.') {
        text++;
        for (int scale = PART / 10; *text >= '0' && *text <= '9'; text++, scale /= 10) {
            if (scale == 0 && *text != '0')
                return -1; // finer than can be counted
            part += (*text - '0') * scale;
        }
    }
    *thousandths = whole * PART + part;
    return *text ? -1 : 0;
}

void retired_text(int64_t thousandths, char *text) {
    int length =
        snprintf(text, 24, "%" PRId64 ".%03" PRId64, thousandths / PART, thousandths % PART);
    while (text[length - 1] == '0')
        text[--length] = '\0';
    if (text[length - 1] == '.')
        text[--length] = '\0';
}

// Nonzero unless the run ended well and printed its own end mark.
static int run_bad(const struct guest_result *result, const char *argument, char *why,
                   size_t size) {
    char mark[32];
    snprintf(mark, sizeof mark, "end %s\n", argument);
    const char *output = result->output ? result->output : "";
    if (result->end != GUEST_EXITED)
        snprintf(why, size, "%s", result->detail[0] ? result->detail : "it did not run");
    else if (result->exit_status)
        snprintf(why, size, "exit status %d, output '%.*s'", result->exit_status,
                 (int)strcspn(output, "\n"), output);
    else if (strcmp(output, mark))
        snprintf(why, size, "no end mark for %s iterations", argument);
    else
        return 0;
    return 1;
}

int retired_count(const struct guest_result *results, int64_t *thousandths, char *why,
                  size_t size) {
    int64_t ticks_of[2] = {0, 0};
    for (int run = 0; run < RETIRED_RUNS; run++) {
        if (run_bad(&results[run], retired_argument(run), why, size))
            return -1;
        int64_t ticks = (int64_t)results[run].ticks;
        if (run >= 2 && ticks != (int64_t)results[run % 2].ticks) {
            snprintf(why, size, "two runs of %s iterations retired %" PRIu64 " and %" PRIu64,
                     retired_argument(run), results[run % 2].ticks, results[run].ticks);
            return -1;
        }
        ticks_of[run % 2] = ticks;
    }
    *thousandths = (ticks_of[1] - ticks_of[0]) * PART / RETIRED_N;
    return 0;
}
