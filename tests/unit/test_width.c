// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "common/generation.h"
#include "runner/host/width.h"

#include <unistd.h>

enum { SLICES = 400 };

// One kind of slice: cycles of the width loop, of a link of add and of rol, of an imul.
struct kind {
    double width, add, rol, imul;
};

static const struct kind shared = {31.8, 1.02, 1.01, 2.99}, light = {17.4, 1.003, 1.003, 2.99};

// A TSC that counts in steps of 25 ticks, 0.75 a cycle, and 40 cycles to read it.
static struct width_slice slice_of(struct kind kind, size_t number) {
    const double cycles[WIDTH_LEGS] = {kind.width, 32 * kind.add, 32 * kind.rol, 32 * kind.imul,
                                       kind.width};
    struct width_slice slice;
    double now = 25 * fmod((double)number * 0.618034, 1);
    for (int leg = 0; leg < WIDTH_LEGS; leg++)
        for (int twice = 0; twice < 2; twice++) {
            double from = floor(now / 25);
            now += 0.75 * (40 + (1 + twice) * width_n[leg] * cycles[leg]);
            slice.ticks[leg][twice] = (uint64_t)(25 * (floor(now / 25) - from));
        }
    return slice;
}

// The level of slices of which one in `rarity` is of the first kind, the others of the second.
static struct width_level judge(struct kind one, size_t rarity, struct kind others,
                                struct width_known known) {
    struct width_slice slices[SLICES];
    struct width_level level;
    for (size_t i = 0; i < SLICES; i++)
        slices[i] = slice_of(i % rarity ? others : one, i);
    width_judge(slices, SLICES, &known, &level);
    return level;
}

static struct kind quiet(double width) {
    return (struct kind){width, 1, 1, 3};
}

static struct width_known unlisted(int width) {
    return (struct width_known){"a core", width, NAN, NAN};
}

static void a_few_quiet_slices_show_the_level(void **state) {
    (void)state;
    static const double levels[] = {95 / 4.0, 95 / 5.0, 95 / 6.0, 95 / 8.0};
    static const int widths[] = {4, 5, 6, 8};
    for (size_t i = 0; i < COUNT_OF(levels); i++) {
        struct kind beside = shared;
        beside.width = 2 * levels[i];
        struct width_level level = judge(quiet(levels[i]), 8, beside, unlisted(widths[i]));
        assert_near(level.cycles, levels[i], 0.002 * levels[i]);
        assert_near(level.imul, 3, 0.003);
        assert_true(level.seen_now);
        assert_contains(level.how, "the width of a core");
    }
    struct width_level level = judge(quiet(17), 8, shared, unlisted(0));
    assert_near(level.cycles, 17, 0.03);
    assert_contains(level.how, "not listed");
}

static void what_is_shared_throughout_confirms_nothing(void **state) {
    (void)state;
    struct width_level level = judge(shared, 1, shared, unlisted(6));
    assert_nan(level.cycles);
    assert_false(level.seen_now);
    assert_contains(level.how, "no whole number");
    level = judge(light, 1, light, unlisted(6));
    assert_nan(level.cycles);
    assert_near(level.seen, 17.35, 0.05);
    // A neighbour who takes half of the core evenly leaves the chains alone.
    level = judge(quiet(31.67), 1, quiet(31.67), unlisted(6));
    assert_nan(level.cycles);
    assert_contains(level.how, "31.6");
    assert_contains(level.how, "15.83 to 19.00");
    // Faster than the core is wide.
    level = judge(quiet(12), 1, quiet(12), unlisted(6));
    assert_nan(level.cycles);
}

static void what_is_listed_or_remembered_holds(void **state) {
    (void)state;
    struct width_known known = {"a core", 6, 17, NAN};
    struct width_level level = judge(shared, 1, shared, known);
    assert_near(level.cycles, 17, 0);
    assert_false(level.seen_now);
    assert_contains(level.how, "listed for a core; not seen now");
    level = judge(light, 1, light, known); // 2 % above, by chains that lost cycles
    assert_false(level.seen_now);
    level = judge(quiet(17.02), 8, shared, known);
    assert_near(level.cycles, 17, 0);
    assert_true(level.seen_now);
    known = (struct width_known){"a core", 6, NAN, 16.5};
    level = judge(quiet(18.5), 1, quiet(18.5), known);
    assert_near(level.cycles, 16.5, 0);
    assert_false(level.seen_now);
    assert_contains(level.how, "remembered");
    known.remembered = 8; // no core 6 wide does that
    level = judge(quiet(18.5), 1, quiet(18.5), known);
    assert_near(level.cycles, 18.5, 0.05);
}

static void a_lower_level_with_whole_imuls_is_better(void **state) {
    (void)state;
    struct width_known known = {"a core", 6, 19, 18};
    struct width_level level = judge(quiet(16), 4, shared, known);
    assert_near(level.cycles, 16, 0.03);
    assert_true(level.seen_now);
    assert_contains(level.how, "lower than remembered");
    level = judge((struct kind){16, 1, 1, 2.98}, 4, shared, known);
    assert_near(level.cycles, 18, 0);
}

