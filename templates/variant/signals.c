// SPDX-License-Identifier: GPL-3.0-or-later
#include "signals.h"

#include "output.h"
#include "variant.h"

#include <linux/audit.h>
#include <linux/signal.h>

enum { SYS_RT_SIGACTION = 13, SYS_SIGALTSTACK = 131, SYS_EXIT_GROUP = 231 };
enum { STATUS_ABI = 4, STANDARD_OUTPUT = 1, HANDLER_STACK = 8192 };

// rt_sigaction(2) and sigaltstack(2) as the kernel takes them.
struct kernel_sigaction {
    void (*handler)(void);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};
struct kernel_stack {
    char *base;
    int flags;
    uint64_t size;
};
// siginfo_t of SIGSYS.
struct kernel_siginfo {
    int number, error, code, pad;
    void *address;
    int system_call;
    unsigned architecture;
};
// ucontext_t, as far as it is read here.
struct kernel_context {
    uint64_t flags, link, stack[3], registers[16], ip, rflags, selectors, error, vector, mask, cr2;
};

extern const char loop_begin[], loop_end[], loop_teardown_end[]; // of the generated variant

static char handler_stack[HANDLER_STACK] __attribute__((aligned(16)));

_Noreturn static void end(void) {
    put_text("\n");
    put_flush(STANDARD_OUTPUT);
    for (;;)
        system_call(SYS_EXIT_GROUP, STATUS_ABI, 0, 0);
}

static void put(uint64_t number) {
    put_text(" ");
    put_number(number);
}

// Which part of the loop an address is in, 0 to 2, and how far; 3 and 0: in none.
static void put_place(const char *address) {
    const char *const parts[] = {loop_setup, loop_begin, loop_end, loop_teardown_end};
    uint64_t part = 0;
    while (part < 3 && !(address >= parts[part] && address < parts[part + 1]))
        part++;
    put(part);
    put(part < 3 ? (uint64_t)(address - parts[part]) : 0);
}

_Noreturn __attribute__((used)) static void tell(const struct kernel_siginfo *info,
                                                 const struct kernel_context *context) {
    if (info->number == SIGSYS) {
        // int $0x80 counts the calls otherwise.
        put_text(info->architecture == AUDIT_ARCH_X86_64 ? "error syscall" : "error int80");
        put((uint64_t)(uint32_t)info->system_call);
        end();
    }
    put_text("error fault");
    put((uint64_t)info->number);
    put(context->vector);
    put_place((const char *)context->ip);
    put(context->vector == 14 ? context->cr2 : 0);
    end();
}

// The signal comes on a stack of its own, with the loop's flags: AC would make C fault.
__attribute__((naked)) static void on_signal(void) {
    __asm__("pushq $0x202\n\tpopfq\n\tandq $-16, %rsp\n\tmovq %rsi, %rdi\n\tmovq %rdx, %rsi\n\t"
            "call tell");
}

void signals_name(void) {
    static const int named[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
    struct kernel_stack stack = {handler_stack, 0, sizeof handler_stack};
    struct kernel_sigaction action = {on_signal, SA_SIGINFO | SA_RESTORER | SA_ONSTACK, on_signal,
                                      0};
    system_call(SYS_SIGALTSTACK, (long)&stack, 0, 0);
    // Its fourth argument is the mask's size.
    for (unsigned i = 0; i < sizeof named / sizeof *named; i++) {
        register long size __asm__("r10") = sizeof action.mask;
        long number = SYS_RT_SIGACTION;
        __asm__ volatile("syscall"
                         : "+a"(number)
                         : "D"((long)named[i]), "S"(&action), "d"(0L), "r"(size)
                         : "rcx", "r11", "memory");
    }
}
