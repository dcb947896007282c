// SPDX-License-Identifier: GPL-3.0-or-later
// One cost over time: a paragraph a series, with a plot and its newest values.
#include "common/options.h"
#include "results/commands.h"
#include "results/history.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    NEWEST = 10, // rows shown of a series
    PLOTTED = 4, // more series than this are listed without plots and rows
};

static const char *day(const struct point *point, char *text, size_t size) {
    struct tm parts;
    strftime(text, size, "%Y-%m-%d", gmtime_r(&point->time, &parts));
    return text;
}

static void print_value(const struct point *point) {
    if (isnan(point->cycles))
        printf("%s", status_name(point->status));
    else
        printf("%.3f [%.3f, %.3f]", point->cycles, point->low, point->high);
}

static void print_series(const struct series *series) {
    char first[16], last[16];
    const struct point *newest = &series->point[series->count - 1];
    double lowest = NAN, highest = NAN;
    size_t values = 0;
    for (size_t i = 0; i < series->count; i++) {
        lowest = fmin(lowest, series->point[i].cycles); // fmin and fmax leave NaN out
        highest = fmax(highest, series->point[i].cycles);
        values += !isnan(series->point[i].cycles);
    }
    printf("\n%s (%s)\n  %zu run%s, %s to %s, %zu with a value", series->cpu, series->way,
           series->count, series->count == 1 ? "" : "s",
           day(&series->point[0], first, sizeof first), day(newest, last, sizeof last), values);
    if (values > 0)
        printf(" from %.3f to %.3f", lowest, highest);
    printf("; newest ");
    print_value(newest);
    putchar('\n');
}

// The newest values, and where microcode or kernel changed before them.
static void print_rows(const struct series *series) {
    for (size_t i = 0; i < series->count; i++) {
        const struct point *point = &series->point[i], *before = i > 0 ? point - 1 : point;
        char time[20];
        struct tm parts;
        bool other = strcmp(point->microcode, before->microcode) != 0 ||
                     strcmp(point->kernel, before->kernel) != 0;
        if (i + NEWEST < series->count && !other)
            continue;
        strftime(time, sizeof time, "%Y-%m-%d %H:%M", gmtime_r(&point->time, &parts));
        printf("  %s  ", time);
        print_value(point);
        if (other)
            printf("  now microcode %s, kernel %s", point->microcode, point->kernel);
        putchar('\n');
    }
}

static void print_heading(const struct history *history, const char *item) {
    printf("%s: cycles over time, from %s of %zu run%s\n", item, history->file, history->runs,
           history->runs == 1 ? "" : "s");
    if (history->unsolved == 0 || strcmp(history->file, "costs.csv") != 0)
        return;
    printf("%zu of the %zu runs searched have no costs.csv: ./asmsweep table %s makes it\n",
           history->unsolved, history->searched, history->first_unsolved);
}

static int show(const struct history *history, const char *item, struct error *error) {
    print_heading(history, item);
    for (size_t i = 0; i < history->count; i++) {
        if (history->series[i].count == 0)
            continue;
        print_series(&history->series[i]);
        if (history->count > PLOTTED)
            continue;
        if (history_plot_text(&history->series[i], stdout, error) != 0)
            return -1;
        print_rows(&history->series[i]);
    }
    if (history->count > PLOTTED)
        printf("\n%zu series: plots of up to %d; --cpu NAME shows one CPU, --svg FILE all\n",
               history->count, PLOTTED);
    return 0;
}

int command_history(int argc, char **argv, struct error *error) {
    struct history history = {0};
    const char *item, *store = "results/data", *cpu = NULL, *svg = NULL;
    const struct option_row rows[] = {
        {"store", 0, OPTION_TEXT, &store, "DIR", 0, 0,
         "where the runs are: DIR/SWEEP/CPU/RUN (default results/data)"},
        {"cpu", 0, OPTION_TEXT, &cpu, "NAME", 0, 0, "only CPUs with that in their name"},
        {"svg", 0, OPTION_TEXT, &svg, "FILE", 0, 0, "draw it there as well"},
    };
    const struct option_list list = {"asmsweep",
                                     "history ITEM [--store DIR] [--cpu NAME] [--svg FILE]",
                                     "one cost over time", rows, sizeof rows / sizeof *rows};
    int failed = options_parse(&list, argc, argv, &item, 1, 1, error) ||
                 history_collect(store, item, cpu, &history, error) ||
                 show(&history, item, error) ||
                 (svg != NULL && history_plot_svg(&history, item, svg, error) != 0);
    history_free(&history);
    return failed ? -1 : 0;
}
