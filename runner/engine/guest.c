// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/guest.h"

#include "common/printable.h"
#include "runner/engine/guest_pack.h"
#include "runner/engine/guest_report.h"
#include "runner/guest/pack.h"
#include "runner/host/process.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 64, TEXT_MAX = PATH_MAX };
enum { MEMORY_SPARE = 64 };   // MiB beside twice the pack: kernel, page tables, a variant's pages
enum { STRIKES = 3 };         // NMIs without an answer until QEMU is killed
enum { CHANNEL_LIMIT = 256 }; // MiB; a variant that writes more is a runaway
static const double DEFAULT_TIMEOUT = 10;

// One boot while it runs.
struct boot {
    const struct guest_options *options;
    struct guest_report report;
    int pack, channel; // memory files: QEMU reads the one and writes the other
    int monitor[2];    // pipe to QEMU's monitor: read end, write end
    double heard;      // when the last record came
    unsigned strikes;  // NMIs since then
    char *text;        // the channel so far
    size_t length;
};

// Read what QEMU added to the channel and let the report have it.
static void listen_to(struct boot *boot, int final) {
    struct stat status;
    if (!fstat(boot->channel, &status) && (size_t)status.st_size > boot->length) {
        char *moved = realloc(boot->text, (size_t)status.st_size);
        if (!moved)
            return;
        boot->text = moved;
        ssize_t got = pread(boot->channel, moved + boot->length,
                            (size_t)status.st_size - boot->length, (off_t)boot->length);
        boot->length += got > 0 ? (size_t)got : 0;
    }
    size_t before = boot->report.records;
    guest_report_take(&boot->report, boot->text, boot->length, final);
    if (boot->report.records > before) {
        boot->heard = process_now();
        boot->strikes = 0;
    }
}

// The deadman: called by process_run again and again. An NMI makes the kernel name the place where
// the entry is and go on with the next; QEMU is killed only if that does not help.
static int watch(void *context) {
    struct boot *boot = context;
    double timeout = boot->options->timeout > 0 ? boot->options->timeout : DEFAULT_TIMEOUT;
    listen_to(boot, 0);
    if (!boot->report.booted) // QEMU's start takes as long as the host lets it: no entry's time
        timeout = fmax(timeout, DEFAULT_TIMEOUT);
    if (boot->length >> 20 >= CHANNEL_LIMIT)
        return 1;
    if (process_now() - boot->heard < timeout * (1 + boot->strikes))
        return 0;
    boot->strikes++;
    return boot->strikes > STRIKES || write(boot->monitor[1], "nmi\n", 4) != 4;
}

struct command {
    const char *words[ARGUMENTS_MAX];
    struct path kernel;
    char pack[TEXT_MAX], channel[TEXT_MAX], memory[32];
};

// Fills the words of QEMU's command line. The files are handed over as open descriptors.
static void make_command(struct command *command, const struct boot *boot, size_t pack_bytes) {
    const struct guest_options *options = boot->options;
    bool kvm = options->accel == GUEST_KVM, icount = !kvm && options->icount;
    snprintf(command->pack, TEXT_MAX, "/proc/self/fd/%d", boot->pack);
    snprintf(command->channel, TEXT_MAX, "file,id=results,path=/proc/self/fd/%d", boot->channel);
    snprintf(command->memory, sizeof command->memory, "%zu", MEMORY_SPARE + 2 * (pack_bytes >> 20));
    // clang-format off
    const char *const qemu[] = {
        options->qemu ? options->qemu : "qemu-system-x86_64",
        "-nodefaults", "-no-user-config", "-no-reboot",
        "-machine", "microvm",
        "-accel", kvm ? "kvm" : "tcg",
        // arch-capabilities: some hypervisors offer that MSR to guests and then refuse to set it,
        // upon which QEMU aborts. The kernel has no use for it.
        "-cpu", kvm ? "host,arch-capabilities=off" : "max",
        "-m", command->memory,
        "-display", "none",
        "-kernel", command->kernel.text,
        "-initrd", command->pack,
        "-chardev", command->channel,
        "-device", "isa-debugcon,iobase=0xe9,chardev=results",
        "-device", "isa-debug-exit,iobase=0xf4,iosize=1",
        "-chardev", "stdio,id=deadman,signal=off",
        "-mon", "chardev=deadman",
        icount ? "-icount" : NULL, "shift=0,sleep=off", NULL,
    };
    // clang-format on
    size_t count = 0;
    for (size_t i = 0; options->wrapper && options->wrapper[i]; i++)
        command->words[count++] = options->wrapper[i];
    memcpy(command->words + count, qemu, sizeof qemu);
}

// Where the guest's kernel is.
static int find_kernel(const struct guest_options *options, struct path *path,
                       struct error *error) {
    *path = options->kernel ? path_make("%s", options->kernel) : guest_file(options, "kernel");
    if (access(path->text, R_OK))
        return error_errno(error, ERROR_MISSING, path->text,
                           options->kernel ? "the guest's kernel cannot be read"
                                           : "the guest's kernel is missing; build the programs "
                                             "again");
    return 0;
}

