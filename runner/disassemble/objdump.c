// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/disassemble/objdump.h"

#include "common/disk.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OUTPUT_LIMIT = 256 << 20, SECONDS = 600 };

int binutils_run(const char *const *argv, struct process_result *result, struct error *error) {
    struct process_request request = {
        .argv = argv, .cpu = -1, .timeout = SECONDS, .output_limit = OUTPUT_LIMIT};
    char how[128];
    if (process_run(&request, result, error))
        return -1;
    if (!result->exec_errno && !result->timed_out && !result->interrupted && !result->read_errno)
        return 0;
    return error_set(error, ERROR_MISSING, argv[0], 0, "%s; %s",
                     process_describe(result, how, sizeof how),
                     result->read_errno ? "try again" : "install binutils");
}

// 0; 1 with *error where it does not like what it was given, `refusal`; -1 with *error.
static int disassemble(const char *const *argv, const char *what, const char *refusal,
                       struct disassembly *disassembly, struct error *error) {
    struct process_result result;
    *disassembly = (struct disassembly){0};
    int failed = binutils_run(argv, &result, error);
    if (failed) {
        // said already
    } else if (!process_succeeded(&result) || result.truncated) {
        error_set(error, ERROR_INPUT, what, 0, "%s", refusal);
        failed = 1;
    } else if (disassembly_parse(result.output, result.output_length, disassembly, error)) {
        failed = 1;
    }
    process_free(&result);
    return failed;
}

int objdump_section(const char *objdump, const char *section, const char *const *paths,
                    size_t count, struct disassembly *disassembly, struct error *error) {
    const char *argv[OBJDUMP_FILES + 8] = {objdump, "-d",    "-w", "--no-show-raw-insn",
                                           "-j",    section, "--"};
    memcpy(argv + 7, paths, count * sizeof *paths);
    return disassemble(argv, paths[0], "objdump cannot read it; build the sweep again", disassembly,
                       error);
}

int objdump_bytes(const char *objdump, const void *bytes, size_t length, uint64_t address,
                  struct disassembly *disassembly, struct error *error) {
    char at[64];
    *disassembly = (struct disassembly){0};
    int file = memfd_create("code", MFD_CLOEXEC);
    if (file < 0 || disk_write(file, bytes, length)) {
        error_errno(error, ERROR_MISSING, NULL, "bytes for objdump");
        if (file >= 0)
            close(file);
        return -1;
    }
    // The file by our own process, so that no descriptor has to be handed on.
    const struct path path = path_make("/proc/%d/fd/%d", (int)getpid(), file);
    snprintf(at, sizeof at, "--adjust-vma=0x%" PRIx64, address);
    const char *argv[] = {objdump, "-D",      "-w", "--no-show-raw-insn", "-z",
                          "-b",    "binary",  "-m", "i386:x86-64",        at,
                          "--",    path.text, NULL};
    int failed =
        disassemble(argv, "bytes of the kernel", "objdump cannot read them", disassembly, error);
    close(file);
    if (!failed && disassembly->count != 1)
        failed = error_set(error, ERROR_MISSING, objdump, 0, "it shows no instructions of bytes");
    return failed ? -1 : 0;
}
