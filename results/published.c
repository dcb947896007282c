// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/published.h"

#include "common/disk.h"
#include "common/generation.h"
#include "common/units.h"
#include "results/context.h"
#include "results/item.h"

#include <math.h>
#include <string.h>

// Items of which a loop is a chain, so that the published latency is what it shows.
static const char chains[] = "imul r64,r64;add r64,r64;add $imm8,r64";

static bool is_chain(const char *item) {
    return context_among(item, strlen(item), chains, ';');
}

// "pushfq;popfq" as this project writes items: a space behind each semicolon.
static void spaced(const char *item, char *text, size_t size) {
    size_t used = 0;
    for (; *item != '\0' && used + 2 < size; item++) {
        text[used++] = *item;
        if (*item == ';' && item[1] != ' ')
            text[used++] = ' ';
    }
    text[used] = '\0';
}

// A row with the CPU, source and cycles of row `row`; NULL with *error.
static struct costs_row *add_figure(struct published *published, const struct table *table,
                                    size_t row, const char *column, struct error *error) {
    double cycles;
    if (units_scan_number(table_cell(table, row, column), &cycles) != 0) {
        error_set(error, ERROR_INPUT, table->path, table_line(row), "\"%s\" is no number of cycles",
                  table_cell(table, row, column));
        return NULL;
    }
    struct costs_row *cost = costs_add(&published->costs);
    cost->run_id = cost->engine = "published";
    cost->ring = 3;
    cost->cpu_vendor = table_cell(table, row, "vendor");
    cost->cpu_family = table_cell(table, row, "family");
    cost->cpu_model = table_cell(table, row, "model");
    cost->cpu_stepping = table_cell(table, row, "stepping");
    cost->core_type = table_cell(table, row, "core_type");
    cost->cpu_name = table_cell(table, row, "cpu");
    cost->cycles = cost->published = cycles;
    cost->published_source = table_cell(table, row, "source");
    return cost;
}

static int add_instlat(struct published *published, size_t row, struct error *error) {
    char text[COST_TEXT];
    const char *item = table_cell(&published->instlat, row, "instructions");
    struct costs_row *cost =
        add_figure(published, &published->instlat, row,
                   is_chain(item) ? "latency_cycles" : "throughput_cycles", error);
    if (cost == NULL)
        return -1;
    spaced(item, text, sizeof text);
    cost->item = rows_own(&published->costs.rows, text_make("%s", text));
    return 0;
}

// A figure with bounds; docs/petition_2016.md derives each.
static int add_petition(struct published *published, size_t row, struct error *error) {
    const struct table *table = &published->petition;
    struct costs_row *cost = add_figure(published, table, row, "cycles", error);
    if (cost == NULL)
        return -1;
    if (units_scan_number(table_cell(table, row, "ci_low"), &cost->ci_low) != 0 ||
        units_scan_number(table_cell(table, row, "ci_high"), &cost->ci_high) != 0)
        return error_set(error, ERROR_INPUT, table->path, table_line(row), "bounds are no numbers");
    cost->context = table_cell(table, row, "context");
    cost->item = table_cell(table, row, "item");
    cost->detail = table_cell(table, row, "detail");
    cost->variants = table_cell(table, row, "variants");
    if (strcmp(table_cell(table, row, "method"), method_name(METHOD_solved)) == 0)
        cost->method = METHOD_solved;
    if (strcmp(table_cell(table, row, "additive"), additive_name(ADDITIVE_no)) == 0)
        cost->additive = ADDITIVE_no;
    return 0;
}

int published_read(const char *folder, struct published *published, struct error *error) {
    static const char *const instlat[] = {
        "vendor", "family",       "model",          "stepping",          "core_type",
        "cpu",    "instructions", "latency_cycles", "throughput_cycles", "source",
        NULL};
    static const char *const petition[] = {"vendor",   "family",   "model",  "cpu",     "context",
                                           "item",     "cycles",   "ci_low", "ci_high", "method",
                                           "additive", "variants", "source", "detail",  NULL};
    *published = (struct published){0};
    if (table_read(PATH("%s/instlatx64.csv", folder), instlat, &published->instlat, error) != 0 ||
        table_read(PATH("%s/petition_2016_costs.csv", folder), petition, &published->petition,
                   error) != 0)
        return -1;
    for (size_t row = 0; row < published->instlat.rows; row++)
        if (add_instlat(published, row, error) != 0)
            return -1;
    for (size_t row = 0; row < published->petition.rows; row++)
        if (add_petition(published, row, error) != 0)
            return -1;
    return 0;
}

void published_free(struct published *published) {
    table_free(&published->instlat);
    table_free(&published->petition);
    costs_free(&published->costs);
}

// How near a published row's CPU is to a measured one: 2 same model, 1 same generation, 0 other.
static int nearness(const struct costs_row *a, const struct costs_row *b) {
    const char *ga = generation_name(a->cpu_vendor, a->cpu_family, a->cpu_model, a->core_type);
    const char *gb = generation_name(b->cpu_vendor, b->cpu_family, b->cpu_model, b->core_type);
    if (ga[0] == '\0' || strcmp(ga, gb) != 0)
        return 0;
    return strcmp(a->cpu_model, b->cpu_model) == 0 ? 2 : 1;
}

// Whether the bodies that a cost rests on are what its item says, as far as they are known.
static bool borne_out(const struct rows *proof, const struct costs_row *cost, const char *item) {
    const struct proof_row *row = proof->row;
    for (size_t i = 0; i < proof->count; i++) {
        const char *order = row[i].order_found;
        if (order[0] == '\0' || !cost_has_variant(cost, row[i].variant))
            continue;
        if (!body_holds_only(order, item) || (is_chain(item) && !body_repeats_one(order)))
            return false;
    }
    return true;
}

void published_match(const struct published *published, const struct rows *proof,
                     struct costs *costs, struct costs_row *cost) {
    char item[COST_TEXT], other[COST_TEXT];
    const struct costs_row *best = NULL;
    int best_nearness = 0;
    if (cost->method == METHOD_difference || cost->method == METHOD_iteration || cost->ring == 0)
        return;
    item_general(cost->item, item, sizeof item);
    for (size_t i = 0; i < published->costs.count; i++) {
        const struct costs_row *figure = &published->costs.row[i];
        item_general(figure->item, other, sizeof other);
        if (strcmp(item, other) != 0 || !context_same_change(cost->context, figure->context))
            continue;
        int near = nearness(cost, figure);
        if (near > best_nearness) {
            best = figure;
            best_nearness = near;
        }
    }
    if (best == NULL || (cost->method == METHOD_direct && !borne_out(proof, cost, item)))
        return;
    cost->published = best->published;
    cost->published_source =
        rows_own(&costs->rows, text_make("%.80s: %.160s", best->cpu_name, best->published_source));
    double slack = PUBLISHED_TOLERANCE * best->published;
    if (!isnan(cost->cycles))
        cost->agrees =
            cost->ci_low - slack <= best->published && best->published <= cost->ci_high + slack
                ? "yes"
                : "no";
}
