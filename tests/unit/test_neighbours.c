// SPDX-License-Identifier: GPL-3.0-or-later
// A core that is shared with a neighbour of any kind, made up: five executions pooled are right, or
// they are not ok.
//
//     test-neighbours [all]
//
// Every neighbour on one core width; with `all` on all of them, from other seeds, too.
#include "tests/unit/unit.h"

#include "tests/host/pooling.h"
#include "tests/host/synthetic_cpu.h"

enum { SLICES = 200, EXECUTIONS = USUAL_EXECUTIONS };

// Further from the true cost than this, and outside of the interval, is wrong.
#define WRONG 0.0025

// Core cycles in a microsecond.
#define MICROSECOND 3000.0

static const int widths[] = {4, 5, 6, 8};
static const double duties[] = {0.05, 0.2, 0.5, 0.8, 0.95, 1};
static const double spells[] = {20, 200, 2000, 20000, 4e6}; // microseconds

// What a neighbour makes of the time of a segment; the chains lose a little with the width.
static const struct kind {
    const char *name;
    double width, loop, watch; // `loop` of one that is limited by what the neighbour takes
    bool watched;              // the loop has watch segments
} kinds[] = {
    {"takes 2 % of the width", 1.02, 1.02, 1, false},
    {"takes 5 % of the width", 1.05, 1.05, 1, false},
    {"takes 10 % of the width", 1.1, 1.1, 1, false},
    {"takes half of the core", 1.9, 1.9, 1.9, false},
    {"takes two thirds of the core", 3, 3, 3, false},
    {"takes half, slows the loop less", 1.9, 1.15, 1.1, true},
    {"takes 2 % of the width, a port more", 1.02, 1.3, 1, false},
    {"takes the cache alone", 1, 1.3, 1.4, true},
    {"takes the divider alone", 1, 1.8, 1.9, true},
};

// A loop that no watch segment stands beside.
static const struct kind unseen = {"takes what nobody watches", 1, 1.3, 1, false};

static const struct loop {
    const char *name;
    double cycles, second; // `second`: in half of its slices
    bool chain;            // limited by its latency: the neighbour takes next to nothing
} loops[] = {
    {"a chain", 48, 0, true},
    {"throughput", 11.5, 0, false},
    {"two modes", 12, 18, false},
};

struct situation {
    int width;
    const struct kind *kind;
    const struct loop *loop;
    double duty, spell;
    double told; // what is known of the level, of the true one
};

struct outcome {
    size_t pools, ok, held, marked; // marked: quiet by width only
};

static bool on_all; // widths

static struct synthetic_cpu cpu_of(const struct situation *situation) {
    const struct kind *kind = situation->kind;
    double level = 95.0 / situation->width, chains = (kind->width - 1) / 0.9;
    double loop = situation->loop->chain && kind->width > 1 ? 1 + 0.005 * chains : kind->loop;
    struct synthetic_cpu cpu = {
        .cycles = {1, 1, 3, situation->loop->cycles, level, level},
        .noise = 0.001,
        .second_loop = situation->loop->second,
        .second_part = situation->loop->second > 0 ? 0.5 : 0,
        .neighbour = {situation->duty,
                      situation->spell * MICROSECOND,
                      {1 + 0.012 * chains, 1 + 0.004 * chains, 1, loop, kind->width, kind->width,
                       kind->watch, kind->watch}}};
    if (kind->watched)
        cpu.cycles[SEGMENT_watch_before] = cpu.cycles[SEGMENT_watch_after] = 128;
    return cpu;
}

static void pool(const struct situation *situation, unsigned long seed, struct pooled *pooled,
                 unsigned *remarks) {
    struct synthetic_cpu cpu = cpu_of(situation);
    struct stopwatch_value values[EXECUTIONS];
    for (size_t i = 0; i < EXECUTIONS; i++) {
        struct slices slices;
        synthetic_slices(&cpu, SLICES, seed + i, &slices);
        stopwatch_evaluate(&slices, CHAINS_all, situation->told * 95.0 / situation->width, seed + i,
                           &values[i]);
        synthetic_free(&slices);
    }
    pool_executions(values, EXECUTIONS, pooled, remarks);
}

