// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/history.h"

#include "common/replace.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// A text between gnuplot's single quotes: only the quote itself is special there.
static void quote(FILE *script, const char *text) {
    fputc('\'', script);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputc('\'', script);
        if (*text != '\n')
            fputc(*text, script);
    }
    fputc('\'', script);
}

static void put_data(FILE *script, size_t number, const struct series *series) {
    fprintf(script, "$data%zu << END\n", number);
    for (size_t i = 0; i < series->count; i++) {
        const struct point *point = &series->point[i];
        if (isnan(point->cycles))
            fputc('\n', script); // an empty line breaks the curve
        else
            fprintf(script, "%lld %.9g %.9g %.9g\n", (long long)point->time, point->cycles,
                    point->low, point->high);
    }
    fputs("END\n", script);
}

static void put_axes(FILE *script, const char *time_format) {
    fprintf(script,
            "set encoding utf8\nset xdata time\nset timefmt '%%s'\nset format x '%s'\n"
            "set ylabel 'cycles' noenhanced\n",
            time_format);
}

// A range of 2 % around the values at least: noise must not fill the picture.
static void put_range(FILE *script, const struct series *series, size_t count) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < series[i].count; k++) {
            low = fmin(low, series[i].point[k].low);
            high = fmax(high, series[i].point[k].high);
        }
    if (!(low <= high))
        return;
    double room = fmax(0.1 * (high - low), 0.01 * fabs(high));
    fprintf(script, "set yrange [%.9g:%.9g]\n", low - room, high + room);
}

// Three dates below a text plot, which has no room for more, and some room on both sides.
static void put_days(FILE *script, const struct series *series) {
    long long first = (long long)series->point[0].time;
    long long last = (long long)series->point[series->count - 1].time, span = last - first;
    if (span < 86400)
        span = 86400;
    fprintf(script, "set xrange ['%lld':'%lld']\nset xtics '%lld', %lld\n", first - span / 8,
            first + span + span / 8, first, span / 2);
}

static bool has_values(const struct series *series) {
    for (size_t i = 0; i < series->count; i++)
        if (!isnan(series->point[i].cycles))
            return true;
    return false;
}

// Run gnuplot on the script, which is closed; its output goes to `out`.
static int draw(FILE *script, FILE *out, struct error *error) {
    char *argv[] = {"gnuplot", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    fflush(out);
    fflush(script);
    rewind(script);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    int problem = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    fclose(script);
    if (problem != 0) {
        errno = problem;
        return error_errno(error, ERROR_MISSING, "gnuplot",
                           "cannot be run (package gnuplot-nox; ./asmsweep setup)");
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(error, ERROR_MISSING, "gnuplot", 0, "failed; what it said stands above");
    return 0;
}

static FILE *new_script(struct error *error) {
    FILE *script = tmpfile();
    if (script == NULL)
        error_errno(error, ERROR_INPUT, "temporary file", "cannot be made; free some room");
    return script;
}

int history_plot_text(const struct series *series, FILE *out, struct error *error) {
    if (!has_values(series))
        return 0;
    FILE *script = new_script(error);
    if (script == NULL)
        return -1;
    put_data(script, 0, series);
    fputs("set terminal dumb 72 18\n", script);
    put_axes(script, "%Y-%m-%d");
    put_range(script, series, 1);
    put_days(script, series);
    fputs("unset key\nplot $data0 using 1:2 with points pt 'o'\n", script);
    return draw(script, out, error);
}

static int write_svg(const struct history *history, const char *item, FILE *stream,
                     struct error *error) {
    const char *separator = "plot ";
    FILE *script = new_script(error);
    if (script == NULL)
        return -1;
    for (size_t i = 0; i < history->count; i++)
        put_data(script, i, &history->series[i]);
    fprintf(script, "set terminal svg size 960,%zu dynamic background rgb 'white'\n",
            440 + 18 * history->count);
    put_axes(script, "%Y-%m-%d");
    put_range(script, history->series, history->count);
    fputs("set key outside below left maxcols 1 noenhanced\nset grid\nset title ", script);
    quote(script, item);
    fputs(" noenhanced\n", script);
    for (size_t i = 0; i < history->count; i++) {
        char title[1024];
        if (!has_values(&history->series[i]))
            continue;
        snprintf(title, sizeof title, "%s (%s)", history->series[i].cpu, history->series[i].way);
        fprintf(script, "%s$data%zu using 1:2:3:4 with yerrorlines pt 7 ps 0.3 title ", separator,
                i);
        quote(script, title);
        separator = ", ";
    }
    fputc('\n', script);
    return draw(script, stream, error);
}

int history_plot_svg(const struct history *history, const char *item, const char *path,
                     struct error *error) {
    struct replacement file;
    bool any = false;
    for (size_t i = 0; i < history->count; i++)
        any |= has_values(&history->series[i]);
    if (!any)
        return error_set(error, ERROR_MISSING, path, 0, "not written: %s never had a value", item);
    if (replace_begin(path, &file, error) != 0)
        return -1;
    return replace_end(&file, write_svg(history, item, file.stream, error), error);
}
