// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/host/machine.h"

#include "common/printable.h"
#include "common/table.h"
#include "runner/host/process.h"

#include <cpuid.h>
#include <dirent.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#define SYSTEM_CPU "/sys/devices/system/cpu"

int machine_read_line(char *text, size_t size, const char *format, ...) {
    char path[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    FILE *stream = fopen(path, "re");
    int failed = stream == NULL || !fgets(text, (int)size, stream) ? -1 : 0;
    if (stream != NULL)
        fclose(stream);
    text[failed ? 0 : strcspn(text, "\n")] = '\0';
    return failed;
}

static void read_cpuid(struct machine *machine) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid(0, &a, &b, &c, &d);
    memcpy(machine->cpu_vendor, (unsigned[]){b, d, c}, 12);
    __get_cpuid(1, &a, &b, &c, &d);
    unsigned family = a >> 8 & 15, model = a >> 4 & 15;
    if (family == 6 || family == 15)
        model |= (a >> 16 & 15) << 4;
    if (family == 15)
        family += a >> 20 & 255;
    snprintf(machine->cpu_family, sizeof machine->cpu_family, "%u", family);
    snprintf(machine->cpu_model, sizeof machine->cpu_model, "%u", model);
    snprintf(machine->cpu_stepping, sizeof machine->cpu_stepping, "%u", a & 15);
    unsigned brand[12] = {0};
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002 + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2],
                    &brand[4 * i + 3]);
    const char *name = (const char *)brand;
    name += strspn(name, " ");
    snprintf(machine->cpu_name, sizeof machine->cpu_name, "%.48s", name);
    snprintf(machine->hypervisor, sizeof machine->hypervisor, "none");
    if (c >> 31 & 1) {
        __cpuid(0x40000000, a, b, c, d);
        unsigned signature[3] = {b, c, d};
        snprintf(machine->hypervisor, sizeof machine->hypervisor, "%.12s", (char *)signature);
        if (!machine->hypervisor[0])
            snprintf(machine->hypervisor, sizeof machine->hypervisor, "yes");
    }
}

// "microcode : 0x..." of /proc/cpuinfo for this CPU.
static void read_microcode(int cpu, char *text, size_t size) {
    char line[256];
    int at = -1, found;
    FILE *stream = fopen("/proc/cpuinfo", "re");
    text[0] = '\0';
    while (stream && fgets(line, sizeof line, stream)) {
        if (sscanf(line, "processor : %d", &found) == 1)
            at = found;
        char value[24];
        if (at == (cpu < 0 ? 0 : cpu) && sscanf(line, "microcode : %23s", value) == 1)
            snprintf(text, size, "%s", value);
    }
    if (stream)
        fclose(stream);
}

bool machine_in_list(const char *list, int cpu) {
    for (char *end; *list; list = *end == ',' ? end + 1 : end) {
        long first = strtol(list, &end, 10), last = first;
        if (end == list)
            return false;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (cpu >= first && cpu <= last)
            return true;
    }
    return false;
}

static void read_core_type(int cpu, char *text, size_t size) {
    // The kernel's PMUs, and the letters that published figures go by.
    static const struct {
        const char *pmu, *type;
    } types[] = {{"cpu_core", "P"}, {"cpu_atom", "E"}, {"cpu_lowpower", "LPE"}};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char list[256];
        machine_read_line(list, sizeof list, "/sys/devices/%s/cpus", types[i].pmu);
        if (machine_in_list(list, cpu))
            snprintf(text, size, "%s", types[i].type);
    }
}

void machine_describe(int cpu, struct machine *machine) {
    *machine = (struct machine){0};
    cpu_set_t before, one;
    CPU_ZERO(&one);
    if (cpu >= 0)
        CPU_SET((unsigned)cpu, &one);
    int pinned = cpu >= 0 && !sched_getaffinity(0, sizeof before, &before) &&
                 !sched_setaffinity(0, sizeof one, &one);
    read_cpuid(machine);
    if (pinned)
        sched_setaffinity(0, sizeof before, &before);
    read_microcode(cpu, machine->microcode, sizeof machine->microcode);
    read_core_type(cpu, machine->core_type, sizeof machine->core_type);
    struct utsname names;
    if (!uname(&names)) {
        snprintf(machine->host, sizeof machine->host, "%.64s", names.nodename);
        snprintf(machine->kernel, sizeof machine->kernel, "%.64s", names.release);
    }
}

// What could not be read once (no file descriptor was left) is no other machine.
static int differ(const char *a, const char *b) {
    return *a && *b && strcmp(a, b);
}

const char *machine_difference(const struct machine *a, const struct machine *b) {
#define COMPARE(key)                                                                               \
    if (differ(a->key, b->key))                                                                    \
        return #key;
    COMPARE(cpu_vendor)
    COMPARE(cpu_family)
    COMPARE(cpu_model)
    COMPARE(cpu_stepping)
    COMPARE(microcode)
    COMPARE(core_type)
    return NULL;
#undef COMPARE
}