// One pool: right, not ok, or marked.
static void judge(const struct situation *situation, unsigned long seed, struct outcome *outcome) {
    struct pooled pooled;
    unsigned remarks;
    double truth = situation->loop->cycles;
    pool(situation, seed, &pooled, &remarks);
    outcome->pools++;
    if (pooled.status != STATUS_ok)
        return;
    if (remarks >> REMARK_width_only & 1) {
        outcome->marked++;
        return;
    }
    bool held = pooled.cycles.low <= truth && truth <= pooled.cycles.high;
    outcome->ok++;
    outcome->held += held;
    if (situation->loop->second > 0 || (!held && !(fabs(pooled.cycles.value / truth - 1) <= WRONG)))
        fail_msg("%s beside one who %s, %g of the time for %g microseconds, %d wide, level told "
                 "%g: %.6g +- %.4f %% (%+.3f %%): %s",
                 situation->loop->name, situation->kind->name, situation->duty, situation->spell,
                 situation->width, situation->told, pooled.cycles.value,
                 100 * (pooled.cycles.high / pooled.cycles.value - 1),
                 100 * (pooled.cycles.value / truth - 1), pooled.detail);
}

// The loop beside the neighbour for all duties up to `most`, and all spells.
static void judge_all(struct situation *situation, double most, struct outcome *outcome) {
    size_t turn = 0;
    for (size_t d = 0; d < COUNT_OF(duties) && duties[d] <= most; d++)
        for (size_t s = 0; s < COUNT_OF(spells); s++, turn++)
            for (size_t w = 0; w < COUNT_OF(widths); w++) {
                if (!on_all && w != turn % COUNT_OF(widths))
                    continue;
                situation->duty = duties[d];
                situation->spell = spells[s];
                situation->width = widths[w];
                judge(situation, 1000 * turn + 100 * w + (on_all ? 10 : 0), outcome);
            }
}

static void pools_are_right_or_not_ok(void **state) {
    (void)state;
    print_message("| neighbour | loop | measured | ok | hold the truth | quiet by width only |\n"
                  "|---|---|---:|---:|---:|---:|\n");
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (size_t l = 0; l < COUNT_OF(loops); l++) {
            struct situation situation = {.kind = &kinds[k], .loop = &loops[l], .told = 1};
            struct outcome outcome = {0};
            judge_all(&situation, 1, &outcome);
            print_message("| %s | %s | %zu | %zu | %zu | %zu |\n", kinds[k].name, loops[l].name,
                          outcome.pools, outcome.ok, outcome.held, outcome.marked);
            assert_true(100 * outcome.held >= 92 * outcome.ok);
            // Nor is everything contended: most of the time the neighbour is there in half of them.
            if (kinds[k].width > 1.02 && !(loops[l].second > 0))
                assert_true(5 * outcome.ok >= 2 * outcome.pools);
        }
}

// What the slices are above it goes into the interval.
static void a_level_told_too_low_makes_none_wrong(void **state) {
    (void)state;
    static const double told[] = {0.997, 0.99, NAN};
    for (size_t t = 0; t < COUNT_OF(told); t++)
        for (size_t k = 0; k < COUNT_OF(kinds); k++) {
            struct situation situation = {.kind = &kinds[k], .loop = &loops[1], .told = told[t]};
            struct outcome outcome = {0};
            judge_all(&situation, 0.2, &outcome);
            assert_int_equal(outcome.held, outcome.ok);
            if (t)
                assert_int_equal(outcome.ok + outcome.marked, 0);
        }
}

// Who is there for a fifth of the time spoils some executions or some slices, and both show. More
// of what no segment shows cannot be told from the loop's own cost.
static void what_nobody_watches_is_seen_while_it_is_seldom(void **state) {
    (void)state;
    struct outcome outcome = {0};
    for (size_t l = 0; l < COUNT_OF(loops); l++) {
        struct situation situation = {.kind = &unseen, .loop = &loops[l], .told = 1};
        judge_all(&situation, 0.2, &outcome);
    }
    assert_true(outcome.ok > 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_are_right_or_not_ok),
        cmocka_unit_test(a_level_told_too_low_makes_none_wrong),
        cmocka_unit_test(what_nobody_watches_is_seen_while_it_is_seldom),
    };
    on_all = argc > 1 && !strcmp(argv[1], "all");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
