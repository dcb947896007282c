# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of one item that do not agree give no cost, and the reason is the true one."""

from synthetic import holds, homogeneous, loop, one, write_run

HIDES = ("not above 0: 0.00 to 1.00 cycles; it hides behind the loop's own dec and jnz; more of "
         "it in an iteration would tell")


def direct(tmp_path, solve, loops):
    costs = solve(write_run(tmp_path, loops))
    return one(costs, method="direct"), [row for row in costs if row["method"] == "iteration"]


def widths(values, groups=16, **more):
    return [homogeneous(f"bswap.{width}", "bswap", groups, value,
                        parameters=f"width={width};align_offset=0", **more)
            for width, value in values.items()]


def test_loops_that_differ_give_no_cost_and_their_axis(tmp_path, solve):
    row, whole = direct(tmp_path, solve, widths({"w32": 16.2, "w64": 32.1}))
    assert (row["cycles"], row["ci_low"], row["status"]) == ("", "", "unavailable")
    assert row["detail"] == (
        "its loops differ by width: bswap.w32 takes 16.20 cycles an iteration, bswap.w64 32.10; a "
        "context that says width gives each a row")
    assert [(row["variants"], float(row["cycles"])) for row in whole] == \
        [("bswap.w32", 16.2), ("bswap.w64", 32.1)]


def test_of_many_axes_the_one_that_explains_is_named(tmp_path, solve):
    cost = {"reg": 8, "load": 16, "store": 32}
    loops = [homogeneous(f"tp.{form}.{offset}.n{n}", "mov", n, cost[form] * n / 32 + offset / 6400,
                         parameters=f"form={form};align_offset={offset};n={n}")
             for form in cost for offset in (0, 16) for n in (32, 64)]
    row, whole = direct(tmp_path, solve, loops)
    assert row["cycles"] == "" and row["detail"].startswith("its loops differ by form: tp.reg.")
    assert len(whole) == len(loops)


def test_axes_that_explain_only_together_are_both_named(tmp_path, solve):
    loops = [homogeneous(f"x.{a}{b}", "mov", 32, value, parameters=f"a={a};b={b}")
             for a, b, value in ((0, 0, 8), (0, 1, 16), (1, 0, 16), (1, 1, 32))]
    assert direct(tmp_path, solve, loops)[0]["detail"].startswith("its loops differ by a and b: ")


def test_copies_that_differ_are_said_to_have_no_axis(tmp_path, solve):
    loops = [homogeneous("x", "mov", 32, 8, parameters="a=1"),
             homogeneous("x.twin", "mov", 32, 16, parameters="a=1", duplicate_of="x")]
    assert direct(tmp_path, solve, loops)[0]["detail"] == (
        "its loops differ, and their parameters do not say by what: x takes 8.00 cycles an "
        "iteration, x.twin 16.00")


def test_loops_within_the_margin_or_their_intervals_are_pooled(tmp_path, solve):
    near, _ = direct(tmp_path / "near", solve, widths({"w32": 16.0, "w64": 16.3}, half=0.01))
    wide, _ = direct(tmp_path / "wide", solve, widths({"w32": 16.0, "w64": 18.0}, half=1.5,
                                                      status="unstable"))
    assert near["status"] == "ok" and holds(near, 1.0)
    assert wide["status"] == "unstable" and holds(wide, 1.0)


def test_an_axis_that_changes_with_the_length_is_no_length(tmp_path, solve):
    loops = widths({"w32": 8.0}, groups=8) + widths({"w64": 32.0}, groups=16)
    row, _ = direct(tmp_path, solve, loops)
    assert (row["cycles"], row["additive"], row["detail"]) == (
        "", "no", "not proportional to the length, and its loops differ by width, too: a context "
        "that says width gives each a row")


def test_lengths_that_do_not_agree_still_give_the_longest_loops_cost(tmp_path, solve):
    loops = [homogeneous(f"q.n{n}", "mov", n, value, parameters=f"n={n}")
             for n, value in ((8, 8), (16, 16), (32, 96))]
    row, _ = direct(tmp_path, solve, loops)
    assert row["additive"] == "no" and holds(row, 3.0) and "longest loop" in row["detail"]


def test_only_what_is_as_short_as_the_empty_loop_hides_behind_it(tmp_path, solve):
    short, _ = direct(tmp_path / "short", solve, [homogeneous("n", "nop", 1, 1.0, half=0.001)])
    wide, _ = direct(tmp_path / "wide", solve,
                     [homogeneous("n", "nop", 4, 4.0, half=5.0, status="unstable")])
    assert short["detail"] == HIDES
    assert (wide["cycles"], wide["status"], wide["detail"]) == (
        "", "unavailable", "not told from 0: 0.00 to 2.77 cycles; its loops are known too badly, "
        "more executions may tell (--blocks)")


def test_a_count_in_memory_costs_more_than_one_in_a_register(tmp_path, solve):
    def loops(*empty):
        return [*empty, homogeneous("m", "mul %rbx", 10, 40.0, half=0.01,
                                    context="counter=memory")]
    register = loop("overhead", "", 1.0, half=0.01, family="overhead")
    memory = loop("overhead.m", "", 5.0, half=0.01, family="overhead", context="counter=memory")
    assumed, _ = direct(tmp_path / "assumed", solve, loops(register))
    measured, _ = direct(tmp_path / "measured", solve, loops(register, memory))
    assert abs(float(assumed["ci_low"]) - 3.4) < 0.01 and "assumed" in assumed["detail"]
    assert abs(float(measured["ci_low"]) - 3.5) < 0.01 and "empty loop" in measured["detail"]


def test_a_chain_that_counts_elsewhere_is_compared_with_its_figure(tmp_path, solve):
    for name, end in (("r15", "dec %r15; jnz"), ("memory", "decq 0xa01040; jnz")):
        loops = [homogeneous("l", "imul %rdx,%rdx", 16, 48, half=0.01,
                             order_found=f"16*imul %rdx,%rdx; {end}")]
        assert direct(tmp_path / name, solve, loops)[0]["published"] == "3"


def test_a_system_whose_loops_differ_says_so(tmp_path, solve):
    loops = [loop(f"s{k}.{width}", f"{8 - k}*cli+{k}*sti", 16 + 2 * k + (8 if width == 64 else 0),
                  parameters=f"second={k};width={width}", family="f")
             for k in (2, 4, 6) for width in (32, 64)]
    costs = [row for row in solve(write_run(tmp_path, loops)) if row["method"] == "solved"]
    assert {(row["item"], row["cycles"], row["status"]) for row in costs} == \
        {("cli", "", "unavailable"), ("sti", "", "unavailable")}
    assert {row["detail"] for row in costs} == {
        "its loops differ by width: s2.32 takes 20.00 cycles an iteration, s2.64 28.00; a context "
        "that says width gives each a row"}
