// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/night/baseline.h"

#include "common/memory.h"
#include "results/runs.h"
#include "results/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The machine that a run was made on, as far as its costs depend on it.
struct machine_key {
    struct machine_keys keys; // of the loops' rows
    char mitigations[4096];   // "spectre_v2=...; tsa=..." in the file's order
};

static const char prefix[] = "mitigation_";

static int read_mitigations(const char *folder, char *text, size_t size, struct error *error) {
    struct rows rows;
    size_t used = 0;
    text[0] = '\0';
    int failed = whole_read(folder, FILE_environment, false, &rows, error);
    const struct environment_row *row = rows.row;
    for (size_t i = 0; i < rows.count && failed == 0; i++)
        if (strncmp(row[i].key, prefix, sizeof prefix - 1) == 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s", used > 0 ? "; " : "",
                                     row[i].key + sizeof prefix - 1, row[i].value);
    rows_free(&rows);
    return failed;
}

// The key of the run in `folder` whose loops (at least one) are given. 0, or -1 with *error:
// environment.csv cannot be read.
static int machine_key_read(const char *folder, const struct loops *loops, struct machine_key *key,
                            struct error *error) {
    key->keys = loops->loop[0].row->machine_keys;
    // What two runs that are compared may differ in.
    key->keys.host = key->keys.cpu_name = key->keys.core_type = "";
    return read_mitigations(folder, key->mitigations, sizeof key->mitigations, error);
}

static size_t add_difference(const char *name, const char *before, const char *now, char *text,
                             size_t size, size_t used) {
    if (strcmp(before, now) == 0 || used >= size)
        return used;
    return used + (size_t)snprintf(text + used, size - used, "%s%s: %s, now %s",
                                   used > 0 ? "; " : "", name, before[0] ? before : "none",
                                   now[0] ? now : "none");
}

// What differs, as "microcode: 0x1, now 0x2; kernel: ...", cut at size; returns text, "" if nothing
// does. Host and name of the CPU are no part of a key; the core type is compared loop by loop.
static const char *machine_key_difference(const struct machine_key *before,
                                          const struct machine_key *now, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
#define DIFFERENCE(file, name, type, unit)                                                         \
    used = add_difference(#name, before->keys.name, now->keys.name, text, size, used);
    KEYS_machine_keys(machine, DIFFERENCE)
#undef DIFFERENCE
        add_difference("mitigations", before->mitigations, now->mitigations, text, size, used);
    return text;
}

// What is known of one loop while the runs are walked back.
struct sought {
    const struct loop *base; // the best so far; NULL: none
    bool settled;            // base is a value of the same bytes
    bool since_settled;      // an earlier value was met, or it has one now
};

struct search {
    const struct loops *now;
    const struct machine_key *key;
    struct sought *sought; // now's count
    struct baseline *baseline;
};

// The newest value of the same bytes wins; without one, the newest row at all says why.
static bool take(struct sought *sought, const struct loop *now, const struct loop *then) {
    bool good = then->has_value && strcmp(then->row->loop_sha256, now->row->loop_sha256) == 0;
    if (sought->settled || (sought->base != NULL && !good))
        return false;
    sought->base = then;
    sought->settled = good;
    return true;
}

static void set_since(struct baseline *baseline, size_t i, const struct loop *missing) {
    snprintf(baseline->missing_since[i], sizeof baseline->missing_since[i], "%s",
             missing->row->run_id);
}

// Look at one earlier run. Returns whether its loops are pointed at from now on.
static bool look(struct search *search, const struct loops *then, bool same_key) {
    bool used = false;
    for (size_t i = 0; i < search->now->count; i++) {
        struct sought *sought = &search->sought[i];
        if (sought->settled && sought->since_settled)
            continue;
        const struct loop *loop = &search->now->loop[i], *found = loops_find_same(then, loop);
        if (found == NULL)
            continue;
        if (same_key)
            used |= take(sought, loop, found);
        if (!sought->since_settled && !found->has_value)
            set_since(search->baseline, i, found);
        sought->since_settled |= found->has_value;
    }
    return used;
}

static bool all_settled(const struct search *search) {
    for (size_t i = 0; i < search->now->count; i++)
        if (!search->sought[i].settled || !search->sought[i].since_settled)
            return false;
    return true;
}

// A run that cannot be read is passed over and named: one damaged file must not end all nights.
static void look_at_run(struct search *search, const char *folder, bool is_newest) {
    struct baseline *baseline = search->baseline;
    struct loops *then = &baseline->read[baseline->read_count];
    struct machine_key key;
    struct error error;
    char differs[sizeof baseline->changed];
    int failed = loops_read(folder, then, &error);
    bool used = false;
    if (failed == 0 && then->count > 0) {
        failed = machine_key_read(folder, then, &key, &error);
        bool same = failed == 0 &&
                    *machine_key_difference(&key, search->key, differs, sizeof differs) == '\0';
        if (same && baseline->newest[0] == '\0')
            snprintf(baseline->newest, sizeof baseline->newest, "%s", folder);
        if (is_newest && failed == 0)
            snprintf(baseline->changed, sizeof baseline->changed, "%s", differs);
        if (failed == 0)
            used = look(search, then, same);
    }
    if (failed != 0 && baseline->skipped[0] == '\0')
        snprintf(baseline->skipped, sizeof baseline->skipped, "%s", error.text);
    if (used)
        baseline->read_count++;
    else
        loops_free(then);
}

// `again` is known by its own name: one store is reached by several paths.
static void walk(struct search *search, const struct runs *runs, const char *again) {
    size_t seen = 0;
    for (size_t i = 0; i < runs->count && seen < BASELINE_DEPTH && !all_settled(search); i++)
        if (strcmp(basename(runs->path[i]), basename(again)) != 0)
            look_at_run(search, runs->path[i], seen++ == 0);
    struct loops *loops = &search->baseline->loops;
    for (size_t i = 0; i < search->now->count; i++)
        if (search->sought[i].base != NULL)
            loops->loop[loops->count++] = *search->sought[i].base;
}

int baseline_find(const char *folder, const char *again, const struct loops *now,
                  struct baseline *baseline, struct error *error) {
    struct runs runs = {0};
    struct machine_key key;
    *baseline = (struct baseline){0};
    if (machine_key_read(folder, now, &key, error) != 0 || runs_before(folder, &runs, error) != 0) {
        runs_free(&runs);
        return -1;
    }
    struct sought *sought = memory_zero(now->count, sizeof *sought);
    baseline->read = memory_zero(runs.count, sizeof *baseline->read);
    baseline->loops.loop = memory_zero(now->count, sizeof *baseline->loops.loop);
    baseline->missing_since = memory_zero(now->count, sizeof *baseline->missing_since);
    struct search search = {.now = now, .key = &key, .sought = sought, .baseline = baseline};
    for (size_t i = 0; i < now->count; i++) {
        const struct loop *loop = &now->loop[i];
        sought[i].since_settled = loop->has_value;
        if (!loop->has_value)
            set_since(baseline, i, loop);
    }
    walk(&search, &runs, again);
    free(sought);
    runs_free(&runs);
    return 0;
}

void baseline_free(struct baseline *baseline) {
    for (size_t i = 0; i < baseline->read_count; i++)
        loops_free(&baseline->read[i]);
    free(baseline->read);
    free(baseline->loops.loop);
    free(baseline->missing_since);
    *baseline = (struct baseline){0};
}
