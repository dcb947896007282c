// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about one variant of a run, from the run's directory alone.
#include "common/options.h"
#include "results/commands.h"
#include "results/runs.h"
#include "results/solve.h"
#include "results/whole.h"

#include <stdlib.h>
#include <string.h>

enum { SUMMARY, MEASUREMENTS, PLAN, PROOF, COSTS, FILES };

static const enum csv_file files[FILES] = {FILE_summary, FILE_measurements, FILE_variants,
                                           FILE_proof, FILE_costs};

struct explained {
    const char *directory, *variant;
    struct rows rows[FILES];   // empty where the file is not there
    struct table table[FILES]; // of the rows: what is shown is the text as it stands there
    struct loops loops;
};

// Columns of a row, named with a space between, one a line; empty ones left out.
static void print_cells(const struct table *table, size_t row, const char *columns) {
    for (size_t length; *columns != '\0'; columns += length + strspn(columns + length, " ")) {
        length = strcspn(columns, " ");
        const struct path column = path_make("%.*s", (int)length, columns);
        const char *cell = table_cell(table, row, column.text);
        if (cell[0] != '\0')
            printf("  %-18s %s\n", column.text, cell);
    }
}

// The variant's first row from `row` on; the table's end without one.
static size_t find_row(const struct table *table, size_t row, const char *variant) {
    while (row < table->rows && strcmp(table_cell(table, row, "variant"), variant) != 0)
        row++;
    return row;
}

// The variant's rows of a file under a title.
static void print_rows(const struct explained *of, int file, const char *title,
                       const char *columns) {
    const struct table *table = &of->table[file];
    const char *before = title;
    for (size_t row = 0; (row = find_row(table, row, of->variant)) < table->rows; row++) {
        printf("\n%s%s", before, *before ? "\n" : "");
        print_cells(table, row, columns);
        before = "";
    }
}

static void print_listing(const struct explained *of) {
    const struct table *plan = &of->table[PLAN];
    size_t row = find_row(plan, 0, of->variant);
    const char *text = row < plan->rows ? table_cell(plan, row, "sequence") : "";
    if (text[0] == '\0')
        return;
    printf("\nThe loop\n");
    while (*text != '\0') {
        size_t length = strcspn(text, ";");
        printf("  %.*s\n", (int)length, text);
        text += length + strspn(text + length, "; ");
    }
    printf("  (source: %s)\n", table_cell(plan, row, "source"));
}

// The code of the first load, where it was made at each load; what stands behind `Further` is for
// whoever opens the file.
static int print_code(const struct explained *of, struct error *error) {
    const struct table *proof = &of->table[PROOF];
    size_t row = find_row(proof, 0, of->variant), bytes;
    const char *sum = row < proof->rows ? table_cell(proof, row, "listing_sha256") : "";
    if (*sum == '\0')
        return 0;
    char *text = listing_read(of->directory, of->variant, sum, &bytes, error);
    if (text == NULL)
        return -1;
    char *further = strstr(text, "\nFurther: ");
    printf("\n%.*s  (the whole of it: code/%s.txt)\n",
           further != NULL ? (int)(further - text) : (int)bytes, text, of->variant);
    free(text);
    return 0;
}

static void print_executions(const struct explained *of) {
    static const char head[] = "\nExecutions\n  %5s %4s %-7s %-12s %12s  %-26s %s\n";
    static const char line[] = "  %5s %4s %-7s %-12s %12s  %-26s %s%s%s\n";
    const struct table *table = &of->table[MEASUREMENTS];
    size_t first = find_row(table, 0, of->variant);
    if (first < table->rows)
        printf(head, "block", "slot", "engine", "quantity", "value", "95 %", "status");
#define CELL(name) table_cell(table, row, #name)
    for (size_t row = first; row < table->rows; row = find_row(table, row + 1, of->variant)) {
        char interval[64] = "";
        if (CELL(ci_low)[0] != '\0')
            snprintf(interval, sizeof interval, "[%.14s, %.14s]", CELL(ci_low), CELL(ci_high));
        printf(line, CELL(block), CELL(slot), CELL(engine), CELL(quantity), CELL(value), interval,
               CELL(status), CELL(detail)[0] ? ": " : "", CELL(detail));
    }
#undef CELL
}

// Costs that name the variant among those they use.
static void print_costs(const struct explained *of) {
    static const char columns[] = "item context engine ring cycles ci_low ci_high method additive "
                                  "published published_source agrees status detail";
    const struct table *costs = &of->table[COSTS];
    size_t found = 0;
    for (size_t row = 0; row < costs->rows; row++) {
        if (!cost_has_variant((struct costs_row *)of->rows[COSTS].row + row, of->variant))
            continue;
        fputs(found++ == 0 ? "\nCosts that use it\n" : "\n", stdout);
        print_cells(costs, row, columns);
    }
}

