# SPDX-License-Identifier: GPL-3.0-or-later
"""asmsweep-results solve on mixes as a sweep of one's own may have them: a cost or its reason."""

import pytest
from synthetic import holds, homogeneous, loop, one, write_run


def beside(mixes):
    """Loops of popcnt and imul, two chains side by side: the longer one is the loop's time."""
    return [loop(f"b-{n}-{m}", f"{n}*popcnt+{m}*imul" if m else f"{n}*popcnt", max(n, 3 * m),
                 half=0.003, family="b", **({} if m else {"group": "popcnt", "groups": n}))
            for n, m in mixes]


def test_what_stands_in_one_number_beside_others_is_tested_by_nothing(tmp_path, solve):
    costs = solve(write_run(tmp_path, beside([(8, 4), (8, 8), (8, 16)])))
    row = one(costs, item="popcnt")
    assert (row["cycles"], row["ci_low"], row["additive"], row["status"], row["detail"]) == \
        ("", "", "untested", "unavailable", "may hide behind its neighbours: 8 of it in every "
         "loop, nothing tests it; vary its count")
    assert one(costs, item="imul")["additive"] == "yes"
    assert holds(one(costs, item="imul"), 3.0)


def test_a_loop_that_holds_it_alone_tests_what_stands_in_one_number(tmp_path, solve):
    costs = solve(write_run(tmp_path, beside([(8, 0), (8, 4), (8, 8), (8, 16)])))
    assert {(row["item"], row["cycles"], row["additive"]) for row in costs
            if row["method"] == "solved"} == {("popcnt", "", "no"), ("imul", "", "no")}


def test_a_cost_that_is_not_above_zero_is_none(tmp_path, solve):
    costs = solve(write_run(tmp_path, beside([(4, 16), (8, 16), (12, 16)])))
    row = one(costs, item="popcnt")
    assert (row["cycles"], row["ci_low"], row["ci_high"], row["status"], row["detail"]) == \
        ("", "", "", "implausible",
         "not above 0: 0.00 to 0.00 cycles; it hides behind its neighbours")
    assert one(costs, item="imul")["status"] == "unavailable"
    assert [float(row["cycles"]) for row in costs if row["method"] == "iteration"] == [48.0] * 3


def test_a_direct_cost_that_is_not_above_zero_is_none(tmp_path, solve):
    costs = solve(write_run(tmp_path, [homogeneous("n", "nop", 1, 1.0, half=0.001)]))
    row = one(costs, item="nop")
    assert (row["cycles"], row["method"], row["status"], row["detail"]) == \
        ("", "direct", "unavailable", "not above 0: 0.00 to 1.00 cycles; it hides behind the "
         "loop's own dec and jnz; more of it in an iteration would tell")
    assert float(one(costs, method="iteration")["cycles"]) == 1.0


def test_a_group_in_parentheses_is_named_as_what_it_is(tmp_path, solve):
    loops = [loop("p", "8*mov+8*movzbl", 5.9, family="p", group="8*(store8; load4)", groups=1)]
    assert one(solve(write_run(tmp_path, loops)))["detail"] == (
        "no cost of its own: 1 of its group is 8*store8+8*load4, its body is 8*mov+8*movzbl")


def forwarding(op, **more):
    """Stores and loads in loops of three lengths; with op mov both have one name."""
    return [loop(f"fwd.{op}{n}", f"{2 * n}*mov" if op == "mov" else f"{n}*mov+{n}*{op}",
                 {4: 2, 8: 4, 16: 8}[n] if op == "mov" else 6.4 * n, half=0.01, family="fwd",
                 **{"group": "fwd", "groups": 1, **more}) for n in (4, 8, 16)]


def test_a_mix_that_was_only_found_takes_no_part_in_a_system(tmp_path, solve):
    loops = forwarding("mov", mix_source="found") + forwarding("movzbl", mix_source="found")
    costs = solve(write_run(tmp_path, loops))
    assert [(row["method"], row["variants"]) for row in costs] == \
        [("iteration", row["variant"]) for row in loops]
    assert one(costs, variants="fwd.movzbl8")["detail"] == (
        "no cost of its own: 1 of its group is 1*fwd, its body is 8*mov+8*movzbl; "
        "it claims no mix to solve costs from (claims.mix)")


@pytest.mark.parametrize("source", ["claimed", ""])
def test_a_claimed_mix_and_one_of_an_older_run_take_part_in_a_system(tmp_path, solve, source):
    loops = forwarding("mov", mix_source=source) + forwarding("movzbl", mix_source=source)
    costs = solve(write_run(tmp_path, loops))
    assert holds(one(costs, item="mov", method="solved"), 0.25)
    assert one(costs, item="movzbl", method="solved")["additive"] == "yes"


def test_a_group_that_is_the_body_needs_no_claim_for_its_cost(tmp_path, solve):
    pair = "mov %rdx,(%rdi); movzbl (%rdi),%edx"
    loops = [dict(row, mix_source="found", group=pair, groups=n)
             for row, n in zip(forwarding("movzbl"), ("4", "8", "16"))]
    row = one(solve(write_run(tmp_path, loops)))
    assert (row["item"], row["method"]) == (pair, "direct") and holds(row, 6.4)


def test_a_mix_of_unknown_source_is_refused(tmp_path, results):
    folder = write_run(tmp_path, [homogeneous("c", "cli", 10, 20, mix_source="guessed")])
    done = results("solve", folder)
    assert (done.returncode, done.stderr) == (
        2, f"asmsweep-results: {folder}/summary.csv:2: mix_source is \"guessed\", not claimed, "
        "found or empty; was the file made by another version?\n")


def test_explain_says_why_a_group_was_not_used_where_a_solved_cost_tells_the_loop(
        tmp_path, solve, results):
    loops = beside([(4, 4), (8, 8), (16, 16)])
    loops[0].update(group="imulq %rsi,%rsi", groups="4")
    loops += [homogeneous("b-i", "imul", 8, 24.0, half=0.003, family="b"),
              homogeneous("b-p", "popcnt", 8, 8.0, half=0.003, family="b"),
              loop("s-1", "4*cli+4*sti", 24.0, family="s", group="sti", groups=4),
              loop("s-2", "2*cli+6*sti", 28.0, family="s", group="sti", groups=6)]
    folder = write_run(tmp_path, loops)
    solve(folder)
    told = results("explain", folder, "s-1").stdout
    assert "\n  method             solved\n" in told and "one iteration" not in told
    assert ("\n\n  no cost of its own: 4 of its group is 4*sti, its body is 4*cli+4*sti\n\n"
            in told)
    told = results("explain", folder, "b-4-4").stdout
    assert told.count("no cost of its own: 4 of its group is 4*imulq, its body is "
                      "4*popcnt+4*imul\n") == 1
    assert "no cost of its own" not in results("explain", folder, "b-p").stdout
