// SPDX-License-Identifier: GPL-3.0-or-later
// The truth gate: a program in the shape of a variant (static, no libc, system calls write and
// exit_group) that says what CLI, STI and POPF really did to IF, read back by PUSHF each time, and
// roughly what they cost. It runs in the guest at CPL0 and at CPL3 with IOPL=3. Output, a line
// each:
//     cs SELECTOR
//     if NAME FROM TO GOT     (TO: what the instruction has to make of IF; GOT: what it made)
//     ticks NAME TICKS        (TSC ticks a pair, the least of several tries)
//     end
#include <stdint.h>

enum { CALL_WRITE = 1, CALL_EXIT_GROUP = 231 };
enum { IF_BIT = 0x200, PAIRS = 64, TRIES = 20 };

static char output[1024];
static unsigned used;

static long call(long number, long first, long second, long third) {
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
}

static void put(const char *text) {
    while (*text && used < sizeof output)
        output[used++] = *text++;
}

static void put_number(uint64_t number) {
    char digits[21], *at = digits + sizeof digits - 1;
    *at = '\0';
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    put(" ");
    put(at);
}

// One transition: POPF brings IF to `from`, `instruction` acts, PUSHF shows the outcome. RBX
// holds the flags that `instruction` may pop. A POPF that is ignored shows in the lines `popf`.
#define TRANSITION(name, from, to, popped, instruction)                                            \
    do {                                                                                           \
        uint64_t got;                                                                              \
        __asm__ volatile("pushq %1; popfq; " instruction "; pushfq; popq %0"                       \
                         : "=r"(got)                                                               \
                         : "r"(with_if(from)), "b"(with_if(popped))                                \
                         : "memory", "cc");                                                        \
        put("if " name);                                                                           \
        put_number(from);                                                                          \
        put_number(to);                                                                            \
        put_number(got / IF_BIT & 1);                                                              \
        put("\n");                                                                                 \
    } while (0)

static uint64_t own_flags;

static uint64_t with_if(int on) {
    return (own_flags & ~(uint64_t)IF_BIT) | (on ? IF_BIT : 0);
}

static uint64_t ticks(void) {
    uint32_t low, high;
    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

// PAIRS times in a row, without a loop around them.
#define COST(name, instructions)                                                                   \
    do {                                                                                           \
        uint64_t least = UINT64_MAX;                                                               \
        for (int try = 0; try < TRIES; try++) {                                                    \
            uint64_t begin = ticks();                                                              \
            __asm__ volatile(".rept 64\n\t" instructions "\n\t.endr"                               \
                             :                                                                     \
                             : "b"(own_flags)                                                      \
                             : "rdx", "memory", "cc");                                             \
            uint64_t spent = ticks() - begin;                                                      \
            least = spent < least ? spent : least;                                                 \
        }                                                                                          \
        put("ticks " name);                                                                        \
        put_number(least / PAIRS);                                                                 \
        put("\n");                                                                                 \
    } while (0)

void truth_main(void);
void truth_main(void) {
    uint64_t cs;
    __asm__ volatile("mov %%cs, %0" : "=r"(cs));
    __asm__ volatile("pushfq; popq %0" : "=r"(own_flags));
    put("cs");
    put_number(cs);
    put("\n");
    TRANSITION("cli", 1, 0, 1, "cli");
    TRANSITION("cli", 0, 0, 1, "cli");
    TRANSITION("sti", 0, 1, 1, "sti");
    TRANSITION("sti", 1, 1, 1, "sti");
    TRANSITION("popf", 1, 1, 1, "pushq %%rbx; popfq");
    TRANSITION("popf", 0, 0, 0, "pushq %%rbx; popfq");
    TRANSITION("popf", 0, 1, 1, "pushq %%rbx; popfq");
    TRANSITION("popf", 1, 0, 0, "pushq %%rbx; popfq");
    COST("cli+sti", "cli; sti");
    COST("push+popf", "pushq %%rbx; popfq");
    COST("pushf+pop", "pushfq; popq %%rdx");
    put("end\n");
    call(CALL_WRITE, 1, (long)output, used);
    call(CALL_EXIT_GROUP, 0, 0, 0);
}

__asm__(".globl _start\n_start: xor %ebp, %ebp\n\tcall truth_main\n\tud2");
