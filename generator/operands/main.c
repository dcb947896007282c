// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-operands: the operands of the instructions in an object, a line of JSON each.
#include "generator/operands/decode.h"
#include "generator/operands/object.h"

#include "common/options.h"
#include "common/program.h"

#include <stdlib.h>

static void print_section(const char *name, const uint8_t *code, size_t length, void *context) {
    (void)context;
    for (size_t at = 0, left; at < length; at += left) {
        left = length - at;
        cJSON *found = decode(code + at, &left);
        cJSON_AddStringToObject(found, "section", name);
        char *line = cJSON_PrintUnformatted(found);
        puts(line);
        cJSON_free(line);
        cJSON_Delete(found);
    }
}

static int command_decode(int argc, char **argv, struct error *error) {
    const char *path;
    const struct option_list list = {"asmsweep-operands", "decode OBJECT",
                                     "Print what each instruction of an object reads and writes.",
                                     NULL, 0};
    if (options_parse(&list, argc, argv, &path, 1, 1, error))
        return -1;
    return object_walk(path, print_section, NULL, error);
}

static const struct program_command commands[] = {
    {"decode", "the instructions of an object, a line of JSON each", command_decode},
};

int main(int argc, char **argv) {
    return program_run("asmsweep-operands", commands, sizeof commands / sizeof *commands, argc,
                       argv);
}
