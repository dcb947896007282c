// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-run pack: a build's variants as one pack for the guest's kernel, for a reader who
// boots it by hand (the bundle's REPRODUCE.txt has the command).
#include "runner/run/command.h"

#include "common/memory.h"
#include "common/options.h"
#include "common/replace.h"
#include "runner/engine/guest_pack.h"
#include "runner/run/plan.h"

#include <stdlib.h>

#define SLICES "200"

struct pack_choice {
    const char *build, *out, *only;
    long long ring, iterations; // iterations 0: the stopwatch
};

// One entry a variant that this ring may run: with IOPL=3, those that leave IF 0 may not.
static size_t list_entries(const struct plan *plan, const struct pack_choice *choice,
                           const char *iterations, struct guest_entry *entries) {
    bool bare = choice->iterations != 0;
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct variant *variant = &plan->rows[i];
        if (!variant->unproved && variant->target == TARGET_x86 &&
            (choice->ring == 0 || variant->needs != NEEDS_cpl0))
            entries[count++] = (struct guest_entry){
                variant->path,
                {variant->name, bare ? iterations : "--stopwatch", bare ? NULL : SLICES},
                (int)choice->ring};
    }
    return count;
}

static int write_pack(const struct pack_choice *choice, const struct plan *plan,
                      struct error *error) {
    char iterations[24];
    struct guest_pack pack = {0};
    struct guest_entry *entries = memory_zero(plan->count, sizeof *entries);
    snprintf(iterations, sizeof iterations, "%lld", choice->iterations);
    size_t count = list_entries(plan, choice, iterations, entries);
    int failed = count == 0 ? error_set(error, ERROR_MISSING, choice->build, 0,
                                        "has no variant that CPL%lld may run", choice->ring)
                            : 0;
    if (!failed)
        failed = guest_pack_build(&pack, entries, count, error) ||
                 guest_pack_arm(&pack, 0, error) ||
                 replace_text(choice->out, (const char *)pack.data, pack.bytes, error);
    if (!failed)
        printf("%s: %zu variants at CPL%lld\n", choice->out, count, choice->ring);
    guest_pack_free(&pack);
    free(entries);
    return failed;
}

int command_pack(int argc, char **argv, struct error *error) {
    struct pack_choice choice = {0};
    struct plan plan;
    const struct option_row rows[] = {
        {"out", 'o', OPTION_TEXT, &choice.out, "FILE", 0, 0, "the pack"},
        {"ring", 0, OPTION_INTEGER, &choice.ring, "N", 0, 3, "0 (default), or 3 with IOPL=3"},
        {"only", 0, OPTION_TEXT, &choice.only, "GLOB,...", 0, 0,
         "variants whose name matches one of them"},
        {"iterations", 0, OPTION_INTEGER, &choice.iterations, "N", 1, UINT32_MAX,
         "each runs N iterations, not the stopwatch"},
    };
    const struct option_list list = {
        "asmsweep-run",
        "pack BUILD-DIR -o FILE [--ring N] [--only GLOB,...]\n       [--iterations N]",
        "Writes a build's variants as a pack for the guest.", rows, sizeof rows / sizeof *rows};
    if (options_parse(&list, argc, argv, &choice.build, 1, 1, error))
        return -1;
    if (!choice.out || (choice.ring != 0 && choice.ring != 3))
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "pack takes BUILD-DIR, -o FILE and --ring 0 or 3; try --help");
    int failed = plan_read(choice.build, choice.only, &plan, error);
    if (!failed)
        failed = write_pack(&choice, &plan, error);
    plan_free(&plan);
    return failed ? -1 : 0;
}
