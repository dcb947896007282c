// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/history.h"

#include "common/disk.h"
#include "common/memory.h"
#include "results/runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What one row tells of an item.
struct sighting {
    struct machine_keys machine;
    struct point point;
    const char *way[7]; // what tells one series from another, "" or not; up to a NULL
    char ring[24];
};

static void see(struct sighting *seen, const struct machine_keys *machine, long long ring,
                struct point point) {
    seen->machine = *machine;
    seen->point = point;
    seen->point.microcode = machine->microcode;
    seen->point.kernel = machine->kernel;
    if (ring >= 0)
        snprintf(seen->ring, sizeof seen->ring, "CPL%lld", ring);
}

static bool see_cost(const void *data, const char *item, struct sighting *seen) {
    const struct costs_row *row = data;
    if ((strcmp(row->item, item) != 0 && strcmp(row->general, item) != 0) ||
        strcmp(row->engine, "hyperfine") == 0)
        return false;
    *seen = (struct sighting){.way = {row->engine, seen->ring, row->family, row->order,
                                      row->context, method_name(row->method)}};
    see(seen, &row->machine_keys, row->ring,
        (struct point){0, row->cycles, row->ci_low, row->ci_high, row->run_id, row->status, "",
                       ""});
    return true;
}

static bool see_variant(const void *data, const char *item, struct sighting *seen) {
    const struct summary_row *row = data;
    if (strcmp(row->variant, item) != 0 || row->quantity != QUANTITY_cycles ||
        strcmp(row->engine, "hyperfine") == 0 || strcmp(row->accel, "tcg") == 0)
        return false;
    *seen = (struct sighting){.way = {row->sweep, row->engine, seen->ring, row->source}};
    see(seen, &row->machine_keys, row->ring,
        (struct point){0, row->value, row->ci_low, row->ci_high, row->run_id, row->status, "", ""});
    return true;
}

// Where an item may stand, in the order of the search.
static const struct source {
    enum csv_file file;
    bool (*see)(const void *row, const char *item, struct sighting *seen);
} sources[] = {{FILE_costs, see_cost}, {FILE_summary, see_variant}};
#define SOURCES (sizeof sources / sizeof sources[0])

// The text for rows_parse of those lines of a CSV text that hold `needle`, after the header; the
// whole text if a cell of such a line goes over several lines. Owned by the caller, *length long.
static char *lines_with(const char *text, size_t size, const char *needle, size_t *length) {
    char *kept;
    const char *end = text + size, *header = memchr(text, '\n', size), *hit;
    const char *at = header == NULL ? end : header + 1;
    FILE *stream = text_open(&kept, length);
    fwrite(text, 1, (size_t)(at - text), stream);
    while (at < end && (hit = memmem(at, (size_t)(end - at), needle, strlen(needle))) != NULL) {
        const char *from = (const char *)memrchr(text, '\n', (size_t)(hit - text)) + 1;
        const char *to = memchr(hit, '\n', (size_t)(end - hit));
        at = to == NULL ? end : to + 1;
        size_t quotes = 0;
        for (const char *c = from; c < at; c++)
            quotes += *c == '"';
        if (quotes % 2 != 0) {
            rewind(stream);
            from = text;
            at = end;
        }
        fwrite(from, 1, (size_t)(at - from), stream);
    }
    text_close(stream);
    return kept;
}

// Parse those lines of a file that hold the needle. A missing file has no rows.
static int read_lines(const char *path, const char *needle, struct rows *rows,
                      struct error *error) {
    size_t size, length;
    char *text = disk_read(path, &size, error);
    int failed = text == NULL && errno != ENOENT ? -1 : 0;
    if (text != NULL && memmem(text, size, needle, strlen(needle)) != NULL) {
        char *kept = lines_with(text, size, needle, &length);
        failed = rows_parse(path, kept, length, rows->file, rows, error);
        free(kept);
    }
    free(text);
    return failed;
}

static struct series *find_series(struct history *history, const struct sighting *seen) {
    struct series name = {0};
    size_t used = 0;
    const char *core = seen->machine.core_type;
    snprintf(name.cpu, sizeof name.cpu, "%s%s%s", seen->machine.cpu_name, core[0] ? ", " : "",
             core);
    for (size_t i = 0; seen->way[i] != NULL && used < sizeof name.way; i++)
        if (seen->way[i][0] != '\0')
            used += (size_t)snprintf(name.way + used, sizeof name.way - used, "%s%s",
                                     used > 0 ? ", " : "", seen->way[i]);
    for (size_t i = 0; i < history->count; i++)
        if (strcmp(history->series[i].cpu, name.cpu) == 0 &&
            strcmp(history->series[i].way, name.way) == 0)
            return &history->series[i];
    history->series = memory_more(history->series, history->count, sizeof name);
    history->series[history->count] = name;
    return &history->series[history->count++];
}

