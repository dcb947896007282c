// SPDX-License-Identifier: GPL-3.0-or-later
// rings DIRECTORY: the guest engine's truth gate at both rings, on KVM. DIRECTORY holds `kernel`
// and `truth`. Prints a line a ring: its CPL, what CLI, STI and POPF are there, the evidence.
#include "runner/engine/guest_truth.h"

#include <stdio.h>

int main(int argc, char **argv) {
    struct guest_options options;
    struct guest_truth truths[2];
    if (argc != 2) {
        fprintf(stderr, "usage: rings DIRECTORY\n");
        return 2;
    }
    options = (struct guest_options){.cpu = -1};
    options.accel = GUEST_KVM;
    options.directory = argv[1];
    guest_probe(&options, truths);
    printf("cpl0 %s: %s\n", privilege_name(truths[0].privilege), truths[0].detail);
    printf("cpl3 %s: %s\n", privilege_name(truths[1].privilege), truths[1].detail);
    return 0;
}
