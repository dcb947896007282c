// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/night/night.h"

#include "common/disk.h"
#include "common/memory.h"
#include "results/runs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool night_is_candidate(const struct change *first) {
    return first->verdict == VERDICT_changed || first->verdict == VERDICT_lost;
}

const struct change *night_second(const struct night *night, size_t sweep,
                                  const struct change *first) {
    const struct comparison *second = &night->second[sweep];
    for (size_t i = 0; i < second->count; i++)
        if (second->change[i].now != NULL && loop_is_same(second->change[i].now, first->base))
            return &second->change[i];
    return NULL;
}

static bool is_confirmed(const struct change *first, const struct change *second) {
    if (second == NULL || second->verdict != first->verdict)
        return false;
    return first->verdict == VERDICT_lost || (first->part > 0) == (second->part > 0);
}

enum night_kind night_judge(const struct change *first, const struct change *second) {
    switch (first->verdict) {
    case VERDICT_changed:
        return is_confirmed(first, second) ? NIGHT_changed : NIGHT_unconfirmed;
    case VERDICT_lost:
        return is_confirmed(first, second) ? NIGHT_lost : NIGHT_missing;
    case VERDICT_other_loop:
    case VERDICT_added:
        return first->now->has_value ? NIGHT_baseline : NIGHT_missing;
    case VERDICT_unit:
        return first->now->has_value ? NIGHT_KIND_COUNT : NIGHT_missing;
    case VERDICT_gained:
        return NIGHT_gained;
    case VERDICT_without:
        return NIGHT_missing;
    default:
        return NIGHT_KIND_COUNT;
    }
}

// The one line of NAME.SUFFIX in the night's folder; "" if there is no such file.
static void read_path(const char *folder, const char *name, const char *suffix, char *path,
                      size_t size) {
    struct error ignored;
    char *text = disk_read(PATH("%s/%s.%s", folder, name, suffix), NULL, &ignored);
    snprintf(path, size, "%.*s", text != NULL ? (int)strcspn(text, "\n") : 0, text ? text : "");
    free(text);
}

// Read one sweep into the next free place and take its first look. A run without an end, or
// without anything that tells cycles, leaves the place free.
static int read_sweep(const char *folder, const char *name, double minimum, struct night *night,
                      struct error *error) {
    struct night_sweep *sweep = &night->sweep[night->count];
    snprintf(sweep->name, sizeof sweep->name, "%s", name);
    read_path(folder, name, "run", sweep->run, sizeof sweep->run);
    read_path(folder, name, "again", sweep->again, sizeof sweep->again);
    if (!run_ended(sweep->run))
        return 0;
    int failed = loops_read(sweep->run, &sweep->now, error);
    if (failed == 0 && sweep->now.count == 0) {
        loops_free(&sweep->now);
        return 0;
    }
    night->count++;
    if (failed != 0 ||
        baseline_find(sweep->run, sweep->again, &sweep->now, &sweep->base, error) != 0)
        return -1;
    if (run_ended(sweep->again) && loops_read(sweep->again, &sweep->fresh, error) != 0)
        return -1;
    size_t at = night->count - 1;
    compare_loops(&sweep->base.loops, &sweep->now, minimum, &night->first[at]);
    compare_loops(&sweep->base.loops, &sweep->fresh, night->first[at].minimum, &night->second[at]);
    return 0;
}

// Is it NAME.run? Then cut the end off.
static bool take_name(char *name) {
    size_t length = strlen(name);
    if (length <= 4 || name[0] == '.' || strcmp(name + length - 4, ".run") != 0)
        return false;
    name[length - 4] = '\0';
    return true;
}

// Chance results of the first look must not be diluted in the second: only candidates count.
static void forget_others(const struct comparison *first, struct comparison *second) {
    size_t kept = 0;
    for (size_t i = 0; i < second->count; i++) {
        const struct loop *fresh = second->change[i].now;
        bool candidate = false;
        for (size_t k = 0; fresh != NULL && k < first->count && !candidate; k++)
            candidate =
                night_is_candidate(&first->change[k]) && loop_is_same(first->change[k].now, fresh);
        if (candidate)
            second->change[kept++] = second->change[i];
    }
    second->count = kept;
}

int night_read(const char *folder, double minimum, struct night *night, struct error *error) {
    struct dirent **entries;
    *night = (struct night){0};
    int found = scandir(folder, &entries, NULL, alphasort), failed = 0;
    if (found < 0)
        return error_errno(error, ERROR_INPUT, folder, "cannot be read; is it a night's folder?");
    night->sweep = memory_zero((size_t)found, sizeof *night->sweep);
    night->first = memory_zero((size_t)found, sizeof *night->first);
    night->second = memory_zero((size_t)found, sizeof *night->second);
    for (int i = 0; i < found; i++) {
        if (failed == 0 && take_name(entries[i]->d_name))
            failed = read_sweep(folder, entries[i]->d_name, minimum, night, error);
        free(entries[i]);
    }
    free(entries);
    if (failed == 0 && night->count == 0)
        failed = error_set(error, ERROR_MISSING, folder, 0,
                           "no run of this night came to its end; nothing to compare");
    if (failed != 0)
        return failed;
    compare_judge(night->first, night->count);
    for (size_t i = 0; i < night->count; i++)
        forget_others(&night->first[i], &night->second[i]);
    compare_judge(night->second, night->count);
    return 0;
}

void night_free(struct night *night) {
    for (size_t i = 0; i < night->count; i++) {
        loops_free(&night->sweep[i].now);
        loops_free(&night->sweep[i].fresh);
        baseline_free(&night->sweep[i].base);
        comparison_free(&night->first[i]);
        comparison_free(&night->second[i]);
    }
    free(night->sweep);
    free(night->first);
    free(night->second);
    *night = (struct night){0};
}
