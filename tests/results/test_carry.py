# SPDX-License-Identifier: GPL-3.0-or-later
"""A derived cost is never better than the loops that it rests on."""

from synthetic import homogeneous, loop, one, write_run

MODES = "two modes: 900 and 1900 cycles"


def cpuid(*loops):
    """Loops of n CPUID and XOR; what else each has."""
    return [loop(f"n{n}", f"{n}*cpuid+{n}*xor+2*mov", 1000.0 * n, family="cpuid", **more)
            for n, more in enumerate(loops, 1)]


def test_a_cost_solved_from_unstable_loops_is_unstable(tmp_path, solve):
    costs = solve(write_run(tmp_path, cpuid(
        {"status": "unstable", "detail": MODES, "executions": 15},
        {"status": "unstable", "detail": MODES, "executions": 11},
        {"executions": 3, "detail": "provisional: 3 executions, 5 are usual"})))
    row = one(costs, item="cpuid+xor")
    assert float(row["cycles"]) > 990
    assert (row["status"], row["executions"]) == ("unstable", "3")
    assert row["detail"].endswith(f"; n1, n2 unstable: {MODES}; n3: provisional: 3 executions, 5 "
                                  "are usual")


def test_a_cost_of_good_loops_has_nothing_to_say_of_them(tmp_path, solve):
    row = one(solve(write_run(tmp_path, cpuid({}, {}, {}))), item="cpuid+xor")
    assert (row["status"], row["executions"]) == ("ok", "5")
    assert "n1" not in row["detail"]


def test_a_direct_cost_names_the_loops_that_are_worse_and_those_that_are_missing(tmp_path, solve):
    far = "1 of 10 executions far off, the farthest 36 cycles"
    loops = [homogeneous("a", "cli", 8, 16.0, detail=far, executions=9),
             homogeneous("b", "cli", 16, 32.0, executions=5),
             homogeneous("c", "cli", 24, 48.0, status="unstable", detail=MODES),
             homogeneous("d", "cli", 32, None, status="contended", detail="shared: 3 of 200"),
             homogeneous("e", "cli", 40, None, status="contended", detail="shared: 7 of 200")]
    row = one(solve(write_run(tmp_path, loops)), item="cli")
    assert float(row["cycles"]) == 2.0
    assert (row["status"], row["executions"]) == ("unstable", "5")
    assert row["detail"].endswith(f"; d, e without a value: contended; c unstable: {MODES}; "
                                  f"a: {far}")


def test_the_remarks_of_any_loop_make_it_provisional(tmp_path, solve, table):
    loops = [homogeneous("a", "cli", 8, 16.0, remarks="width_only",
                         detail="provisional: quiet by width only"),
             homogeneous("b", "cli", 16, 32.0, remarks="not_followed"),
             homogeneous("c", "sti", 16, 64.0)]
    folder = write_run(tmp_path, loops)
    costs = solve(folder)
    row = one(costs, item="cli")
    assert (row["status"], row["remarks"]) == ("ok", "width_only;not_followed")
    assert row["detail"].endswith("; a: provisional: quiet by width only")
    assert one(costs, item="sti")["remarks"] == ""
    text = " ".join(table(folder).stdout.split())
    assert "](1)dp " in text and "1. provisional: quiet by width only: a neighbour" in text
    assert "; no undisturbed run of many iterations" in text and " 2. " not in text


def test_many_loops_are_counted_and_not_all_named(tmp_path, solve):
    loops = [homogeneous(f"l{n}", "cli", n, 2.0 * n, detail=f"reason {(n - 1) // 6}")
             for n in range(1, 31)]
    detail = one(solve(write_run(tmp_path, loops)), item="cli")["detail"]
    assert "; l1, l2, l3 and 3 more: reason 0; l7, l8, l9 and 3 more: reason 1; " in detail
    assert detail.endswith("and 3 more: reason 2; remarks of 12 more")


def test_a_difference_is_no_better_than_its_worse_loop(tmp_path, solve):
    loops = [loop("spread", "8*cli+8*sti", 48.0, family="f", order="spread", executions=4,
                  status="unstable", detail=MODES),
             loop("clustered", "8*cli+8*sti", 40.0, family="f", order="clustered", executions=9)]
    row = one(solve(write_run(tmp_path, loops)), method="difference")
    assert (float(row["cycles"]), row["status"], row["executions"]) == (8.0, "unstable", "4")
    assert row["detail"] == ("48.00 minus 40.00 cycles per iteration; "
                             f"spread unstable: {MODES}")


def test_an_interval_ends_at_0_and_the_row_says_so(tmp_path, solve):
    loops = [loop("l", "1*div+1*mov", 5.0, half=6.0, status="unstable", detail=MODES)]
    row = one(solve(write_run(tmp_path, loops)), method="iteration")
    assert [float(row[key]) for key in ("cycles", "ci_low", "ci_high")] == [5, 0, 11]
    assert "; cannot be told from 0; unstable: " in row["detail"]


def test_a_difference_may_be_below_0_and_says_where_it_may_be_none(tmp_path, solve):
    loops = [loop("spread", "8*cli+8*sti", 40.0, half=3.0, family="f", order="spread"),
             loop("clustered", "8*cli+8*sti", 41.0, half=4.0, family="f", order="clustered")]
    row = one(solve(write_run(tmp_path, loops)), method="difference")
    assert [float(row[key]) for key in ("cycles", "ci_low", "ci_high")] == [-1, -6, 4]
    assert row["detail"].endswith("cycles per iteration; cannot be told from 0")
