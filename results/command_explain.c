// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about one variant of a run, from the run's directory alone.
#include "common/table.h"
#include "results/commands.h"
#include "results/runs.h"
#include "results/solve.h"
#include "results/sweep_json.h"
#include "results/whole.h"

#include <stdbool.h>
#include <string.h>

// Columns of a row, one a line, empty ones left out.
static void print_cells(const struct table *table, size_t row, const char *const *columns,
                        FILE *out) {
    for (; *columns != NULL; columns++) {
        const char *cell = table_cell(table, row, *columns);
        if (cell[0] != '\0')
            fprintf(out, "  %-18s %s\n", *columns, cell);
    }
}

static bool is_row(const struct table *table, size_t row, const char *variant) {
    return strcmp(table_cell(table, row, "variant"), variant) == 0;
}

static bool has_rows(const struct table *table, const char *variant) {
    for (size_t row = 0; row < table->rows; row++)
        if (is_row(table, row, variant))
            return true;
    return false;
}

// A file of the run; one that may be missing leaves an empty table.
static int read_file(const char *directory, const char *name, bool needed, struct table *table,
                     struct error *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *there = fopen(path, "r");
    *table = (struct table){0};
    if (there == NULL && !needed)
        return 0;
    if (there != NULL)
        fclose(there);
    return table_read(path, NULL, table, error);
}

// Print the variant's rows of one file under a title.
static void print_rows(const struct table *table, const char *variant, const char *title,
                       const char *const *columns, FILE *out) {
    size_t found = 0;
    for (size_t row = 0; row < table->rows; row++) {
        if (!is_row(table, row, variant))
            continue;
        if (found++ == 0)
            fprintf(out, "\n%s\n", title);
        else
            fputc('\n', out);
        print_cells(table, row, columns, out);
    }
}

static void print_listing(const struct table *plan, const char *variant, FILE *out) {
    for (size_t row = 0; row < plan->rows; row++) {
        const char *text = table_cell(plan, row, "sequence");
        if (!is_row(plan, row, variant) || text[0] == '\0')
            continue;
        fprintf(out, "\nThe loop\n");
        while (*text != '\0') {
            size_t length = strcspn(text, ";");
            fprintf(out, "  %.*s\n", (int)length, text);
            text += length + strspn(text + length, "; ");
        }
        fprintf(out, "  (source: %s)\n", table_cell(plan, row, "source"));
    }
}

static void print_executions(const struct table *table, const char *variant, FILE *out) {
    size_t found = 0;
    for (size_t row = 0; row < table->rows; row++) {
        if (!is_row(table, row, variant))
            continue;
        if (found++ == 0)
            fprintf(out, "\nExecutions\n  %5s %4s %-7s %-12s %12s  %-26s %s\n", "block", "slot",
                    "engine", "quantity", "value", "95 %", "status");
        char interval[64] = "";
        if (table_cell(table, row, "ci_low")[0] != '\0')
            snprintf(interval, sizeof interval, "[%.14s, %.14s]", table_cell(table, row, "ci_low"),
                     table_cell(table, row, "ci_high"));
        const char *detail = table_cell(table, row, "detail");
        fprintf(out, "  %5s %4s %-7s %-12s %12s  %-26s %s%s%s\n", table_cell(table, row, "block"),
                table_cell(table, row, "slot"), table_cell(table, row, "engine"),
                table_cell(table, row, "quantity"), table_cell(table, row, "value"), interval,
                table_cell(table, row, "status"), detail[0] ? ": " : "", detail);
    }
}

// Costs that name the variant among those they rest on.
static void print_costs(const struct table *table, const char *variant, FILE *out) {
    static const char *const columns[] = {
        "item",    "context", "engine",   "ring",      "cycles",           "ci_low",
        "ci_high", "method",  "additive", "published", "published_source", "agrees",
        "status",  "detail",  NULL};
    size_t length = strlen(variant), found = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const char *names = table_cell(table, row, "variants");
        bool named = false;
        while (*names != '\0' && !named) {
            size_t size = strcspn(names, " ");
            named = size == length && memcmp(names, variant, size) == 0;
            names += size + strspn(names + size, " ");
        }
        if (!named)
            continue;
        fprintf(out, "%s", found++ == 0 ? "\nCosts that rest on it\n" : "\n");
        print_cells(table, row, columns, out);
    }
}

// Why the loop has no direct cost, beside those that rest on it. Where its iteration is a row, that
// row has said it.
static void print_no_cost(const struct loops *loops, const struct table *costs, const char *variant,
                          FILE *out) {
    char why[COST_DETAIL];
    for (size_t row = 0; row < costs->rows; row++)
        if (strcmp(table_cell(costs, row, "method"), "iteration") == 0 &&
            strcmp(table_cell(costs, row, "variants"), variant) == 0)
            return;
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *loop = &loops->loop[i];
        if (strcmp(loop->variant, variant) != 0 || loop->homogeneous || loop->mix.terms == 0)
            continue;
        loop_why_no_cost(loop, why, sizeof why);
        fprintf(out, "\n  %s\n", why);
        return;
    }
}

