// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/published.h"

#include "common/units.h"
#include "results/body.h"
#include "results/context.h"
#include "results/item.h"
#include "results/petition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct generation {
    const char *vendor;
    long long family, model_first, model_last;
    const char *core_type, *name;
};

static const struct generation generations[] = {
#define GENERATION(vendor, family, first, last, core, name)                                        \
    {vendor, family, first, last, core, name},
#include "common/generations.def"
#undef GENERATION
};

// Items of which a loop is a chain, so that the published latency is what it shows.
static const char *const chains[] = {"imul r64,r64", "add r64,r64", "add $imm8,r64"};

const char *published_generation(const char *vendor, const char *family, const char *model,
                                 const char *core_type) {
    long long family_number, model_number;
    if (units_scan_integer(family, 0, 4095, &family_number) != 0 ||
        units_scan_integer(model, 0, 255, &model_number) != 0)
        return "";
    for (size_t i = 0; i < sizeof generations / sizeof generations[0]; i++) {
        const struct generation *g = &generations[i];
        if (strcmp(g->vendor, vendor) == 0 && g->family == family_number &&
            model_number >= g->model_first && model_number <= g->model_last &&
            (g->core_type[0] == '\0' || strcmp(g->core_type, core_type) == 0))
            return g->name;
    }
    return "";
}

static bool is_chain(const char *item) {
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++)
        if (strcmp(chains[i], item) == 0)
            return true;
    return false;
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

static int add_instlat(struct published *published, size_t row, struct error *error) {
    const struct table *table = &published->instlat;
    const char *item = table_cell(table, row, "instructions");
    const char *cell =
        table_cell(table, row, is_chain(item) ? "latency_cycles" : "throughput_cycles");
    double cycles;
    if (units_scan_number(cell, &cycles) != 0)
        return error_set(error, ERROR_INPUT, table->path, table_line(row),
                         "\"%s\" is no number of cycles", cell);
    struct cost *cost = costs_add(&published->costs);
    cost->key[KEY_run_id] = "published";
    cost->key[KEY_engine] = "published";
    cost->key[KEY_ring] = "3";
    cost->key[KEY_cpu_vendor] = table_cell(table, row, "vendor");
    cost->key[KEY_cpu_family] = table_cell(table, row, "family");
    cost->key[KEY_cpu_model] = table_cell(table, row, "model");
    cost->key[KEY_cpu_stepping] = table_cell(table, row, "stepping");
    cost->key[KEY_core_type] = table_cell(table, row, "core_type");
    cost->key[KEY_cpu_name] = table_cell(table, row, "cpu");
    spaced(item, cost->item, sizeof cost->item);
    cost->cycles = cost->published = cycles;
    snprintf(cost->published_source, sizeof cost->published_source, "%s",
             table_cell(table, row, "source"));
    return 0;
}

// One iteration of a program of the mail. 0, or -1 with *error if the program is not there.
static int petition_iteration(const struct table *table, const char *program, struct bounds *bounds,
                              struct error *error) {
    for (size_t row = 0; row < table->rows; row++) {
        double iterations, instructions, ipc, cycles;
        if (strcmp(table_cell(table, row, "program"), program) != 0)
            continue;
        bool counted = units_scan_number(table_cell(table, row, "cycles_total"), &cycles) == 0;
        if (units_scan_number(table_cell(table, row, "iterations"), &iterations) == 0 && counted) {
            *bounds = petition_from_cycles(cycles, iterations);
            return 0;
        }
        if (units_scan_number(table_cell(table, row, "iterations"), &iterations) == 0 &&
            units_scan_number(table_cell(table, row, "instructions_total"), &instructions) == 0 &&
            units_scan_number(table_cell(table, row, "ipc_printed"), &ipc) == 0) {
            *bounds = petition_from_ipc(instructions, ipc, iterations);
            return 0;
        }
        return error_set(error, ERROR_INPUT, table->path, table_line(row),
                         "%s has neither cycles nor instructions with ipc", program);
    }
    return error_set(error, ERROR_INPUT, table->path, 0, "has no row for the program %s", program);
}

// The programs of the mail, with how many items one iteration has.
enum { CLI27, STI28, CLI_PAIR, STI_PAIR, PAIR, ONE_PAIR, PUSH_POP, PROGRAMS };
static const struct {
    const char *program, *item, *context;
    double count;
} programs[PROGRAMS] = {
    [CLI27] = {"cli27_sti1", "cli", "if=0->0", 27},
    [STI28] = {"sti28", "sti", "if=1->1", 28},
    [CLI_PAIR] = {"cli_push_popf", "cli; push %rbx; popfq", "if=1->0->1", 14},
    [STI_PAIR] = {"sti_push_popf", "sti; push %rbx; popfq", "if=1->1", 14},
    [PAIR] = {"push_popf", "push %rbx; popfq", "if=1->1", 14},
    [ONE_PAIR] = {"push_popf_pair", "push %rbx; popfq", "if=1->1;groups=1", 1},
    [PUSH_POP] = {"push_pop_pair", "push %rbx; pop %rcx", "groups=1", 1},
};

