// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-prove: what variants really hold, by disassembly and by running them.
#include "runner/prove/commands.h"

#include "common/program.h"
#include "common/streams.h"

static const struct program_command commands[] = {
    {"disassemble", "write BUILD_DIR/proof.csv from BUILD_DIR/bin", command_disassemble},
    {"guest", "execute every variant in QEMU, count into BUILD_DIR/proof.csv", command_guest},
};

int main(int argc, char **argv) {
    streams_open();
    int status =
        program_run("asmsweep-prove", commands, sizeof commands / sizeof *commands, argc, argv);
    return streams_close("asmsweep-prove", status);
}