struct path guest_file(const struct guest_options *options, const char *name) {
    char own[PATH_MAX];
    if (options->directory)
        return path_make("%s/%s", options->directory, name);
    ssize_t got = readlink("/proc/self/exe", own, sizeof own - 1);
    own[got > 0 ? got : 0] = '\0';
    return path_make("%s/../guest/%s", dirname(own), name);
}

static int open_boot(struct boot *boot, const struct guest_pack *pack, struct error *error) {
    boot->pack = memfd_create("guest-pack", 0);
    boot->channel = memfd_create("guest-results", 0);
    if (boot->pack < 0 || boot->channel < 0 || pipe2(boot->monitor, O_CLOEXEC))
        return error_errno(error, ERROR_MISSING, NULL, "cannot hand files to QEMU");
    if (disk_write(boot->pack, (const char *)pack->data, pack->bytes))
        return error_errno(error, ERROR_MISSING, NULL, "cannot write the guest's pack");
    return 0;
}

static void close_boot(struct boot *boot) {
    const int all[] = {boot->pack, boot->channel, boot->monitor[0], boot->monitor[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            close(all[i]);
    free(boot->text);
}

// Why a boot stopped inside an entry; decides the entry's end.
static enum guest_end judge(const struct process_result *process, char *detail, size_t size) {
    char how[128];
    process_describe(process, how, sizeof how);
    if (process->stopped) {
        snprintf(detail, size, "no sign of life, not even after an NMI; %s", how);
        return GUEST_TIMED_OUT;
    }
    if (WIFEXITED(process->status) && WEXITSTATUS(process->status) == 0)
        snprintf(detail, size, "triple fault or reset: the machine went down (QEMU: %s)", how);
    else
        snprintf(detail, size, "it ended the machine (QEMU: %s)", how);
    return GUEST_CRASHED;
}

// QEMU ended before the kernel said anything.
static int boot_failed(const struct process_result *process, const char *qemu,
                       struct error *error) {
    char how[128], first_line[256];
    process_describe(process, how, sizeof how);
    printable_line(first_line, sizeof first_line, process->errors ? process->errors : "");
    if (process->exec_errno && !process->not_pinned)
        return error_set(error, ERROR_MISSING, qemu, 0, "%s; install qemu-system-x86", how);
    return error_set(error, ERROR_MISSING, qemu, 0, "the guest's kernel did not come up: %s%s%s",
                     how, first_line[0] ? "; " : "", first_line);
}

// One boot, from entry `*first` on; moves *first to where the next one has to begin.
static int run_boot(struct boot *boot, struct guest_pack *pack, struct command *command,
                    size_t *first, struct error *error) {
    struct guest_report *report = &boot->report;
    if (guest_pack_arm(pack, *first, error) || open_boot(boot, pack, error))
        return -1;
    const struct pack_header *header = (const struct pack_header *)pack->data;
    guest_report_open(report, header->nonce, *first, report->results, report->count);
    make_command(command, boot, pack->bytes);
    struct process_request request = {
        .argv = command->words,
        .cpu = boot->options->cpu,
        .watch = watch,
        .input = boot->monitor[0],
        .context = boot,
    };
    struct process_result process;
    boot->heard = process_now();
    int status = process_run(&request, &process, error);
    if (!status) {
        char detail[256];
        listen_to(boot, 1);
        enum guest_end end = judge(&process, detail, sizeof detail);
        *first = guest_report_close(report, end, detail);
        if (process.interrupted)
            status = error_set(error, ERROR_INCOMPLETE, NULL, 0, "interrupted");
        else if (!report->booted)
            status = boot_failed(&process, command->words[0], error);
        else if (!report->ended && report->current >= report->count)
            status = error_set(error, ERROR_MISSING, command->words[0], 0,
                               "the guest's kernel ran no entry: %s", report->damage);
    }
    process_free(&process);
    return status;
}

int guest_run(const struct guest_entry *entries, size_t count, const struct guest_options *options,
              struct guest_result *results, char *boot_text, size_t boot_room,
              struct error *error) {
    struct guest_pack pack = {0};
    struct command command;
    memset(results, 0, count * sizeof *results);
    int status = find_kernel(options, &command.kernel, error);
    if (!status)
        status = guest_pack_build(&pack, entries, count, error);
    for (size_t first = 0; !status && first < count;) {
        struct boot boot = {.options = options, .pack = -1, .channel = -1, .monitor = {-1, -1}};
        boot.report.results = results;
        boot.report.count = count;
        status = run_boot(&boot, &pack, &command, &first, error);
        if (boot_text)
            snprintf(boot_text, boot_room, "%s", boot.report.boot);
        close_boot(&boot);
    }
    guest_pack_free(&pack);
    return status;
}

void guest_results_free(struct guest_result *results, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(results[i].output);
        free(results[i].errors);
        results[i].output = results[i].errors = NULL;
    }
}
