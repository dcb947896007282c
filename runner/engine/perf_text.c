// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/perf_text.h"

#include "common/printable.h"
#include "common/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FIELDS = 24, MAX_LINE = 1024 };

// An event's name taken apart: [pmu/]base[/modifiers] or base[:modifiers].
struct event_name {
    char pmu[32], base[96], modifiers[16];
};

static void copy_part(char *to, size_t size, const char *from, size_t length) {
    snprintf(to, size, "%.*s", (int)length, from);
}

// Cut ":uk" off the end of text[0..length); returns what is left of the length. A tracepoint
// has a colon too (sched:sched_switch); modifiers are these letters only.
static size_t cut_modifiers(const char *text, size_t length, struct event_name *name) {
    const char *colon = memrchr(text, ':', length);
    size_t letters = colon ? (size_t)(text + length - colon - 1) : 0;
    if (!letters || strspn(colon + 1, "ukhGHpPDSeWIb") < letters)
        return length;
    copy_part(name->modifiers, sizeof name->modifiers, colon + 1, letters);
    return (size_t)(colon - text);
}

static struct event_name take_apart(const char *text) {
    struct event_name name = {"", "", ""};
    const char *slash = strchr(text, '/'), *last = strrchr(text, '/'), *base = text;
    size_t length = strlen(text);
    if (slash && last > slash) {
        copy_part(name.pmu, sizeof name.pmu, text, (size_t)(slash - text));
        copy_part(name.modifiers, sizeof name.modifiers, last + 1, strlen(last + 1));
        base = slash + 1;
        length = (size_t)(last - base);
    }
    // On a hybrid CPU perf 6.1 writes cpu_core/cycles:u/, the modifier before the slash.
    if (!*name.modifiers)
        length = cut_modifiers(base, length, &name);
    copy_part(name.base, sizeof name.base, base, length);
    return name;
}

static int is_hybrid(const char *pmu) {
    return !strcmp(pmu, "cpu_core") || !strcmp(pmu, "cpu_atom") || !strcmp(pmu, "cpu_lowpower");
}

// Does a row named `found` answer the question `asked`? A hybrid CPU's PMU name may have
// been put in front.
static int answers(const struct event_name *asked, const struct event_name *found) {
    return !strcmp(asked->base, found->base) &&
           (!strcmp(asked->pmu, found->pmu) || (!*asked->pmu && is_hybrid(found->pmu)));
}

// Old versions name no unit for them.
static int is_clock(const struct event_name *name) {
    return !strcmp(name->base, "task-clock") || !strcmp(name->base, "cpu-clock");
}

static size_t split(char *line, char *fields[MAX_FIELDS]) {
    size_t count = 0;
    for (char *at = line; count < MAX_FIELDS;) {
        fields[count++] = at;
        at = strchr(at, ';');
        if (!at)
            break;
        *at++ = '\0';
    }
    return count;
}

__attribute__((format(printf, 3, 4))) static void set(struct perf_count *count, enum status status,
                                                      const char *format, ...) {
    char detail[sizeof count->detail];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    count->status = status;
    count->value = NAN;
    printable_copy(count->detail, sizeof count->detail, detail, strlen(detail));
}

static void set_comma(struct perf_count *count, const char *number) {
    set(count, STATUS_not_counted, "perf printed a comma in the number '%.40s': not the C locale",
        number);
}

// perf writes no signs and no exponents. Where something is counted, and not a clock read or a
// unit scaled, a point is between thousands.
static void read_value(const char *text, int whole, struct perf_count *count) {
    double value;
    while (*text == ' ')
        text++;
    count->no_count = !strcmp(text, "<not supported>") || !strcmp(text, "<not counted>");
    if (count->no_count)
        set(count, text[5] == 's' ? STATUS_not_supported : STATUS_not_counted, "perf: %s", text);
    else if (strchr(text, ','))
        set_comma(count, text);
    else if (text[strspn(text, "0123456789.")] || units_scan_number(text, &value))
        set(count, STATUS_not_counted, "perf printed '%.40s' where a number belongs", text);
    else if (whole && strchr(text, '.'))
        set(count, STATUS_not_counted, "perf printed '%.40s' where a whole number belongs", text);
    else if (value >= 9.2e18)
        set(count, STATUS_implausible, "perf printed %.40s: the counter ran over or below 0", text);
    else
        *count = (struct perf_count){STATUS_ok, value, count->running, "", "", false};
}