static struct cost *add_petition(struct published *published, size_t which, struct bounds cycles) {
    const char *source = "";
    for (size_t row = 0; row < published->petition.rows; row++)
        if (strcmp(table_cell(&published->petition, row, "program"), programs[which].program) == 0)
            source = table_cell(&published->petition, row, "source");
    struct cost *cost = costs_add(&published->costs);
    cost->key[KEY_run_id] = "published";
    cost->key[KEY_engine] = "published";
    cost->key[KEY_ring] = "3";
    cost->key[KEY_cpu_vendor] = "GenuineIntel";
    cost->key[KEY_cpu_family] = "6";
    cost->key[KEY_cpu_model] = "94"; // "a Skylake CPU", a client: the mail says no more
    cost->key[KEY_cpu_name] = table_cell(&published->petition, 0, "cpu");
    snprintf(cost->context, sizeof cost->context, "%s", programs[which].context);
    snprintf(cost->item, sizeof cost->item, "%s", programs[which].item);
    cost->cycles = cost->published = cycles.centre;
    cost->ci_low = cycles.low;
    cost->ci_high = cycles.high;
    cost_rests_on(cost, programs[which].program);
    snprintf(cost->published_source, sizeof cost->published_source, "%s", source);
    return cost;
}

// Say of a group with an instruction in front whether the parts' costs add up to it.
static void judge_front(struct cost *cost, struct bounds whole, struct bounds front,
                        struct bounds pair) {
    struct bounds adds = petition_minus(whole, pair);
    cost->additive = petition_additive(whole, front, pair);
    snprintf(cost->detail, sizeof cost->detail,
             "in front of the pair it adds %.1f [%.1f, %.1f] cycles, alone it takes %.2f",
             adds.centre, adds.low, adds.high, front.centre);
}

static int add_all_petition(struct published *published, struct error *error) {
    struct bounds loop[PROGRAMS], part[PROGRAMS];
    for (size_t i = 0; i < PROGRAMS; i++) {
        if (petition_iteration(&published->petition, programs[i].program, &loop[i], error) != 0)
            return -1;
        part[i] = petition_part(loop[i], programs[i].count, PETITION_OVERHEAD_HIGH);
    }
    part[CLI27] = petition_other(loop[CLI27], programs[CLI27].count, 1, loop[STI28],
                                 programs[STI28].count, PETITION_OVERHEAD_HIGH);
    for (size_t i = 0; i < PROGRAMS; i++) {
        struct cost *cost = add_petition(published, i, part[i]);
        if (i == CLI27) {
            cost_rests_on(cost, programs[STI28].program);
            cost->method = METHOD_solved;
        } else if (i == CLI_PAIR)
            judge_front(cost, part[i], part[CLI27], part[PAIR]);
        else if (i == STI_PAIR)
            judge_front(cost, part[i], part[STI28], part[PAIR]);
        else if (i == PAIR)
            snprintf(cost->detail, sizeof cost->detail,
                     "a pair; the mail's 10 cycles averaged POPF with a nearly free PUSH");
    }
    return 0;
}

int published_read(const char *folder, struct published *published, struct error *error) {
    static const char *const instlat[] = {
        "vendor", "family",       "model",          "stepping",          "core_type",
        "cpu",    "instructions", "latency_cycles", "throughput_cycles", "source",
        NULL};
    static const char *const petition[] = {
        "cpu",         "program",      "iterations", "instructions_total",
        "ipc_printed", "cycles_total", "source",     NULL};
    char path[4096];
    *published = (struct published){0};
    snprintf(path, sizeof path, "%s/instlatx64.csv", folder);
    if (table_read(path, instlat, &published->instlat, error) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/petition_2016.csv", folder);
    if (table_read(path, petition, &published->petition, error) != 0)
        return -1;
    for (size_t row = 0; row < published->instlat.rows; row++)
        if (add_instlat(published, row, error) != 0)
            return -1;
    return add_all_petition(published, error);
}

void published_free(struct published *published) {
    table_free(&published->instlat);
    table_free(&published->petition);
    costs_free(&published->costs);
}

// How near a published row's CPU is to a measured one: 2 same model, 1 same generation, 0 other.
static int nearness(const struct cost *measured, const struct cost *figure) {
    const char *const *a = measured->key, *const *b = figure->key;
    const char *ga = published_generation(a[KEY_cpu_vendor], a[KEY_cpu_family], a[KEY_cpu_model],
                                          a[KEY_core_type]);
    const char *gb = published_generation(b[KEY_cpu_vendor], b[KEY_cpu_family], b[KEY_cpu_model],
                                          b[KEY_core_type]);
    if (ga[0] == '\0' || strcmp(ga, gb) != 0)
        return 0;
    return strcmp(a[KEY_cpu_model], b[KEY_cpu_model]) == 0 ? 2 : 1;
}

// Whether the bodies that a cost rests on are what its item says, as far as they are known.
static bool borne_out(const struct table *proof, const struct cost *cost, const char *item) {
    for (size_t row = 0; row < proof->rows; row++) {
        const char *order = table_cell(proof, row, "order_found");
        if (order[0] == '\0' || !cost_has_variant(cost, table_cell(proof, row, "variant")))
            continue;
        if (!body_holds_only(order, item) || (is_chain(item) && !body_repeats_one(order)))
            return false;
    }
    return true;
}

void published_match(const struct published *published, const struct table *proof,
                     struct cost *cost) {
    char item[COST_TEXT], other[COST_TEXT];
    const struct cost *best = NULL;
    int best_nearness = 0;
    if (cost->method == METHOD_difference || cost->method == METHOD_iteration ||
        strcmp(cost->key[KEY_ring], "0") == 0)
        return;
    item_general(cost->item, item, sizeof item);
    for (size_t i = 0; i < published->costs.count; i++) {
        const struct cost *figure = &published->costs.row[i];
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
    snprintf(cost->published_source, sizeof cost->published_source, "%.80s: %.160s",
             best->key[KEY_cpu_name], best->published_source);
    double slack = PUBLISHED_TOLERANCE * best->published;
    if (!isnan(cost->cycles))
        cost->agrees =
            cost->ci_low - slack <= best->published && best->published <= cost->ci_high + slack
                ? "yes"
                : "no";
}
