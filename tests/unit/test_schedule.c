// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "runner/run/schedule.h"

enum { MOST = 300 };

static void every_block_is_a_permutation(void **state) {
    (void)state;
    for (size_t count = 1; count <= MOST; count = count * 2 + 1) {
        size_t order[MOST];
        int seen[MOST] = {0};
        schedule_block(5, 0, (long)count, count, order);
        for (size_t i = 0; i < count; i++) {
            assert_true(order[i] < count);
            assert_int_equal(seen[order[i]]++, 0);
        }
    }
}

static void the_same_question_gets_the_same_order(void **state) {
    (void)state;
    size_t a[MOST], b[MOST];
    schedule_block(1796031020, 1, 3, MOST, a);
    schedule_block(1796031020, 1, 3, MOST, b);
    assert_memory_equal(a, b, sizeof a);
    // Pinned: a run that was begun with an older program must find its order again.
    static const size_t pinned[] = {4, 5, 3, 7, 0, 2, 6, 1};
    schedule_block(1, 0, 0, COUNT_OF(pinned), a);
    assert_memory_equal(a, pinned, sizeof pinned);
}

static size_t same_places(const size_t *a, const size_t *b) {
    size_t same = 0;
    for (size_t i = 0; i < MOST; i++)
        same += a[i] == b[i];
    return same;
}

// Two unrelated permutations agree in one place on average.
static void seed_block_and_core_each_change_it(void **state) {
    (void)state;
    size_t base[MOST], other[MOST];
    schedule_block(7, 0, 2, MOST, base);
    static const struct {
        uint64_t seed;
        int core;
        long block;
    } others[] = {{8, 0, 2}, {7, 1, 2}, {7, 0, 3}, {7, 1, 1}, {7 + (1ULL << 32), 0, 2}};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        schedule_block(others[i].seed, others[i].core, others[i].block, MOST, other);
        assert_true(same_places(base, other) < 10);
    }
}

// Chi-square of where each of 10 variants stands, over 5000 blocks of neighbouring numbers.
static void every_place_is_as_likely_for_every_variant(void **state) {
    (void)state;
    enum { VARIANTS = 10, BLOCKS = 5000 };
    static unsigned found[VARIANTS][VARIANTS];
    double chi = 0, expected = (double)BLOCKS / VARIANTS;
    for (long block = 0; block < BLOCKS; block++) {
        size_t order[VARIANTS];
        schedule_block(3, 0, block, VARIANTS, order);
        for (size_t slot = 0; slot < VARIANTS; slot++)
            found[order[slot]][slot]++;
    }
    for (size_t i = 0; i < VARIANTS; i++)
        for (size_t j = 0; j < VARIANTS; j++)
            chi += (found[i][j] - expected) * (found[i][j] - expected) / expected;
    assert_true(chi < 126); // 81 degrees of freedom: 0.1 % are above
    assert_true(chi > 44);  // and 0.1 % below: too even is not random either
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_is_a_permutation),
        cmocka_unit_test(the_same_question_gets_the_same_order),
        cmocka_unit_test(seed_block_and_core_each_change_it),
        cmocka_unit_test(every_place_is_as_likely_for_every_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
