// SPDX-License-Identifier: GPL-3.0-or-later
// The functions a compiler may call on its own for structure copies and loops, even with
// -ffreestanding (GCC manual, "Standards").
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

void *memcpy(void *to, const void *from, size_t bytes) {
    void *result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return result;
}

void *memset(void *to, int value, size_t bytes) {
    void *result = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
    return result;
}