static void judge_running(double percent, struct perf_count *result) {
    if (percent < 0 || percent > 100.005)
        set(result, STATUS_not_counted, "perf says %.2f %% of the time: that cannot be", percent);
    else if (percent < 99.995)
        set(result, percent > 0 ? STATUS_multiplexed : STATUS_not_counted,
            "the counter ran %.2f %% of the time: too many events at once", percent);
    else if (!(result->running > 0))
        set(result, STATUS_not_counted, "perf printed a running time of %g ns", result->running);
}

// Fields behind the event: [variance%] running-ns running-percent [metric...].
static void read_running(char **fields, size_t count, struct perf_count *result) {
    double percent = NAN;
    size_t at = count && strchr(fields[0], '%') ? 1 : 0;
    if (at + 1 >= count || units_scan_number(fields[at], &result->running) ||
        units_scan_number(fields[at + 1], &percent)) {
        if (result->status == STATUS_ok && at + 1 < count && strchr(fields[at + 1], ','))
            set_comma(result, fields[at + 1]);
        else if (result->status == STATUS_ok)
            set(result, STATUS_not_counted, "perf's row is cut off: no running time");
        return;
    }
    if (result->status == STATUS_ok)
        judge_running(percent, result);
}

static void take_row(char **fields, size_t count, size_t event, const struct event_name *asked,
                     const struct event_name *found, struct perf_count *result) {
    struct perf_count row = {.running = NAN};
    read_value(fields[event - 2], !*fields[event - 1] && !is_clock(found), &row);
    read_running(fields + event + 1, count - event - 1, &row);
    snprintf(row.pmu, sizeof row.pmu, "%s", is_hybrid(found->pmu) ? found->pmu : "");
    if (row.status == STATUS_ok && strcmp(asked->modifiers, found->modifiers))
        set(&row, STATUS_not_supported,
            "counts user mode only (see kernel.perf_event_paranoid); the question was all modes");
    if (result->status == STATUS_COUNT)
        *result = row;
    else if (!result->no_count && !row.no_count)
        set(result, STATUS_multiplexed, "two rows with a value for one event: not pinned?");
    else if (row.status > result->status)
        *result = row; // on a hybrid CPU one of two rows is <not counted>
}

// Which of the events asked for a row named `found` answers; `count` if none. The nearest
// name wins: cycles and cycles:u, or cycles and cpu_atom/cycles/, may both be asked for.
static size_t find_asked(const char *const *events, size_t count, const struct event_name *found) {
    size_t nearest = count;
    int best = -1;
    for (size_t i = 0; i < count; i++) {
        struct event_name asked = take_apart(events[i]);
        int same = 2 * !strcmp(asked.pmu, found->pmu) + !strcmp(asked.modifiers, found->modifiers);
        if (answers(&asked, found) && same > best) {
            nearest = i;
            best = same;
        }
    }
    return nearest;
}

static void take_line(char *line, const char *const *events, size_t count,
                      struct perf_count *counts) {
    char *fields[MAX_FIELDS];
    size_t field_count = split(line, fields);
    for (size_t at = 2; at < field_count && at <= 4; at++) {
        struct event_name found = take_apart(fields[at]);
        size_t i = find_asked(events, count, &found);
        if (i == count)
            continue;
        struct event_name asked = take_apart(events[i]);
        take_row(fields, field_count, at, &asked, &found, &counts[i]);
        return;
    }
}

void perf_text_parse(const char *text, size_t length, const char *const *events, size_t count,
                     struct perf_count *counts) {
    for (size_t i = 0; i < count; i++)
        counts[i] = (struct perf_count){.status = STATUS_COUNT, .value = NAN, .running = NAN};
    const char *end = text + length;
    for (const char *at = text; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t line_length = newline ? (size_t)(newline - at) : (size_t)(end - at);
        char line[MAX_LINE];
        // A line with a NUL, one too long or one without an end is no row of perf's.
        if (newline && line_length < sizeof line && !memchr(at, '\0', line_length)) {
            memcpy(line, at, line_length);
            line[line_length] = '\0';
            line[strcspn(line, "\r")] = '\0';
            if (line[0] != '#' && line[0])
                take_line(line, events, count, counts);
        }
        at += line_length + 1;
    }
    for (size_t i = 0; i < count; i++)
        if (counts[i].status == STATUS_COUNT)
            set(&counts[i], STATUS_not_counted, "perf printed no row for it");
}
