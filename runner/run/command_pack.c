// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-run pack: a build's variants as one pack for the guest's kernel, for a reader who
// boots it by hand (the bundle's REPRODUCE.txt has the command).
#include "runner/run/command.h"

#include "common/options.h"
#include "runner/engine/guest_pack.h"
#include "runner/run/plan.h"

#include <stdlib.h>

#define SLICES "200"

struct pack_choice {
    const char *out, *only;
    long long ring, iterations; // iterations 0: the stopwatch
};

// One entry a variant that this ring may run: with IOPL=3, those that leave IF 0 may not.
static size_t choose(const struct plan *plan, const struct pack_choice *choice,
                     const char *iterations, const char *(*argv)[4], struct guest_entry *entries) {
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct variant *variant = &plan->rows[i];
        if (variant->unproved || (choice->ring == 3 && variant->needs == NEEDS_cpl0))
            continue;
        const char **words = argv[count];
        words[0] = variant->name;
        words[1] = choice->iterations ? iterations : "--stopwatch";
        words[2] = choice->iterations ? NULL : SLICES;
        words[3] = NULL;
        entries[count++] = (struct guest_entry){variant->path, words, (int)choice->ring};
    }
    return count;
}

static int write_pack(const struct guest_pack *pack, const char *path, struct error *error) {
    FILE *stream = fopen(path, "wb");
    if (!stream)
        return error_errno(error, ERROR_INPUT, path, "cannot be written");
    int failed = fwrite(pack->data, 1, pack->bytes, stream) != pack->bytes;
    if (fclose(stream) != 0 || failed)
        return error_errno(error, ERROR_INPUT, path, "cannot be written");
    return 0;
}

static int make(const char *build, const struct pack_choice *choice, struct error *error) {
    struct plan plan;
    struct guest_pack pack = {0};
    char iterations[24];
    snprintf(iterations, sizeof iterations, "%lld", choice->iterations);
    if (plan_read(build, choice->only, &plan, error) != 0) {
        plan_free(&plan);
        return -1;
    }
    const char *(*argv)[4] = calloc(plan.count + 1, sizeof *argv);
    struct guest_entry *entries = calloc(plan.count + 1, sizeof *entries);
    int failed = !argv || !entries ? error_set(error, ERROR_INPUT, NULL, 0, "out of memory") : 0;
    size_t count = failed ? 0 : choose(&plan, choice, iterations, argv, entries);
    if (!failed && count == 0)
        failed = error_set(error, ERROR_MISSING, build, 0, "has no variant that CPL%lld may run",
                           choice->ring);
    if (!failed)
        failed = guest_pack_build(&pack, entries, count, error) ||
                 guest_pack_arm(&pack, 0, error) || write_pack(&pack, choice->out, error);
    if (!failed)
        printf("%s: %zu variants at CPL%lld\n", choice->out, count, choice->ring);
    guest_pack_free(&pack);
    free(entries);
    free(argv);
    plan_free(&plan);
    return failed ? -1 : 0;
}

int command_pack(int argc, char **argv, struct error *error) {
    struct pack_choice choice = {0};
    const char *build;
    const struct option_row rows[] = {
        {"out", 'o', OPTION_TEXT, &choice.out, "FILE", 0, 0, "the pack"},
        {"ring", 0, OPTION_INTEGER, &choice.ring, "N", 0, 3, "0 (default), or 3 with IOPL=3"},
        {"only", 0, OPTION_TEXT, &choice.only, "GLOB", 0, 0, "variants whose name matches"},
        {"iterations", 0, OPTION_INTEGER, &choice.iterations, "N", 1, UINT32_MAX,
         "each runs N iterations, not the stopwatch"},
    };
    const struct option_list list = {
        "asmsweep-run", "pack BUILD-DIR -o FILE [--ring N] [--only GLOB]\n       [--iterations N]",
        "Writes a build's variants as a pack for the guest.", rows, sizeof rows / sizeof *rows};
    if (options_parse(&list, argc, argv, &build, 1, 1, error))
        return -1;
    if (!choice.out || (choice.ring != 0 && choice.ring != 3))
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "pack takes BUILD-DIR, -o FILE and --ring 0 or 3; try --help");
    return make(build, &choice, error);
}