// Why the loop has no direct cost, beside those that use it. Where its iteration is a row, that
// row has said it.
static void print_no_cost(const struct explained *of) {
    const struct costs_row *cost = of->rows[COSTS].row;
    for (size_t row = 0; row < of->rows[COSTS].count; row++)
        if (cost[row].method == METHOD_iteration && strcmp(cost[row].variants, of->variant) == 0)
            return;
    for (size_t i = 0; i < of->loops.count; i++) {
        const struct loop *loop = &of->loops.loop[i];
        if (strcmp(loop->row->variant, of->variant) != 0 || loop->homogeneous ||
            loop->mix.terms == 0)
            continue;
        char *why = loop_why_no_cost(loop);
        printf("\n  %s\n", why);
        free(why);
        return;
    }
}

// What `./asmsweep run` takes to find the sweep: its name, or the user's own file, quoted for a
// shell. A bundle that names nobody has no path there.
static void print_run(const char *toml, const char *sweep, const char *variant, const char *end) {
    fputs("  ./asmsweep run ", stdout);
    if (toml[0] != '/') {
        fputs(sweep, stdout);
    } else {
        putchar('\'');
        for (; *toml != '\0'; toml++)
            *toml == '\'' ? fputs("'\\''", stdout) : putchar(*toml);
        putchar('\'');
    }
    printf(" --only %s%s\n", variant, end);
}

static void print_commands(const struct explained *of) {
    const struct table *plan = &of->table[PLAN];
    const char *sweep = table_cell(&of->table[SUMMARY], 0, "sweep"), *variant = of->variant;
    char toml[4096];
    sweep_json_toml(of->directory, toml, sizeof toml);
    if (toml[0] == '\0' && plan->rows > 0) // where it was before
        snprintf(toml, sizeof toml, "%s", table_cell(plan, 0, "toml"));
    puts("\nTo reproduce it");
    print_run(toml, sweep, variant, "");
    if (strcmp(table_cell(plan, find_row(plan, 0, variant), "target"), "bpf") == 0)
        return; // no program of its own
    printf("  perf stat build/%s/bin/%s\n", sweep, variant);
    printf("  build/%s/bin/%s --stopwatch 200\n", sweep, variant);
    printf("  objdump -d -j .loop build/%s/bin/%s\n", sweep, variant);
    print_run(toml, sweep, variant, " --engine guest --accel kvm   (CPL0; needs /dev/kvm)");
}

static int explain(const struct explained *of, struct error *error) {
    static const char claims[] = "family parameters mix order group groups context needs "
                                 "duplicate_of source retired_expected";
    static const char proof[] = "status mix_found order_found loop_address loop_bytes jcc_erratum "
                                "retired_expected retired_cpl0 retired_cpl3 elf_sha256 loop_sha256 "
                                "native native_mix calls restores listing_sha256 detail";
    static const char result[] = "engine accel ring privilege quantity source value ci_low ci_high "
                                 "spread samples executions between_sd within_sd status restores "
                                 "detail";
    static const int known[] = {PLAN, PROOF, SUMMARY};
    size_t found = 0;
    for (size_t i = 0; i < 3; i++)
        found += find_row(&of->table[known[i]], 0, of->variant) < of->table[known[i]].rows;
    if (found == 0)
        return error_set(error, ERROR_INPUT, of->table[SUMMARY].path, 0,
                         "has no variant %s; the third column of variants.csv lists them",
                         of->variant);
    puts(of->variant);
    print_rows(of, PLAN, "What it claims", claims);
    print_rows(of, PROOF, "What was proved", proof);
    print_listing(of);
    if (print_code(of, error))
        return -1;
    print_rows(of, SUMMARY, "What was measured", result);
    print_executions(of);
    if (of->table[COSTS].header == NULL)
        puts("\nCosts that use it\n  not solved yet: ./asmsweep table DIR does it");
    print_costs(of);
    if (of->table[COSTS].header != NULL)
        print_no_cost(of);
    print_commands(of);
    return 0;
}

// The run's files, of which only summary.csv has to be there. What table and compare refuse of its
// values is not shown, either.
static int read_run(struct explained *of, struct error *error) {
    if (run_expect(of->directory, error) != 0)
        return -1;
    for (int i = 0; i < FILES; i++) {
        if (whole_read(of->directory, files[i], i != SUMMARY, &of->rows[i], error) != 0)
            return -1;
        of->table[i] = of->rows[i].table;
    }
    if (of->table[SUMMARY].rows == 0)
        return error_set(error, ERROR_INPUT, of->table[SUMMARY].path, 0, "has no row yet; %s",
                         run_remedy(of->directory).text);
    return loops_read(of->directory, &of->loops, error);
}

int command_explain(int argc, char **argv, struct error *error) {
    struct explained of = {0};
    const char *words[2];
    const struct option_list list = {"asmsweep", "explain DIR VARIANT", "everything about a row",
                                     NULL, 0};
    if (options_parse(&list, argc, argv, words, 2, 2, error) != 0)
        return -1;
    of.directory = words[0];
    of.variant = words[1];
    int failed = read_run(&of, error) || explain(&of, error);
    loops_free(&of.loops);
    for (size_t i = 0; i < FILES; i++)
        rows_free(&of.rows[i]);
    return failed ? -1 : 0;
}