// What `./asmsweep run` takes to find the sweep: its name, or the user's own file, quoted for a
// shell. A bundle that names nobody has no path there.
static void print_run(const char *toml, const char *sweep, const char *variant, FILE *out) {
    fputs("  ./asmsweep run ", out);
    if (toml[0] != '/') {
        fputs(sweep, out);
    } else {
        fputc('\'', out);
        for (; *toml != '\0'; toml++)
            *toml == '\'' ? fputs("'\\''", out) : fputc(*toml, out);
        fputc('\'', out);
    }
    fprintf(out, " --only %s", variant);
}

static void print_commands(const struct table *summary, const char *toml, const char *variant,
                           FILE *out) {
    const char *sweep = table_cell(summary, 0, "sweep");
    fputs("\nTo do it again\n", out);
    print_run(toml, sweep, variant, out);
    fprintf(out,
            "\n"
            "  perf stat build/%s/bin/%s\n"
            "  build/%s/bin/%s --stopwatch 200\n"
            "  objdump -d -j .loop build/%s/bin/%s\n",
            sweep, variant, sweep, variant, sweep, variant);
    print_run(toml, sweep, variant, out);
    fputs(" --engine guest --accel kvm   (CPL0; needs /dev/kvm)\n", out);
}

enum { SUMMARY, MEASUREMENTS, PLAN, PROOF, COSTS, FILES };

static const char *const names[FILES] = {"summary.csv", "measurements.csv", "variants.csv",
                                         "proof.csv", "costs.csv"};

static int explain(const struct table *table, const struct loops *loops, const char *toml,
                   const char *variant, FILE *out, struct error *error) {
    static const char *const claims[] = {
        "family",           "parameters", "mix",   "order",   "group",
        "groups",           "context",    "needs", "twin_of", "source",
        "retired_expected", NULL};
    static const char *const proof[] = {"status",
                                        "mix_found",
                                        "order_found",
                                        "loop_address",
                                        "loop_bytes",
                                        "jcc_erratum",
                                        "retired_expected",
                                        "retired_cpl0",
                                        "retired_cpl3",
                                        "elf_sha256",
                                        "loop_sha256",
                                        "detail",
                                        NULL};
    static const char *const result[] = {
        "engine",     "accel",     "ring",    "privilege", "quantity", "source",
        "value",      "ci_low",    "ci_high", "spread",    "samples",  "executions",
        "between_sd", "within_sd", "status",  "detail",    NULL};
    if (!has_rows(&table[PLAN], variant) && !has_rows(&table[PROOF], variant) &&
        !has_rows(&table[SUMMARY], variant))
        return error_set(error, ERROR_INPUT, table[SUMMARY].path, 0,
                         "has no variant %s; the third column of variants.csv lists them", variant);
    fprintf(out, "%s\n", variant);
    print_rows(&table[PLAN], variant, "What it claims", claims, out);
    print_rows(&table[PROOF], variant, "What was proved", proof, out);
    print_listing(&table[PLAN], variant, out);
    print_rows(&table[SUMMARY], variant, "What was measured", result, out);
    print_executions(&table[MEASUREMENTS], variant, out);
    if (table[COSTS].header == NULL) {
        fputs("\nCosts that rest on it\n  not solved yet: ./asmsweep table DIR does it\n", out);
    } else {
        print_costs(&table[COSTS], variant, out);
        print_no_cost(loops, &table[COSTS], variant, out);
    }
    print_commands(&table[SUMMARY], toml, variant, out);
    return 0;
}

int command_explain(const char *directory, const char *variant, FILE *out, struct error *error) {
    struct table table[FILES] = {0};
    struct loops loops = {0};
    char remedy[4200], toml[4096];
    int failed = run_expect(directory, error);
    for (size_t i = 0; i < FILES && failed == 0; i++)
        failed = read_file(directory, names[i], i == SUMMARY, &table[i], error) != 0 ||
                 whole_cells(&table[i], names[i], error) != 0;
    if (failed == 0 && table[SUMMARY].rows == 0) {
        run_remedy(directory, remedy, sizeof remedy);
        failed =
            error_set(error, ERROR_INPUT, table[SUMMARY].path, 0, "has no row yet; %s", remedy);
    }
    if (failed == 0) // what table and compare refuse of the summary's values is not shown, either
        failed = loops_read(directory, &loops, error);
    sweep_json_toml(directory, toml, sizeof toml);
    if (toml[0] == '\0' && failed == 0 && table[PLAN].rows > 0) // where it was before
        snprintf(toml, sizeof toml, "%s", table_cell(&table[PLAN], 0, "toml"));
    if (failed == 0)
        failed = explain(table, &loops, toml, variant, out, error);
    loops_free(&loops);
    for (size_t i = 0; i < FILES; i++)
        table_free(&table[i]);
    return failed != 0 ? -1 : 0;
}
