// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/fault.h"

#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PAGE_FAULT = 14 };

// By the vector of the exception (Intel SDM volume 3, table 6-1).
static const char *const meanings[] = {
    [0] = "division by zero, or its result is too large",
    [1] = "debug exception: it leaves TF set, or executes int1",
    [3] = "a breakpoint",
    [4] = "overflow",
    [5] = "bound range exceeded",
    [6] = "invalid opcode: this CPU has no such instruction, or not at CPL3",
    [11] = "segment not present",
    [12] = "stack fault: the address is not canonical",
    [13] = "general protection: privileged (needs = \"cpl0\", engine guest), or a bad address or "
           "value",
    [PAGE_FAULT] = "no such memory",
    [16] = "an x87 exception that is not masked",
    [17] = "a misaligned access while AC is set, or a locked one over two cache lines",
    [19] = "a SIMD exception that is not masked",
};
enum { VECTORS = sizeof meanings / sizeof *meanings };

static const char *const parts[] = {"setup", "the body", "teardown"};
enum { PARTS = sizeof parts / sizeof *parts };

bool fault_describe(const char *line, char *why, size_t size) {
    uint64_t signal, vector, part, byte, address;
    char again[128], place[64] = "outside of its section", at[32] = "";
    if (sscanf(line, "error fault %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
               &signal, &vector, &part, &byte, &address) != 5)
        return false;
    snprintf(again, sizeof again,
             "error fault %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, signal, vector,
             part, byte, address);
    const char *name = signal < NSIG ? sigabbrev_np((int)signal) : NULL;
    if (strcmp(line, again) != 0 || name == NULL)
        return false;
    if (part < PARTS)
        snprintf(place, sizeof place, "at byte %" PRIu64 " of %s", byte, parts[part]);
    if (vector == PAGE_FAULT)
        snprintf(at, sizeof at, " at 0x%" PRIx64, address);
    const char *meaning = vector < VECTORS && meanings[vector] ? meanings[vector] : NULL;
    snprintf(why, size, "died of SIG%s %s%s%s%s", name, place, meaning ? ": " : "",
             meaning ? meaning : "", at);
    return true;
}
