// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/history.h"

#include "common/disk.h"
#include "common/memory.h"
#include "common/table.h"
#include "common/units.h"
#include "results/runs.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Where an item may stand, in the order of the search.
static const struct source {
    const char *file, *value;
    const char *item[2]; // columns that may hold it
    const char *way[7];  // columns that tell one series from another
} sources[] = {
    {"costs.csv",
     "cycles",
     {"item", "general"},
     {"engine", "ring", "family", "order", "context", "method", NULL}},
    {"summary.csv", "value", {"variant", NULL}, {"sweep", "engine", "ring", "source", NULL}},
};
#define SOURCES (sizeof sources / sizeof sources[0])

// The text for table_parse of those lines of a CSV text that hold `needle`, after the header; the
// whole text if a cell of such a line goes over several lines. Owned by the caller, *length long.
static char *lines_with(const char *text, size_t size, const char *needle, size_t *length) {
    char *kept = memory_zero(size + 1, 1);
    const char *end = text + size, *header = memchr(text, '\n', size);
    size_t used = header == NULL ? size : (size_t)(header + 1 - text);
    memcpy(kept, text, used);
    for (const char *at = text + used; at < end;) {
        const char *hit = memmem(at, (size_t)(end - at), needle, strlen(needle));
        if (hit == NULL)
            break;
        const char *from = memrchr(text, '\n', (size_t)(hit - text));
        const char *to = memchr(hit, '\n', (size_t)(end - hit));
        from = from == NULL ? text : from + 1;
        to = to == NULL ? end : to + 1;
        size_t quotes = 0;
        for (const char *c = from; c < to; c++)
            quotes += *c == '"';
        if (quotes % 2 != 0) {
            memcpy(kept, text, size);
            used = size;
            break;
        }
        memcpy(kept + used, from, (size_t)(to - from));
        used += (size_t)(to - from);
        at = to;
    }
    *length = used;
    return kept;
}

// Parse those lines of a file that hold the needle. A missing file is an empty table.
static int read_lines(const char *path, const char *needle, struct table *table,
                      struct error *error) {
    struct stat status;
    *table = (struct table){0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    int failed = fstat(file, &status);
    size_t size = failed ? 0 : (size_t)status.st_size, length = 0;
    char *text = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    close(file);
    if (failed || text == MAP_FAILED)
        return error_errno(error, ERROR_INPUT, path, "cannot be read");
    if (text == NULL || memmem(text, size, needle, strlen(needle)) == NULL) {
        if (text != NULL)
            munmap(text, size);
        return 0;
    }
    char *kept = lines_with(text, size, needle, &length);
    munmap(text, size);
    failed = table_parse(path, kept, length, NULL, table, error);
    free(kept);
    return failed;
}

static bool is_item(const struct table *table, size_t row, const struct source *source,
                    const char *item) {
    bool found = false;
    for (size_t i = 0; i < 2 && source->item[i] != NULL; i++)
        found |= strcmp(table_cell(table, row, source->item[i]), item) == 0;
    return found && strcmp(table_cell(table, row, "engine"), "hyperfine") != 0 &&
           strcmp(table_cell(table, row, "accel"), "tcg") != 0 &&
           (table_column(table, "quantity") < 0 ||
            strcmp(table_cell(table, row, "quantity"), "cycles") == 0);
}

static void name_series(const struct table *table, size_t row, const struct source *source,
                        struct series *series) {
    const char *core = table_cell(table, row, "core_type");
    snprintf(series->cpu, sizeof series->cpu, "%s%s%s", table_cell(table, row, "cpu_name"),
             core[0] ? ", " : "", core);
    size_t used = 0;
    series->way[0] = '\0';
    for (size_t i = 0; source->way[i] != NULL && used < sizeof series->way; i++) {
        const char *cell = table_cell(table, row, source->way[i]);
        if (cell[0] != '\0')
            used += (size_t)snprintf(series->way + used, sizeof series->way - used, "%s%s%s",
                                     used > 0 ? ", " : "",
                                     strcmp(source->way[i], "ring") == 0 ? "CPL" : "", cell);
    }
}

static struct series *find_series(struct history *history, const struct series *name) {
    for (size_t i = 0; i < history->count; i++)
        if (strcmp(history->series[i].cpu, name->cpu) == 0 &&
            strcmp(history->series[i].way, name->way) == 0)
            return &history->series[i];
    history->series = memory_more(history->series, history->count, sizeof *name);
    history->series[history->count] = *name;
    return &history->series[history->count++];
}

static double number(const struct table *table, size_t row, const char *column) {
    double value;
    return units_scan_number(table_cell(table, row, column), &value) == 0 ? value : NAN;
}

static void add_point(struct series *series, const struct table *table, size_t row,
                      const struct source *source) {
    series->point = memory_more(series->point, series->count, sizeof *series->point);
    struct point *point = &series->point[series->count];
    struct tm parts = {0};
    *point = (struct point){.cycles = number(table, row, source->value),
                            .low = number(table, row, "ci_low"),
                            .high = number(table, row, "ci_high")};
#define COPY(name) snprintf(point->name, sizeof point->name, "%s", table_cell(table, row, #name))
    COPY(run_id);
    COPY(status);
    COPY(microcode);
    COPY(kernel);
#undef COPY
    if (strptime(point->run_id, "%Y%m%dT%H%M%SZ", &parts) == NULL)
        return; // a run named by hand has no place in time
    point->time = timegm(&parts);
    series->count++;
}

static int add_run(const char *folder, const char *item, const char *cpu,
                   const struct source *source, struct history *history, struct error *error) {
    // What stands in a file for sure where the item does: it up to a quote, which is doubled.
    char needle[256];
    struct table table = {0};
    snprintf(needle, sizeof needle, "%.*s", (int)strcspn(item, "\""), item);
    size_t points = 0;
    int failed = run_expect(folder, error) != 0 ||
                 read_lines(PATH("%s/%s", folder, source->file), needle, &table, error) != 0;
    for (size_t row = 0; row < table.rows; row++) {
        struct series name = {0}, *series;
        if (!is_item(&table, row, source, item) ||
            (cpu != NULL && strcasestr(table_cell(&table, row, "cpu_name"), cpu) == NULL))
            continue;
        name_series(&table, row, source, &name);
        series = find_series(history, &name);
        size_t before = series->count;
        add_point(series, &table, row, source);
        points += series->count - before;
    }
    history->runs += points > 0;
    table_free(&table);
    return failed;
}

// A run that was measured and of which no table was made yet: its items are not known.
static void count_unsolved(const struct runs *runs, struct history *history) {
    for (size_t i = 0; i < runs->count; i++) {
        if (access(PATH("%s/costs.csv", runs->path[i]), F_OK) == 0)
            continue;
        if (history->unsolved++ == 0)
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
        history->file = sources[at].file;
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
    free(history->series);
    free(history->first_unsolved);
    *history = (struct history){0};
}
