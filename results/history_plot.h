// SPDX-License-Identifier: GPL-3.0-or-later
// results: histories drawn by gnuplot, which gets its script on its standard input.
#pragma once

#include "results/history.h"

#include <stdio.h>

// Draw one series as text, 72 columns wide, to `out`.
int history_plot_text(const struct series *series, FILE *out, struct error *error);

// Draw all series with their intervals into an SVG file. Both: 0, or -1 with *error,
// ERROR_MISSING if there is no gnuplot.
int history_plot_svg(const struct history *history, const char *item, const char *path,
                     struct error *error);
