// SPDX-License-Identifier: GPL-3.0-or-later
// results: one cost over time, collected from all ended runs of a store, and drawn.
//
// The CSV files are the only truth and there is no index beside them: each file is searched for
// the item's text and only the lines that hold it are taken apart.
#pragma once

#include "common/rows.h"

#include <stddef.h>
#include <stdio.h>
#include <time.h>

struct point {
    time_t time;              // when the run began, UTC
    double cycles, low, high; // per item or iteration, 95 %; NaN: no value, see status
    const char *run_id;
    enum status status;
    const char *microcode, *kernel;
};

// What one line of a plot shows: one item on one kind of CPU, measured in one way.
struct series {
    char cpu[128];       // name, and core type on a hybrid CPU
    char way[768];       // sweep, engine, ring, family, order, context, method: what there is of it
    struct point *point; // count of them, oldest first
    size_t count;
};

struct history {
    struct series *series; // count of them
    size_t count;
    size_t searched;      // runs
    size_t runs;          // of them those that have it, so that a point stands for each
    size_t unsolved;      // of those searched: without a costs.csv, where no item can be found
    char *first_unsolved; // path, owned; NULL: none
    struct rows *read;    // read_count of them; what the points' texts belong to
    size_t read_count;
    const char *file; // where the item was found: costs.csv or summary.csv; static
};

// Search costs.csv for an item, exact or general; if no run has it, summary.csv for a variant.
// `cpu` keeps CPUs in whose name it stands, letter case ignored; NULL: all. 0, or -1 with *error:
// the store or a file cannot be read, or nothing was found. Free in both cases.
int history_collect(const char *store, const char *item, const char *cpu, struct history *history,
                    struct error *error);
void history_free(struct history *history);

// By gnuplot, which gets its script on its standard input: draw one series as text, 72 columns
// wide, to `out`.
int history_plot_text(const struct series *series, FILE *out, struct error *error);

// Draw all series with their intervals into an SVG file. Both: 0, or -1 with *error,
// ERROR_MISSING if there is no gnuplot.
int history_plot_svg(const struct history *history, const char *item, const char *path,
                     struct error *error);