static void a_slice_tells_its_cycles_or_why_not(void **state) {
    (void)state;
    struct width_slice slice = slice_of(quiet(17), 1);
    assert_near(width_cycles(&slice), 17, 0.2);
    slice.ticks[WIDTH_imul][1] += 1000000;
    assert_nan(width_cycles(&slice));
    slice = slice_of(quiet(17), 1);
    slice.ticks[WIDTH_add][0] += 1000000;
    assert_nan(width_cycles(&slice));
    slice = slice_of((struct kind){17, 1.05, 1, 3}, 1);
    assert_true(isinf(width_cycles(&slice)));
}

static void the_share_is_that_of_slices_without_interruption(void **state) {
    (void)state;
    struct width_slice slices[20];
    struct width_level level = {.cycles = 17};
    struct width_count all = {0};
    assert_nan(width_share(&all));
    for (size_t i = 0; i < COUNT_OF(slices); i++)
        slices[i] = slice_of(i < 5 ? quiet(17) : i < 10 ? quiet(18) : shared, i);
    slices[19].ticks[WIDTH_after][1] += 1000000;
    slices[18].ticks[WIDTH_after][0] += 1000000;
    for (size_t i = 0; i < 2; i++)
        width_count(slices, COUNT_OF(slices), &level, &all);
    assert_int_equal(all.slices, 36);
    assert_int_equal(all.quiet, 10);
    assert_near(width_share(&all), 5 / 18.0, 1e-12);
    level.cycles = NAN;
    width_count(slices, COUNT_OF(slices), &level, &(struct width_count){0});
    assert_int_equal(all.slices, 36);
}

static void a_level_is_remembered_for_its_cpu(void **state) {
    (void)state;
    char path[] = "levels.XXXXXX";
    struct error error;
    struct machine machine = {
        .cpu_vendor = "AuthenticAMD", .cpu_family = "25", .cpu_model = "1", .cpu_stepping = "1"};
    struct machine other = machine;
    snprintf(other.core_type, sizeof other.core_type, "E");
    close(mkstemp(path));
    assert_nan(width_recall("", &machine));
    assert_nan(width_recall("no such file", &machine));
    assert_nan(width_recall(path, &machine));
    assert_int_equal(width_remember(path, &machine, 15.9, &error), 0);
    assert_int_equal(width_remember(path, &other, 19.1, &error), 0);
    assert_int_equal(width_remember(path, &machine, 15.8, &error), 0);
    assert_near(width_recall(path, &machine), 15.8, 1e-9);
    assert_near(width_recall(path, &other), 19.1, 1e-9);
    snprintf(other.cpu_stepping, sizeof other.cpu_stepping, "2");
    assert_nan(width_recall(path, &other));
    FILE *stream = fopen(path, "a");
    fputs("cut", stream);
    fclose(stream);
    assert_nan(width_recall(path, &machine));
    unlink(path);
    assert_int_equal(width_remember("no/such/folder", &machine, 15.8, &error), -1);
    assert_contains(error.text, "no/such/folder");
}

static void every_generation_has_its_width(void **state) {
    (void)state;
    for (const struct cpu_generation *g = cpu_generations; g->name; g++) {
        const struct generation_width *width = generation_width(g->name);
        if (!width)
            fail_msg("%s is not in common/widths.def", g->name);
        double least = WIDTH_INSTRUCTIONS / (double)width->width;
        assert_in_range(width->width, 3, 8);
        assert_true(width->level == 0 ||
                    (width->level >= 0.999 * least && width->level <= 1.5 * least));
    }
    struct machine machine = {.cpu_vendor = "GenuineIntel", .cpu_family = "6", .cpu_model = "207"};
    struct width_known known = width_known_of(&machine);
    assert_string_equal(known.generation, "Emerald Rapids");
    assert_int_equal(known.width, 6);
    assert_near(known.listed, 17, 0);
    assert_nan(known.remembered);
    machine.cpu_family[0] = '9';
    assert_nan(width_known_of(&machine).listed);
}

// What comes out depends on the neighbour; what it may be does not.
static void the_level_of_this_core_is_found_in_time(void **state) {
    (void)state;
    struct core cores[2];
    struct machine machine;
    struct width_level level;
    machine_cores(cores);
    machine_describe(cores[0].cpu, &machine);
    struct width_known known = width_known_of(&machine);
    width_find(cores[0].cpu, &machine, 0.2, &level);
    assert_true(level.how[0] != '\0');
    assert_true(level.seconds >= 0);
    if (!isnan(known.listed))
        assert_true(level.cycles <= known.listed);
    double share = width_quiet_share(cores[0].cpu, &level, 0.01);
    assert_true(isnan(share) || (share >= 0 && share <= 1));
    bool came = width_wait_quiet(cores[0].cpu, &level, machine_read_tsc().seconds);
    assert_true(!came || !isnan(level.cycles));
    level.cycles = NAN;
    assert_false(width_wait_quiet(cores[0].cpu, &level, INFINITY));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_quiet_slices_show_the_level),
        cmocka_unit_test(what_is_shared_throughout_confirms_nothing),
        cmocka_unit_test(what_is_listed_or_remembered_holds),
        cmocka_unit_test(a_lower_level_with_whole_imuls_is_better),
        cmocka_unit_test(a_slice_tells_its_cycles_or_why_not),
        cmocka_unit_test(the_share_is_that_of_slices_without_interruption),
        cmocka_unit_test(a_level_is_remembered_for_its_cpu),
        cmocka_unit_test(every_generation_has_its_width),
        cmocka_unit_test(the_level_of_this_core_is_found_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
