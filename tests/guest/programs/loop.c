// SPDX-License-Identifier: GPL-3.0-or-later
// loop ITERATIONS: a loop of exactly 30 instructions an iteration, in the shape of the
// variants (count in EAX, dec and jnz at its end). Prints `end ITERATIONS` when it is done.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    unsigned count = argc == 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (count == 0) {
        fprintf(stderr, "usage: loop ITERATIONS\n");
        return 2;
    }
    unsigned left = count;
    __asm__ volatile("1:\n\t"
                     ".rept 28\n\t"
                     "add %%rbx, %%rbx\n\t"
                     ".endr\n\t"
                     "dec %0\n\t"
                     "jnz 1b"
                     : "+a"(left)
                     :
                     : "rbx", "cc");
    printf("end %u\n", count);
    return 0;
}
