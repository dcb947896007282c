# SPDX-License-Identifier: GPL-3.0-or-later
"""asmsweep-results solve and published, on runs whose costs are known."""

import csv
import filecmp
import os
import shutil

from programs import PUBLISHED
from synthetic import holds, homogeneous, loop, one, petition, write_run

REFUSED = {"status": "refused", "privilege": "unavailable", "detail": "iopl: ENOSYS"}


def ratio(values, **more):
    """Loops of 8 slots: k sti among cli, with the cycles given."""
    made = []
    for k, value in enumerate(values):
        mix = "+".join(f"{n}*{name}" for n, name in ((8 - k, "cli"), (k, "sti")) if n)
        made.append(loop(f"ratio-{k}", mix, value, family="ratio", order="spread", **more))
    return made


def test_additive_costs_lie_inside_the_printed_intervals(tmp_path, solve):
    costs = solve(write_run(tmp_path, petition(cli=2.0, sti=4.0)))
    for item, truth in (("cli", 2.0), ("sti", 4.0)):
        solved = one(costs, item=item, method="solved")
        assert solved["additive"] == "yes" and holds(solved, truth)
        direct = one(costs, item=item, method="direct")
        assert holds(direct, truth)


def test_a_solved_cost_does_not_replace_a_direct_one(tmp_path, solve):
    costs = solve(write_run(tmp_path, petition()))
    assert [row["method"] for row in costs if row["item"] == "cli"] == ["direct", "solved"]


def test_costs_that_do_not_add_are_not_printed(tmp_path, solve):
    values = [2 * (8 - k) + 4 * k + (8 if 0 < k < 8 else 0) for k in range(9)]
    costs = solve(write_run(tmp_path, ratio(values)))
    for item in ("cli", "sti"):
        row = one(costs, item=item)
        assert (row["cycles"], row["ci_low"], row["additive"], row["status"]) == \
            ("", "", "no", "unavailable")
        assert "costs do not add: ratio-" in row["detail"]


def test_instructions_that_always_stand_together_are_one_item(tmp_path, solve):
    loops = [loop(f"i-{n}", f"8*push+8*popfq+{n}*nop" if n else "8*push+8*popfq",
                  8 * 20 + n * 0.25, family="interleave") for n in (0, 8, 16, 32)]
    costs = solve(write_run(tmp_path, loops))
    assert {row["item"] for row in costs} == {"push+popfq", "nop"}
    assert holds(one(costs, item="push+popfq"), 20.0)
    assert holds(one(costs, item="nop"), 0.25)


def test_a_loop_without_a_filler_belongs_to_every_fillers_system(tmp_path, solve):
    loops = [homogeneous("i-0", "push %rbx; popfq", 8, 160.0, family="i", context="if=1->1")]
    for name, cost in (("nop", 0.25), ("imul", 1.0)):
        loops += [loop(f"i-{name}-{n}", f"8*push+8*popfq+{n}*{name}", 160 + n * cost, family="i",
                       order="spread", context=f"if=1->1;filler={name}") for n in (8, 32)]
    costs = solve(write_run(tmp_path, loops))
    for name, cost in (("nop", 0.25), ("imul", 1.0)):
        row = one(costs, item=name)
        assert row["additive"] == "yes" and holds(row, cost)
        assert row["variants"] == f"i-0 i-{name}-8 i-{name}-32"


def test_overlap_gives_no_solved_cost(tmp_path, solve):
    # The nops hide behind POPF until there are too many of them.
    loops = [loop(f"i-{n}", f"8*push+8*popfq+{n}*nop" if n else "8*push+8*popfq",
                  160 + max(0, n - 16) * 4, family="interleave") for n in (0, 8, 16, 24, 32)]
    costs = solve(write_run(tmp_path, loops))
    solved = [row for row in costs if row["method"] == "solved"]
    assert [row["cycles"] for row in solved] == ["", ""]
    assert {row["additive"] for row in solved} == {"no"}


def test_two_loops_for_two_overlapping_items_test_nothing_and_solve_nothing(tmp_path, solve):
    loops = [loop("a", "8*push+4*nop", 10, family="f"), loop("b", "4*push+8*nop", 9, family="f")]
    row = solve(write_run(tmp_path, loops))[0]
    assert (row["cycles"], row["additive"], row["status"]) == ("", "untested", "unavailable")


def test_serial_instructions_are_solved_untested_and_said_to_be(tmp_path, solve):
    loops = [loop("a", "27*cli+1*sti", 58, family="f"), loop("b", "28*sti", 112, family="f")]
    costs = solve(write_run(tmp_path, loops))
    row = one(costs, item="cli")
    assert row["additive"] == "untested" and holds(row, 2.0)


