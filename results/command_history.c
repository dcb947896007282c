// SPDX-License-Identifier: GPL-3.0-or-later
// One cost over time: a paragraph a series, with a plot and its newest values.
#include "results/commands.h"
#include "results/history_plot.h"

#include <math.h>
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

static void print_value(const struct point *point, FILE *out) {
    if (isnan(point->cycles))
        fprintf(out, "%s", point->status);
    else
        fprintf(out, "%.3f [%.3f, %.3f]", point->cycles, point->low, point->high);
}

static void print_series(const struct series *series, FILE *out) {
    char first[16], last[16];
    const struct point *newest = &series->point[series->count - 1];
    double lowest = NAN, highest = NAN;
    size_t values = 0;
    for (size_t i = 0; i < series->count; i++) {
        lowest = fmin(lowest, series->point[i].cycles); // fmin and fmax leave NaN out
        highest = fmax(highest, series->point[i].cycles);
        values += !isnan(series->point[i].cycles);
    }
    fprintf(out, "\n%s (%s)\n  %zu run%s, %s to %s, %zu with a value", series->cpu, series->way,
            series->count, series->count == 1 ? "" : "s",
            day(&series->point[0], first, sizeof first), day(newest, last, sizeof last), values);
    if (values > 0)
        fprintf(out, " from %.3f to %.3f", lowest, highest);
    fprintf(out, "; newest ");
    print_value(newest, out);
    fputc('\n', out);
}

// The newest values, and where microcode or kernel changed before them.
static void print_rows(const struct series *series, FILE *out) {
    for (size_t i = 0; i < series->count; i++) {
        const struct point *point = &series->point[i], *before = i > 0 ? point - 1 : point;
        char time[20];
        struct tm parts;
        bool other = strcmp(point->microcode, before->microcode) != 0 ||
                     strcmp(point->kernel, before->kernel) != 0;
        if (i + NEWEST < series->count && !other)
            continue;
        strftime(time, sizeof time, "%Y-%m-%d %H:%M", gmtime_r(&point->time, &parts));
        fprintf(out, "  %s  ", time);
        print_value(point, out);
        if (other)
            fprintf(out, "  now microcode %s, kernel %s", point->microcode, point->kernel);
        fputc('\n', out);
    }
}

static void print_heading(const struct history *history, const char *item, FILE *out) {
    fprintf(out, "%s: cycles over time, from %s of %zu run%s\n", item, history->file, history->runs,
            history->runs == 1 ? "" : "s");
    if (history->unsolved == 0 || strcmp(history->file, "costs.csv") != 0)
        return;
    fprintf(out, "%zu of the %zu runs searched have no costs.csv: ./asmsweep table %s makes it\n",
            history->unsolved, history->searched, history->first_unsolved);
}

int command_history(const char *item, const struct history_options *options, FILE *out,
                    struct error *error) {
    struct history history;
    int failed = history_collect(options->store, item, options->cpu, &history, error);
    if (failed == 0)
        print_heading(&history, item, out);
    for (size_t i = 0; i < history.count && failed == 0; i++) {
        if (history.series[i].count == 0)
            continue;
        print_series(&history.series[i], out);
        if (history.count > PLOTTED)
            continue;
        failed = history_plot_text(&history.series[i], out, error);
        print_rows(&history.series[i], out);
    }
    if (failed == 0 && history.count > PLOTTED)
        fprintf(out, "\n%zu series: plots of up to %d; --cpu NAME shows one CPU, --svg FILE all\n",
                history.count, PLOTTED);
    if (failed == 0 && options->svg != NULL)
        failed = history_plot_svg(&history, item, options->svg, error);
    history_free(&history);
    return failed;
}