struct tsc_reading machine_read_tsc(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (struct tsc_reading){__builtin_ia32_rdtsc(),
                                (double)time.tv_sec + (double)time.tv_nsec * 1e-9};
}

double machine_tsc_hz(struct tsc_reading from, struct tsc_reading to) {
    return (double)(to.ticks - from.ticks) / (to.seconds - from.seconds);
}

int machine_cpu_allowed(int cpu) {
    cpu_set_t set;
    return cpu >= 0 && cpu < CPU_SETSIZE && !sched_getaffinity(0, sizeof set, &set) &&
           CPU_ISSET((unsigned)cpu, &set);
}

size_t machine_cores(struct core cores[2]) {
    char isolated[256], type[16];
    size_t count = 0;
    machine_read_line(isolated, sizeof isolated, SYSTEM_CPU "/isolated");
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!machine_cpu_allowed(cpu))
            continue;
        read_core_type(cpu, type, sizeof type);
        size_t at = 0;
        while (at < count && strcmp(cores[at].type, type))
            at++;
        if (at == 2)
            continue;
        int replace = at == count || !machine_in_list(isolated, cores[at].cpu) ||
                      machine_in_list(isolated, cpu);
        if (replace)
            cores[at].cpu = cpu;
        if (at == count)
            snprintf(cores[count++].type, sizeof cores[0].type, "%s", type);
    }
    return count;
}

static void write_pair(FILE *stream, const char *key, const char *value) {
    char text[4096];
    printable_copy(text, sizeof text, value, strlen(value));
    table_write_pair(stream, key, text);
}

// key, and the file whose first line is its value; %d is the CPU.
static const struct {
    const char *key, *path;
} files[] = {
    {"governor", SYSTEM_CPU "/cpu%d/cpufreq/scaling_governor"},
    {"intel_no_turbo", SYSTEM_CPU "/intel_pstate/no_turbo"},
    {"boost", SYSTEM_CPU "/cpufreq/boost"},
    {"smt", SYSTEM_CPU "/smt/control"},
    {"smt_siblings", SYSTEM_CPU "/cpu%d/topology/thread_siblings_list"},
    {"isolated_cpus", SYSTEM_CPU "/isolated"},
    {"online_cpus", SYSTEM_CPU "/online"},
    {"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"kernel_command_line", "/proc/cmdline"},
    {"kernel_version", "/proc/version"},
    {"perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid"},
    {"nmi_watchdog", "/proc/sys/kernel/nmi_watchdog"},
    {"lockdown", "/sys/kernel/security/lockdown"},
    {"load_average", "/proc/loadavg"},
    {"randomize_va_space", "/proc/sys/kernel/randomize_va_space"},
    {"personality", "/proc/self/personality"},
    {"transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled"},
};

static const struct {
    const char *key, *argv[3];
} programs[] = {
    {"perf_version", {"perf", "--version", NULL}},
    {"as_version", {"as", "--version", NULL}},
    {"ld_version", {"ld", "--version", NULL}},
    {"qemu_version", {"qemu-system-x86_64", "--version", NULL}},
};

static void write_version(FILE *stream, const char *key, const char *const *argv) {
    struct process_request request = {.argv = argv, .cpu = -1, .timeout = 10};
    struct process_result result;
    struct error error;
    bool told = !process_run(&request, &result, &error) && process_succeeded(&result);
    if (told)
        result.output[strcspn(result.output, "\n")] = '\0';
    write_pair(stream, key, told ? result.output : "");
    process_free(&result);
}

// Each file of the kernel's list, in the order of their names.
static void write_mitigations(FILE *stream) {
    struct dirent **files;
    int count = scandir(SYSTEM_CPU "/vulnerabilities", &files, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char line[1024], key[300];
        const char *name = files[i]->d_name;
        snprintf(key, sizeof key, "mitigation_%s", name);
        if (*name != '.' &&
            !machine_read_line(line, sizeof line, SYSTEM_CPU "/vulnerabilities/%s", name))
            write_pair(stream, key, line);
        free(files[i]);
    }
    if (count >= 0)
        free(files);
}

void machine_write_environment(const struct machine *machine, int cpu, FILE *stream) {
    write_pair(stream, "cpu_name", machine->cpu_name);
    write_pair(stream, "microcode", machine->microcode);
    write_pair(stream, "hypervisor", machine->hypervisor);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128], line[4096];
        snprintf(path, sizeof path, files[i].path, cpu);
        machine_read_line(line, sizeof line, "%s", path);
        write_pair(stream, files[i].key, line);
    }
    write_mitigations(stream);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        write_version(stream, programs[i].key, programs[i].argv);
}