def test_a_rank_deficient_system_names_its_rank_and_solves_what_it_can(tmp_path, solve):
    # sti and nop change together, but not in equal numbers: inseparable, cli is not.
    loops = [loop(f"d-{k}", f"{4 + 3 * k}*cli+{4 - k}*sti+{8 - 2 * k}*nop",
                  2 * (4 + 3 * k) + 4 * (4 - k) + 1 * (8 - 2 * k), family="d")
             for k in range(4)]
    costs = solve(write_run(tmp_path, loops))
    for item in ("sti", "nop"):
        row = one(costs, item=item)
        assert row["cycles"] == "" and "rank 2 of 3 items" in row["detail"]
    assert holds(one(costs, item="cli"), 2.0)


def test_refused_loops_give_empty_costs_with_their_reason(tmp_path, solve):
    loops = [dict(row, **REFUSED, value="", ci_low="", ci_high="")
             for row in ratio([16] * 9)]
    costs = solve(write_run(tmp_path, loops))
    for row in costs:
        assert (row["cycles"], row["status"], row["detail"]) == ("", "refused", "iopl: ENOSYS")


def test_a_loop_without_a_mix_gives_no_cost_and_harms_no_other(tmp_path, solve):
    loops = [homogeneous("c", "cli", 10, 20),
             dict(homogeneous("s", "sti", 10, None), mix="", status="unproved")]
    costs = solve(write_run(tmp_path, loops))
    assert [(row["item"], row["method"]) for row in costs] == \
        [("cli", "direct"), ("s: one iteration", "iteration")]


def test_a_loop_that_no_cost_tells_is_a_row_of_its_own(tmp_path, solve):
    loops = [loop("reps.n64", "2*mov+1*lea+1*imul", 15.0, half=0.01, family="reps",
                  context="n=64", group="imul", groups=1, detail="5 context switches"),
             loop("alone", "1*add", 1.0, family="alone"), homogeneous("c", "cli", 10, 20)]
    costs = solve(write_run(tmp_path, loops))
    row = one(costs, item="reps.n64: one iteration")
    assert [row[key] for key in ("general", "family", "context", "method", "additive", "variants",
                                 "published", "status")] == \
        ["reps.n64: one iteration", "reps", "n=64", "iteration", "untested", "reps.n64", "", "ok"]
    assert [float(row[key]) for key in ("cycles", "ci_low", "ci_high")] == [15, 14.99, 15.01]
    assert row["detail"] == ("no cost of its own: 1 of its group is 1*imul, its body is "
                             "2*mov+1*lea+1*imul; 5 context switches")
    assert "group and groups do not say" in one(costs, variants="alone")["detail"]
    assert [row["method"] for row in costs] == ["direct", "iteration", "iteration"]


def test_a_loop_without_a_value_keeps_its_status_and_reason(tmp_path, solve):
    loops = [dict(loop("wrong", "1*add", None), mix="", status="unproved", detail="mix: 2*add"),
             loop("slow", "1*div", None, status="timed_out", detail="2 s")]
    assert [(row["variants"], row["method"], row["cycles"], row["status"], row["detail"])
            for row in solve(write_run(tmp_path, loops))] == [
        ("wrong", "iteration", "", "unproved", "mix: 2*add"),
        ("slow", "iteration", "", "timed_out", "2 s")]


def test_loops_of_costs_that_do_not_add_keep_their_cycles(tmp_path, solve):
    values = [2 * (8 - k) + 4 * k + (8 if 0 < k < 8 else 0) for k in range(9)]
    costs = solve(write_run(tmp_path, ratio(values)))
    told = {row["variants"]: float(row["cycles"]) for row in costs
            if row["method"] == "iteration"}
    assert told == {f"ratio-{k}": value for k, value in enumerate(values)}


def test_refused_loops_that_a_refused_cost_names_are_not_told_twice(tmp_path, solve):
    loops = [dict(row, **REFUSED, value="", ci_low="", ci_high="") for row in ratio([16] * 9)]
    assert {row["method"] for row in solve(write_run(tmp_path, loops))} == {"solved"}


def test_a_cost_names_every_loop_it_rests_on(tmp_path, solve):
    names = [f"a-rather-long-name-of-a-loop-{k}" for k in range(60)]
    loops = [homogeneous(name, "cli", 10, 20) for name in names]
    assert one(solve(write_run(tmp_path, loops)))["variants"].split() == names


def test_emulated_values_are_no_costs(tmp_path, solve):
    loops = [homogeneous("e", "cli", 28, 56, status="emulated", detail="faked iopl"),
             homogeneous("t", "sti", 28, 56, engine="guest", accel="tcg", ring="0")]
    costs = solve(write_run(tmp_path, loops))
    assert [(row["item"], row["cycles"], row["status"]) for row in costs] == \
        [("cli", "", "emulated")]


