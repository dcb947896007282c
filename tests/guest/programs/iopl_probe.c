// SPDX-License-Identifier: GPL-3.0-or-later
// iopl_probe [--without-iopl]: what CLI, STI and POPF do to IF at CPL3 on this kernel.
// Prints iopl's return value, then IF as PUSHF shows it after each of them.
#include <stdio.h>
#include <string.h>
#include <sys/io.h>

enum { FLAG_IF = 1 << 9 };

static unsigned long read_flags(void) {
    unsigned long flags;
    __asm__ volatile("pushfq\n\tpopq %0" : "=r"(flags)::"memory");
    return flags;
}

static void write_flags(unsigned long flags) {
    __asm__ volatile("pushq %0\n\tpopfq" ::"r"(flags) : "memory", "cc");
}

static void report(const char *after) {
    printf("if_after_%s %d\n", after, (read_flags() & FLAG_IF) != 0);
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc == 1) {
        printf("iopl %d\n", iopl(3));
    } else if (argc != 2 || strcmp(argv[1], "--without-iopl") != 0) {
        fprintf(stderr, "usage: iopl_probe [--without-iopl]\n");
        return 2;
    }
    report("start");
    __asm__ volatile("cli" ::: "memory");
    report("cli");
    __asm__ volatile("sti" ::: "memory");
    report("sti");
    write_flags(read_flags() & ~(unsigned long)FLAG_IF);
    report("popf_that_clears_it");
    write_flags(read_flags() | FLAG_IF);
    printf("end\n");
    return 0;
}