// A run named by hand has no place in time: false.
static bool add_point(struct series *series, const struct sighting *seen) {
    struct tm parts = {0};
    if (strptime(seen->point.run_id, "%Y%m%dT%H%M%SZ", &parts) == NULL)
        return false;
    series->point = memory_more(series->point, series->count, sizeof *series->point);
    struct point *point = &series->point[series->count++];
    *point = seen->point;
    point->time = timegm(&parts);
    return true;
}

// What stands in a file for sure where the item does: the item up to a quote, which is doubled.
static void make_needle(const char *item, char *needle, size_t size) {
    snprintf(needle, size, "%.*s", (int)strcspn(item, "\""), item);
}

static int add_run(const char *folder, const char *item, const char *cpu,
                   const struct source *source, struct history *history, struct error *error) {
    char needle[256];
    size_t points = 0;
    history->read = memory_more(history->read, history->read_count, sizeof *history->read);
    struct rows *rows = &history->read[history->read_count++]; // the points are of its texts
    *rows = (struct rows){.file = source->file};
    make_needle(item, needle, sizeof needle);
    int failed =
        run_expect(folder, error) != 0 ||
        read_lines(PATH("%s/%s", folder, rows_file_name(source->file)), needle, rows, error) != 0;
    for (size_t i = 0; i < rows->count && failed == 0; i++) {
        struct sighting seen;
        if (source->see(rows_at(rows, i), item, &seen) &&
            (cpu == NULL || strcasestr(seen.machine.cpu_name, cpu) != NULL))
            points += add_point(find_series(history, &seen), &seen);
    }
    history->runs += points > 0;
    return failed;
}

// A run that was measured and of which no table was made yet: its items are not known.
static void count_unsolved(const struct runs *runs, struct history *history) {
    for (size_t i = 0; i < runs->count; i++) {
        if (access(PATH("%s/costs.csv", runs->path[i]), F_OK) != 0 && history->unsolved++ == 0)
            history->first_unsolved = text_make("%s", runs->path[i]);
    }
}

static int not_found(const struct history *history, const char *store, const char *item,
                     const char *cpu, struct error *error) {
    char unsolved[4300] = "";
    if (history->unsolved > 0)
        snprintf(unsolved, sizeof unsolved,
                 ", but %zu of the runs have no costs.csv: ./asmsweep table %s makes it",
                 history->unsolved, history->first_unsolved);
    return error_set(error, ERROR_INPUT, store, 0,
                     "none of the %zu runs has an item or a variant '%s'%s%s; items stand in "
                     "costs.csv, variants in summary.csv%s",
                     history->searched, item, cpu ? " on a CPU called " : "", cpu ? cpu : "",
                     unsolved);
}

static int by_time(const void *a, const void *b) {
    const struct point *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

int history_collect(const char *store, const char *item, const char *cpu, struct history *history,
                    struct error *error) {
    struct runs runs;
    *history = (struct history){0};
    if (item[0] == '\0')
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "history needs an item of costs.csv or a variant's name");
    int failed = runs_in_store(store, &runs, error);
    history->searched = runs.count;
    count_unsolved(&runs, history);
    for (size_t at = 0; at < SOURCES && failed == 0 && history->count == 0; at++) {
        history->file = rows_file_name(sources[at].file);
        for (size_t i = 0; i < runs.count && failed == 0; i++)
            failed = add_run(runs.path[i], item, cpu, &sources[at], history, error);
    }
    runs_free(&runs);
    for (size_t i = 0; i < history->count; i++)
        qsort(history->series[i].point, history->series[i].count, sizeof(struct point), by_time);
    if (failed == 0 && history->count == 0)
        failed = not_found(history, store, item, cpu, error);
    return failed;
}

void history_free(struct history *history) {
    for (size_t i = 0; i < history->count; i++)
        free(history->series[i].point);
    for (size_t i = 0; i < history->read_count; i++)
        rows_free(&history->read[i]);
    free(history->read);
    free(history->series);
    free(history->first_unsolved);
    *history = (struct history){0};
}