def test_missing_cells_leave_the_rest_solved(tmp_path, solve):
    loops = ratio([2 * (8 - k) + 4 * k for k in range(9)])
    for k in (2, 5):
        loops[k].update(value="", ci_low="", ci_high="", status="timed_out", detail="10 s")
    costs = solve(write_run(tmp_path, loops))
    assert holds(one(costs, item="cli"), 2.0) and holds(one(costs, item="sti"), 4.0)


def test_a_zero_written_for_a_missing_value_is_not_made_up(tmp_path, solve):
    costs = solve(write_run(tmp_path, [homogeneous("n", "nop", 16, None, status="not_counted")]))
    assert one(costs, item="nop")["cycles"] == ""


def test_the_empty_loop_bounds_the_overhead(tmp_path, solve):
    loops = [loop("empty", "", 1.5, half=0.01), homogeneous("c", "cli", 10, 20, half=0.01)]
    row = one(solve(write_run(tmp_path, loops)), item="cli")
    assert abs(float(row["cycles"]) - 2.0) < 1e-6
    assert abs(float(row["ci_low"]) - (20 - 1.51) / 10) < 0.003
    assert "empty loop" in row["detail"]


def test_without_an_empty_loop_the_overhead_is_zero_to_one(tmp_path, solve):
    row = one(solve(write_run(tmp_path, [homogeneous("c", "cli", 10, 20, half=0.01)])), item="cli")
    assert abs(float(row["ci_low"]) - 1.9) < 0.003 and abs(float(row["ci_high"]) - 2) < 0.003
    assert "assumed" in row["detail"]


def test_break_even_is_the_sequence_minus_its_surroundings(tmp_path, solve):
    costs = solve(write_run(tmp_path, petition()))
    found = {row["context"].split("was=")[1]: row for row in costs
             if row["item"] == "POPF_IF break-even"}
    for key, truth in (("0;branch=predicted", 4), ("1;branch=predicted", 8),
                       ("0.5;branch=unpredictable", 18)):
        assert found[key]["method"] == "difference"
        assert abs(float(found[key]["cycles"]) - truth) < 1e-6 and holds(found[key], truth)


def test_break_even_without_surroundings_is_empty(tmp_path, solve):
    loops = [row for row in petition() if "restore=none" not in row["context"]]
    costs = solve(write_run(tmp_path, loops))
    found = [row for row in costs if row["item"] == "POPF_IF break-even"]
    assert len(found) == 3
    assert {(row["cycles"], row["status"]) for row in found} == {("", "unavailable")}


def test_an_order_is_a_row_of_its_own(tmp_path, solve):
    loops = [loop(f"o-{order}", "4*cli+4*sti", value, family="o", order=order)
             for order, value in (("spread", 24.0), ("clustered", 26.5))]
    row = one(solve(write_run(tmp_path, loops)), item="order of 4*cli+4*sti")
    assert row["order"] == "spread minus clustered"
    assert abs(float(row["cycles"]) + 2.5) < 1e-6


def test_parts_in_front_of_a_group_are_tested_for_additivity(tmp_path, solve):
    loops = [homogeneous("c", "cli", 28, 56), homogeneous("p", "push %rbx; popfq", 14, 14 * 21),
             homogeneous("cp", "cli; push %rbx; popfq", 14, 14 * 28)]
    row = one(solve(write_run(tmp_path, loops)), item="cli; push %rbx; popfq")
    assert row["additive"] == "no" and "sum to 23.00" in row["detail"]


def test_published_figures_stand_beside_and_agree_or_not(tmp_path, solve):
    loops = [homogeneous("pf", "pushfq; popfq", 16, 16 * 20.6),
             homogeneous("i", "imul %rbx,%rbx", 16, 16 * 4.0),
             homogeneous("df", "pushfq; popfq", 16, 16 * 90, context="bits=df")]
    costs = solve(write_run(tmp_path, loops))
    row = one(costs, item="pushfq; popfq", context="")
    assert (row["published"], row["agrees"]) == ("20.67", "yes")
    assert row["published_source"].startswith("Zen4 Genoa: InstLatx64")
    row = one(costs, item="imul %rbx,%rbx")
    assert (row["published"], row["agrees"]) == ("3", "no")
    assert one(costs, context="bits=df")["published"] == ""


