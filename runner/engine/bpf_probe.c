// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/bpf_probe.h"

#include "runner/bpf/load.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

static void read_line(const char *path, char *text, size_t size) {
    FILE *stream = fopen(path, "re");
    if (!stream || !fgets(text, (int)size, stream))
        *text = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (stream)
        fclose(stream);
}

// A setting that explains why it does not go, or goes otherwise than it should; "": none.
static void find_setting(char *why, size_t size) {
    char jit[16], harden[16], hidden[16], lockdown[64], clock[32];
    read_line("/proc/sys/net/core/bpf_jit_enable", jit, sizeof jit);
    read_line("/proc/sys/net/core/bpf_jit_harden", harden, sizeof harden);
    read_line("/proc/sys/kernel/kptr_restrict", hidden, sizeof hidden);
    read_line("/sys/kernel/security/lockdown", lockdown, sizeof lockdown);
    read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", clock,
              sizeof clock);
    if (!strcmp(jit, "0"))
        snprintf(why, size, "net.core.bpf_jit_enable is 0: programs would be interpreted");
    else if (!strcmp(harden, "2"))
        snprintf(why, size, "net.core.bpf_jit_harden is 2: the JIT would change each constant");
    else if (!strcmp(hidden, "2"))
        snprintf(why, size,
                 "kernel.kptr_restrict is 2: it hides native code, which proves what ran");
    else if (strstr(lockdown, "[confidentiality]"))
        snprintf(why, size,
                 "the kernel is locked down ([confidentiality] in "
                 "/sys/kernel/security/lockdown)");
    else if (*clock && !strstr(clock, "tsc") && strcmp(clock, "kvm-clock") != 0)
        snprintf(why, size, "the kernel's clock is %s, which is too coarse (clocksource)", clock);
    else
        *why = '\0';
}

// A program that returns 0 is loaded, run and looked at: of the type that needs the most rights. 0,
// or -1 with the reason.
static int try(char *why, size_t size) {
    struct bpf_insn code[] = {{.code = BPF_ALU64 | BPF_MOV}, {.code = BPF_JMP | BPF_EXIT}};
    const struct object object = {.type = OBJECT_tc,
                                  .code = code,
                                  .count = sizeof code / sizeof *code,
                                  .functions = {{"program", 0, 2}},
                                  .function_count = 1};
    struct loaded loaded;
    struct load_native native = {0};
    struct load_function function;
    struct error error = {0};
    struct utsname system;
    uname(&system);
    enum load_refusal refusal = load_program(&object, NULL, 0, &loaded, &error);
    int failed =
        refusal != LOAD_taken || load_run(&loaded, &error) || load_native(&loaded, &native, &error);
    load_native_free(&native);
    load_unload(&loaded);
    if (refusal == LOAD_no_rights)
        snprintf(why, size,
                 "loading programs into the kernel needs root, or CAP_BPF, CAP_PERFMON, "
                 "CAP_NET_ADMIN and CAP_SYSLOG (%s)",
                 error.text);
    else if (failed)
        snprintf(why, size, "%s (kernel %s)", error.text, system.release);
    else if (!load_find("bpf_prog_test_run_syscall", &function))
        snprintf(why, size,
                 "the kernel tells no types (CONFIG_DEBUG_INFO_BTF): only helpers can "
                 "be called");
    return failed;
}

void bpf_probe(const struct engine_settings *settings, struct engine_probe *probe) {
    char setting[160];
    (void)settings;
    *probe = (struct engine_probe){
        .accel = "native", .privilege = PRIVILEGE_unavailable, .target = TARGET_bpf};
    find_setting(setting, sizeof setting);
    probe->usable = !try(probe->reason, sizeof probe->reason) && !*setting;
    if (*setting)
        snprintf(probe->reason, sizeof probe->reason, "%s", setting);
    if (!probe->usable)
        return;
    probe->privilege = PRIVILEGE_real;
    snprintf(probe->privilege_reason, sizeof probe->privilege_reason,
             "by the kernel's own functions");
}
