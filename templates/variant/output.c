// SPDX-License-Identifier: GPL-3.0-or-later
#include "output.h"

#include "variant.h"

enum { SYS_WRITE = 1, SYS_EXIT_GROUP = 231 };
enum { CAPACITY = 65536, LONGEST_LINE = 512, STATUS_NO_OUTPUT = 5 };

static char buffer[CAPACITY];
static unsigned used;

void put_text(const char *text) {
    while (*text && used < CAPACITY)
        buffer[used++] = *text++;
}

void put_number(uint64_t number) {
    char digits[21];
    unsigned at = sizeof digits;
    digits[--at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    put_text(digits + at);
}

void put_line(const char *word, uint64_t number) {
    put_text(word);
    put_number(number);
    put_text("\n");
}

void put_flush(int descriptor) {
    const char *from = buffer;
    while (used) {
        long written = system_call(SYS_WRITE, descriptor, (long)from, used);
        if (written == -4) // EINTR
            continue;
        if (written <= 0)
            system_call(SYS_EXIT_GROUP, STATUS_NO_OUTPUT, 0, 0);
        from += written;
        used -= (unsigned)written;
    }
}

void put_flush_if_full(int descriptor) {
    if (used > CAPACITY - LONGEST_LINE)
        put_flush(descriptor);
}