def test_a_published_latency_is_compared_with_its_chain_only(tmp_path, solve):
    items = ("imul %rdx,%rdx", "imul %rsi,%rdx", "add %rbx,%rbx", "add %edx,%edx", "add %dl,%dl",
             "add %xmm0,%xmm0", "push %rbx; pop %rcx")
    loops = [homogeneous(f"l{n}", item, 16, 48, half=0.01) for n, item in enumerate(items)]
    costs = solve(write_run(tmp_path, loops))
    assert {row["item"]: row["published"] for row in costs} == {
        "imul %rdx,%rdx": "3", "imul %rsi,%rdx": "", "add %rbx,%rbx": "1", "add %edx,%edx": "",
        "add %dl,%dl": "", "add %xmm0,%xmm0": "", "push %rbx; pop %rcx": "1"}


def test_a_group_that_its_body_does_not_bear_out_is_not_compared(tmp_path, solve):
    bodies = {"chain": "imul %rdx,%rdx", "unknown": "", "two": "imul %rdx,%rdx; imul %rcx,%rcx",
              "other": "2*imul %rsi,%rdx", "narrow": "2*imul %edx,%edx"}
    loops = [homogeneous(name, "imul %rdx,%rdx", 2, 3.0, half=0.01, family=name,
                         order_found=f"{body}; dec %eax; jnz" if body else "")
             for name, body in bodies.items()]
    loops.append(homogeneous("pairs", "pushfq; popfq", 2, 40.0, family="pairs",
                             order_found="popfq; pushfq; popfq; pushfq; dec %eax; jnz"))
    costs = solve(write_run(tmp_path, loops))
    assert {row["family"]: row["published"] for row in costs} == {
        "chain": "3", "unknown": "3", "two": "", "other": "", "narrow": "", "pairs": "20.67"}


def test_a_model_of_the_same_generation_stands_in(tmp_path, solve):
    loops = [homogeneous("pf", "pushfq; popfq", 16, 16 * 18.2, cpu_family="26", cpu_model="2")]
    row = one(solve(write_run(tmp_path, loops)), item="pushfq; popfq")
    assert (row["published"], row["agrees"]) == ("18.102", "yes")


def test_cpl0_is_not_compared_with_user_mode(tmp_path, solve):
    loops = [homogeneous("pf", "pushfq; popfq", 16, 16 * 18.2, ring="0", engine="guest",
                         accel="kvm")]
    assert one(solve(write_run(tmp_path, loops)), item="pushfq; popfq")["published"] == ""


def test_the_pmu_is_preferred_to_the_stopwatch(tmp_path, solve):
    loops = [homogeneous("c", "cli", 10, 20), homogeneous("c", "cli", 10, 21, source="pmu")]
    assert abs(float(solve(write_run(tmp_path, loops))[0]["cycles"]) - 2.1) < 1e-6


def test_duplicates_make_the_noise_floor(tmp_path, solve):
    loops = [loop("a", "1*cli", 100), loop("b", "1*cli", 101, duplicate_of="a"),
             loop("c", "1*sti", 200, duplicate_of="nobody")]
    solve(write_run(tmp_path, loops))
    with open(tmp_path / "notes.csv", newline="", encoding="utf-8") as stream:
        notes = {row["key"]: row["value"] for row in csv.DictReader(stream)}
    assert notes["noise_pairs"] == "1"
    assert abs(float(notes["noise_largest_percent"]) - 100 / 100.5) < 1e-6


def test_the_committed_published_costs_are_what_the_program_makes(tmp_path, results):
    for name in ("instlatx64.csv", "petition_2016_costs.csv"):
        shutil.copy(os.path.join(PUBLISHED, name), tmp_path)
    assert results("published", tmp_path).returncode == 0
    assert filecmp.cmp(tmp_path / "costs.csv", os.path.join(PUBLISHED, "costs.csv"), False)


def test_bad_input_is_one_line_with_file_and_line(tmp_path, results):
    folder = write_run(tmp_path, [loop("a", "cli", 2)])
    done = results("solve", folder)
    assert done.returncode == 2
    assert f"{folder}/summary.csv:2: the mix \"cli+1*dec+1*jnz\" of a" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not os.path.exists(tmp_path / "costs.csv")


def test_a_run_that_is_not_there_is_named(tmp_path, results):
    done = results("solve", tmp_path / "nowhere")
    assert done.returncode == 2 and done.stderr == (
        f"asmsweep-results: {tmp_path}/nowhere: is not there; give the folder that ./asmsweep run "
        "printed, or run it again\n")


def test_a_folder_that_cannot_be_written_keeps_the_old_costs(tmp_path, results):
    folder = write_run(tmp_path, [homogeneous("c", "cli", 10, 20)])
    os.mkdir(tmp_path / "costs.csv")  # a rename onto a directory fails for root too
    done = results("solve", folder)
    assert done.returncode == 2 and "costs.csv" in done.stderr
    assert sorted(name for name in os.listdir(folder) if name.startswith("costs")) == \
        ["costs.csv"]
