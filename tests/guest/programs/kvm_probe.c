// SPDX-License-Identifier: GPL-3.0-or-later
// kvm_probe: make a virtual machine on /dev/kvm and run CLI and STI at CPL0 in it.
// Prints the flags that PUSHF read after each, then `end`. On an error: one line, status 1.
// Source of the calls: Documentation/virt/kvm/api.rst.
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

enum { GUEST_BYTES = 4096, GUEST_ADDRESS = 0x1000, STACK_TOP = 0x2000, PORT = 0x10 };

// 16-bit real mode: each PUSHF is popped to AX and sent to PORT.
static const unsigned char code[] = {
    0xfa,       // cli
    0x9c, 0x58, // pushf; pop %ax
    0xe7, PORT, // out %ax, $PORT
    0xfb, 0x90, // sti; nop
    0x9c, 0x58, // pushf; pop %ax
    0xe7, PORT, // out %ax, $PORT
    0xf4,       // hlt
};

// ioctl, or the end of the program with the name of the call that failed.
static int must(int fd, unsigned long request, void *argument, const char *name) {
    int result = ioctl(fd, request, argument);
    if (result < 0) {
        perror(name);
        exit(1);
    }
    return result;
}

static int make_machine(int kvm) {
    int machine = must(kvm, KVM_CREATE_VM, 0, "KVM_CREATE_VM");
    void *memory =
        mmap(NULL, GUEST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    memcpy(memory, code, sizeof code);
    struct kvm_userspace_memory_region region = {
        .guest_phys_addr = GUEST_ADDRESS,
        .memory_size = GUEST_BYTES,
        .userspace_addr = (unsigned long)memory,
    };
    must(machine, KVM_SET_USER_MEMORY_REGION, &region, "KVM_SET_USER_MEMORY_REGION");
    return machine;
}

static void enter_real_mode(int cpu) {
    struct kvm_sregs special;
    must(cpu, KVM_GET_SREGS, &special, "KVM_GET_SREGS");
    special.cs.base = 0;
    special.cs.selector = 0;
    must(cpu, KVM_SET_SREGS, &special, "KVM_SET_SREGS");
    struct kvm_regs registers = {.rip = GUEST_ADDRESS, .rsp = STACK_TOP, .rflags = 2};
    must(cpu, KVM_SET_REGS, &registers, "KVM_SET_REGS");
}

static int run(int cpu, const struct kvm_run *state) {
    for (;;) {
        must(cpu, KVM_RUN, 0, "KVM_RUN");
        if (state->exit_reason == KVM_EXIT_HLT) {
            printf("end\n");
            return 0;
        }
        if (state->exit_reason != KVM_EXIT_IO || state->io.port != PORT) {
            fprintf(stderr, "kvm_probe: exit reason %u\n", state->exit_reason);
            return 1;
        }
        unsigned short flags;
        memcpy(&flags, (const char *)state + state->io.data_offset, sizeof flags);
        printf("flags 0x%x\n", flags);
    }
}

int main(void) {
    int kvm = open("/dev/kvm", O_RDWR);
    if (kvm < 0) {
        perror("/dev/kvm");
        return 1;
    }
    printf("api %d\n", must(kvm, KVM_GET_API_VERSION, 0, "KVM_GET_API_VERSION"));
    int machine = make_machine(kvm);
    int cpu = must(machine, KVM_CREATE_VCPU, 0, "KVM_CREATE_VCPU");
    int bytes = must(kvm, KVM_GET_VCPU_MMAP_SIZE, 0, "KVM_GET_VCPU_MMAP_SIZE");
    struct kvm_run *state = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
    if (state == MAP_FAILED) {
        perror("mmap of the virtual CPU");
        return 1;
    }
    enter_real_mode(cpu);
    return run(cpu, state);
}
