# SPDX-License-Identifier: GPL-3.0-or-later
from collections import Counter

import pytest

from generator import weave

A3, B1, B2 = ["a1", "a2", "a3"], ["b1"], ["b1", "b2"]


def test_clustered_keeps_each_list_together():
    assert weave.interleave("clustered", A3, B2) == ["a1", "a2", "a3", "b1", "b2"]


def test_alternating_takes_one_of_each_in_turn():
    assert weave.interleave("alternating", A3, B2) == ["a1", "b1", "a2", "b2", "a3"]


def test_spread_puts_a_single_item_in_the_middle():
    assert weave.interleave("spread", ["a"] * 4, B1) == ["a", "a", "b1", "a", "a"]


def test_spread_leaves_gaps_that_differ_by_one_at_most():
    woven = weave.interleave("spread", ["a"] * 28, ["b"] * 5)
    at = [i for i, item in enumerate(woven) if item == "b"]
    gaps = {y - x for x, y in zip(at, at[1:])}
    assert len(at) == 5 and max(gaps) - min(gaps) <= 1


def test_shuffle_is_the_same_for_a_seed_for_ever():
    items = [str(i) for i in range(8)]
    assert weave.interleave("shuffle", items, seed=1) == [
        "4", "1", "2", "0", "7", "5", "6", "3"]
    assert weave.interleave("shuffle", items, seed=2) != weave.interleave(
        "shuffle", items, seed=1)


@pytest.mark.parametrize("order", weave.ORDERS)
def test_every_order_holds_every_item_once(order):
    lists = (["a"] * 7, ["b"] * 3, [])
    assert Counter(weave.interleave(order, *lists)) == {"a": 7, "b": 3}


def test_an_unknown_order_is_refused():
    with pytest.raises(ValueError, match="none of clustered"):
        weave.interleave("random", A3)


def test_repeat_is_one_instruction_a_line():
    assert weave.repeat("cli", 3) == "cli\n        cli\n        cli"
    assert weave.repeat("cli", 0) == ""


@pytest.mark.parametrize("count", [-1, 100_001])
def test_senseless_counts_are_refused(count):
    with pytest.raises(ValueError, match="cannot repeat"):
        weave.copies("nop", count)


def test_ending_rotates_and_keeps_the_cycle():
    assert weave.ending("b", ["b", "a", "b", "c", "d"]) == ["c", "d", "b", "a", "b"]
    assert weave.ending("d", ["b", "a", "d"]) == ["b", "a", "d"]
    with pytest.raises(ValueError, match="no 'x' among the 3 items"):
        weave.ending("x", A3)
