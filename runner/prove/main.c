// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-prove: what variants really hold, by disassembly and by running them.
#include "runner/prove/commands.h"

#include "common/program.h"

#include <string.h>

static const struct program_command commands[] = {
    {"disassemble", "write BUILD_DIR/proof.csv from BUILD_DIR/bin", command_disassemble},
    {"guest", "execute every variant in QEMU, count into BUILD_DIR/proof.csv", command_guest},
};

size_t prove_report(const struct proof *proof) {
    size_t bad = 0;
    for (size_t i = 0; i < proof->count; i++) {
        const struct proof_row *row = &proof->row[i];
        if (!strcmp(row->status, "ok"))
            continue;
        bad++;
        fprintf(stderr, "%s: %s: %s\n", row->variant, row->status, row->detail);
    }
    return bad;
}

int prove_end(const char *path, const struct proof *proof, size_t bad, struct error *error) {
    return bad ? error_set(error, ERROR_INCOMPLETE, path, 0, "%zu of %zu are not proved", bad,
                           proof->count)
               : 0;
}

int main(int argc, char **argv) {
    return program_run("asmsweep-prove", commands, sizeof commands / sizeof *commands, argc, argv);
}
