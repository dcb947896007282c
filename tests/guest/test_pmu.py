# SPDX-License-Identifier: GPL-3.0-or-later
"""The real perf stat over a PMU whose answers are known (inside/pmu.sh, pmu/testpmu.c)."""

import pytest

from harness.machine import Outcome
from harness.perf_table import counts, rows, values

LOOP = 30  # instructions an iteration of programs/loop.c
CYCLES_PER_INSTRUCTION = 2  # of the test PMU
ITERATIONS = 1_000_000


def _perf(linux: Outcome, step: str) -> str:
    return linux.step(step).files["perf"]


def test_without_a_pmu_only_clock_events_have_a_value(linux):
    found = values(_perf(linux, "no_pmu"))
    assert found["cycles:u"] == found["instructions:u"] == "<not supported>"
    assert float(found["task-clock"]) > 0 and int(found["msr/tsc/"]) > 0


def test_not_supported_is_printed_with_running_at_100_percent(linux):
    row = rows(_perf(linux, "no_pmu"))[0]
    assert (row.value, row.running_ns, row.running_percent) == ("<not supported>", 0, 100.0)


def test_a_pmu_that_refuses_user_mode_gives_not_supported_beside_a_count(linux):
    found = values(_perf(linux, "refused_u"))
    assert found["cycles:u"] == "<not supported>"
    assert int(found["instructions"]) > LOOP * 1000


def test_slopes_of_n_and_2n_are_the_known_instructions_and_cycles(linux):
    n, double = (counts(_perf(linux, f"slope_{name}")) for name in ("n", "2n"))
    slope = {event: (double[event] - n[event]) / ITERATIONS for event in n}
    assert slope["instructions:u"] == pytest.approx(LOOP, abs=0.1)
    assert slope["cycles:u"] == pytest.approx(LOOP * CYCLES_PER_INSTRUCTION, abs=0.2)
    assert linux.step("slope_2n").stdout == f"end {2 * ITERATIONS}\n"


def test_a_whole_run_counts_the_loop_and_a_small_rest_for_exec_and_exit(linux):
    rest = counts(_perf(linux, "slope_n"))["instructions:u"] - LOOP * ITERATIONS
    assert 0 < rest < 0.03 * LOOP * ITERATIONS


def test_own_events_of_one_execution_keep_their_ratio(linux):
    found = counts(_perf(linux, "own_events"))
    instructions = found["r02:u"]
    assert found["cpu/test_triple/u"] == pytest.approx(3 * instructions, rel=0.001)
    assert found["cpu/test_quarter/u"] == pytest.approx(instructions / 4, rel=0.001)


def test_an_event_by_its_terms_keeps_their_comma_in_its_name(linux):
    found = counts(_perf(linux, "terms"))
    by_terms = found["cpu/event=0x3,umask=0x1/u"]
    assert by_terms == pytest.approx(3 * found["instructions:u"], rel=0.01)


def test_a_group_is_counted_over_the_same_time(linux):
    cycles, instructions = rows(_perf(linux, "group"))
    assert cycles.running_ns == instructions.running_ns
    assert cycles.running_percent == instructions.running_percent == 100.0
    assert cycles.count == pytest.approx(2 * instructions.count, rel=0.001)


def test_more_events_than_counters_are_multiplexed_and_say_so(linux):
    found = rows(_perf(linux, "multiplexed"))
    assert len(found) == 4
    assert all(30 < row.running_percent < 70 for row in found)
    # Half of the counters for all of the time: the shares add up to two.
    assert sum(row.running_percent for row in found) == pytest.approx(200, abs=5)


def test_a_group_larger_than_the_pmu_is_never_counted(linux):
    found = rows(_perf(linux, "group_too_large"))
    assert [row.value for row in found] == ["<not counted>"] * 3
    assert [row.running_percent for row in found] == [0.0] * 3


def test_an_event_that_gets_no_counter_is_not_counted_beside_one_that_does(linux):
    found = values(_perf(linux, "stuck_event"))
    assert found["cpu/test_busy/u"] == "<not counted>"
    assert int(found["instructions:u"]) > LOOP * 1000


def test_an_event_unknown_to_the_pmu_is_not_supported(linux):
    assert values(_perf(linux, "unknown_to_pmu"))["cache-misses:u"] == "<not supported>"


@pytest.mark.parametrize("step", ["segv", "killed"])
def test_perf_exits_0_with_a_plausible_row_for_a_child_that_a_signal_ended(linux, step):
    died = linux.step(step)
    assert died.status == 0
    assert counts(died.files["perf"])["instructions:u"] > 100_000
    assert "end" not in died.stdout


def test_a_perf_ended_by_sigterm_writes_no_row_and_leaves_its_child_running(linux):
    hangs = linux.step("hangs")
    assert hangs.stdout == f"perf {128 + 15}\nthe child lives on\n"
    assert rows(hangs.files["perf"]) == []


def test_the_same_child_alone_ends_with_the_signal(linux):
    assert linux.step("segv_without_perf").status == 128 + 11


def test_perf_tells_a_missing_program_and_a_missing_event_by_status(linux):
    assert linux.step("no_such_program").status == 255
    assert "No such file" in linux.step("no_such_program").stderr
    assert linux.step("no_such_event").status == 129
    assert "no-such-event" in linux.step("no_such_event").stderr


def test_repetition_inserts_a_field_and_intervals_put_a_time_first(linux):
    repeated = _perf(linux, "repeated").splitlines()[2].split(";")
    assert (repeated[2], repeated[3][-1], len(repeated)) == ("cycles:u", "%", 8)
    interval = _perf(linux, "interval").splitlines()[2].split(";")
    assert float(interval[0]) < 1 and interval[3] == "instructions:u"


def test_a_hybrid_cpu_splits_each_event_and_the_idle_half_is_not_counted(linux):
    found = values(_perf(linux, "hybrid"))
    assert set(found) == {"cpu_core/cycles:u/", "cpu_atom/cycles:u/",
                          "cpu_core/instructions:u/", "cpu_atom/instructions:u/"}
    assert found["cpu_atom/cycles:u/"] == found["cpu_atom/instructions:u/"] == "<not counted>"
    instructions = int(found["cpu_core/instructions:u/"])
    assert instructions == pytest.approx(LOOP * ITERATIONS, rel=0.03)
    assert int(found["cpu_core/cycles:u/"]) == pytest.approx(2 * instructions, rel=0.001)


def test_a_hybrid_event_by_its_pmus_name_comes_back_without_its_modifier(linux):
    found = values(_perf(linux, "hybrid_by_name"))
    assert int(found["cpu_core/cycles/"]) > 0
    assert found["cpu_atom/cycles/"] == "<not counted>"
