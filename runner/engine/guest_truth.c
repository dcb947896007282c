// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/guest_truth.h"

#include "runner/host/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SOFTWARE_CPU "TCGTCGTCGTCG" // QEMU's signature when it interprets

enum { TRANSITIONS = 8 };

#define conclude(truth, what, ...)                                                                 \
    ((truth)->privilege = (what), snprintf((truth)->detail, sizeof((truth)->detail), __VA_ARGS__))

// The value behind `key=` in the kernel's words; 0 if it is not there.
static uint64_t boot_number(const char *boot, const char *key) {
    const char *at = strstr(boot, key);
    uint64_t value = 0;
    if (at)
        sscanf(at + strlen(key), "%" SCNx64, &value);
    return value;
}

// What shows a kernel at "CPL0" that it is not: registers that do not read back as loaded.
static int kernel_deprivileged(const char *boot, struct guest_truth *truth) {
    const char *const pairs[][2] = {
        {" gdt=", " gdt_loaded="}, {" idt=", " idt_loaded="}, {" tr=", " tr_loaded="}};
    if (boot_number(boot, "cs=") & 3) {
        conclude(truth, PRIVILEGE_emulated, "the guest's kernel finds CS=0x%" PRIx64 ", not CPL0",
                 boot_number(boot, "cs="));
        return 1;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (boot_number(boot, pairs[i][0]) != boot_number(boot, pairs[i][1])) {
            conclude(truth, PRIVILEGE_emulated,
                     "the guest's kernel loaded%s0x%" PRIx64 " and reads 0x%" PRIx64, pairs[i][0],
                     boot_number(boot, pairs[i][1]), boot_number(boot, pairs[i][0]));
            return 1;
        }
    return 0;
}

// Nonzero if a line of the program shows IF as it should not be, or lines are missing.
static int if_wrong(const char *output, struct guest_truth *truth) {
    int seen = 0;
    for (const char *line = output; line; line = strchr(line, '\n')) {
        char name[16];
        int from, to, got;
        line += *line == '\n';
        if (sscanf(line, "if %15s %d %d %d", name, &from, &to, &got) != 4)
            continue;
        seen++;
        if (got != to) {
            conclude(truth, PRIVILEGE_ignored, "%s with IF=%d left IF=%d, not %d", name, from, got,
                     to);
            return 1;
        }
    }
    if (seen != TRANSITIONS)
        conclude(truth, PRIVILEGE_unavailable, "the truth program showed %d of %d transitions",
                 seen, TRANSITIONS);
    return seen != TRANSITIONS;
}

// The slowest pair of the program's `ticks` lines; its name into `name`.
static uint64_t slowest(const char *output, char name[16]) {
    uint64_t most = 0;
    for (const char *line = output; line; line = strchr(line, '\n')) {
        char pair[16];
        uint64_t ticks;
        line += *line == '\n';
        if (sscanf(line, "ticks %15s %" SCNu64, pair, &ticks) == 2 && ticks >= most) {
            most = ticks;
            strcpy(name, pair);
        }
    }
    return most;
}

void guest_truth_classify(const char *boot, const struct guest_result *result, int ring,
                          const char *host_hypervisor, struct guest_truth *truth) {
    char pair[16] = "";
    const char *output = result->output ? result->output : "";
    if (result->end == GUEST_FAULTED && result->vector) {
        conclude(truth, PRIVILEGE_faulting, "%s", result->detail);
        return;
    }
    if (result->end != GUEST_EXITED) {
        conclude(truth, PRIVILEGE_unavailable, "%s",
                 result->detail[0] ? result->detail : "the truth program did not run");
        return;
    }
    if (if_wrong(output, truth) || kernel_deprivileged(boot, truth))
        return;
    unsigned selector = 0;
    sscanf(output, "cs %u", &selector);
    uint64_t ticks = slowest(output, pair);
    if ((selector & 3) != (unsigned)ring)
        conclude(truth, PRIVILEGE_emulated, "asked for CPL%d, the program finds CS=0x%x", ring,
                 selector);
    else if (strstr(boot, "hypervisor=" SOFTWARE_CPU))
        conclude(truth, PRIVILEGE_emulated, "IF follows, by QEMU's software CPU (accel=tcg)");
    else if (!strcmp(host_hypervisor, SOFTWARE_CPU))
        conclude(truth, PRIVILEGE_emulated,
                 "IF follows, but this machine's CPU is itself software (CPUID says " SOFTWARE_CPU
                 ")");
    else if (ticks > GUEST_TRAP_TICKS)
        conclude(truth, PRIVILEGE_emulated,
                 "IF follows, by traps: %s takes %" PRIu64 " TSC ticks, more than %d", pair, ticks,
                 GUEST_TRAP_TICKS);
    else
        conclude(truth, PRIVILEGE_real,
                 "IF read back after each of %d transitions; the slowest pair, %s, takes %" PRIu64
                 " TSC ticks",
                 TRANSITIONS, pair, ticks);
}

void guest_probe(const struct guest_options *options, struct guest_truth truths[2]) {
    char boot[512] = "";
    struct machine host;
    struct guest_result results[2];
    struct error error = {0};
    struct path path = guest_file(options, "truth");
    const struct guest_entry entries[2] = {{path.text, {"truth"}, 0}, {path.text, {"truth"}, 3}};
    if (guest_run(entries, 2, options, results, boot, sizeof boot, &error)) {
        for (int i = 0; i < 2; i++)
            conclude(&truths[i], PRIVILEGE_unavailable, "%s", error.text);
    } else {
        machine_describe(-1, &host);
        for (int i = 0; i < 2; i++)
            guest_truth_classify(boot, &results[i], entries[i].ring, host.hypervisor, &truths[i]);
    }
    guest_results_free(results, 2);
}
