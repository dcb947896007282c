# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of the runner on a real kernel with a PMU whose answers are known (inside/sweep.sh).

Under icount an imul takes as long as an add, so the reference chains have to disagree: no value of
the stopwatch may be ok, whatever else the run finds.
"""

import pytest

from harness.run_files import measurements, only_measurement

PRIVILEGED = {"seed.cli27_sti1", "seed.sti28", "seed.cli_push_popf", "seed.sti_push_popf"}
# Instructions an iteration.
ORDINARY = {"seed.push_popf": 30, "seed.push_popf_pair": 4, "seed.push_pop_pair": 4}


def test_faked_cli_and_sti_are_refused_as_emulated_and_cost_nothing(linux):
    rows = measurements(linux, "sweep_all", status="refused")
    assert {row["variant"] for row in rows} == PRIVILEGED
    assert {row["privilege"] for row in rows} == {"emulated"}
    assert {row["value"] for row in rows} == {""}


@pytest.mark.parametrize("variant, instructions", ORDINARY.items())
def test_a_pmus_slopes_are_the_known_instructions_and_cycles(linux, variant, instructions):
    found = {quantity: float(only_measurement(linux, "sweep_all", variant=variant, source="pmu",
                                              quantity=quantity)["value"])
             for quantity in ("instructions", "cycles")}
    assert found["instructions"] == pytest.approx(instructions, rel=0.005)
    assert found["cycles"] == pytest.approx(2 * instructions, rel=0.005)


def test_an_emulated_cores_width_is_no_cores_and_leaves_the_stopwatch_without_a_value(linux):
    for variant in ORDINARY:
        row = only_measurement(linux, "sweep_all", variant=variant, source="stopwatch")
        assert (row["status"], row["value"]) == ("contended", "")


@pytest.mark.parametrize("variant, status", [("faults", "faulted"), ("killed", "faulted"),
                                             ("hangs", "timed_out")])
def test_a_variants_bad_end_under_the_real_perf_is_its_status(linux, variant, status):
    rows = measurements(linux, "sweep_all", variant=variant)
    assert {(row["status"], row["value"]) for row in rows} == {(status, "")}


def test_a_variants_bad_end_stops_no_other(linux):
    variants = {row["variant"] for row in measurements(linux, "sweep_all")}
    assert variants == PRIVILEGED | set(ORDINARY) | {"faults", "killed", "hangs"}


def test_own_events_have_their_slopes_and_an_unknown_one_its_status(linux):
    rows = {row["event"]: row
            for row in measurements(linux, "sweep_events", quantity="event")}
    assert set(rows) == {"r02:u", "test_quarter", "cache-misses"}
    assert float(rows["r02:u"]["value"]) == pytest.approx(4, rel=0.005)
    assert float(rows["test_quarter"]["value"]) == pytest.approx(1, rel=0.005)
    assert rows["cache-misses"]["status"] == "not_supported"
    assert rows["cache-misses"]["value"] == ""


def test_a_counter_that_has_to_take_turns_gives_a_status_and_no_number(linux):
    rows = measurements(linux, "sweep_multiplexed", source="pmu")
    assert {row["quantity"] for row in rows} == {"cycles", "instructions"}
    assert {(row["status"], row["value"]) for row in rows} == {("multiplexed", "")}


def test_where_a_group_finds_no_room_its_events_are_counted_one_by_one(linux):
    rows = {row["quantity"]: row for row in measurements(linux, "sweep_one_counter", source="pmu")}
    assert set(rows) == {"cycles", "instructions"}
    assert float(rows["instructions"]["value"]) == pytest.approx(4, rel=0.005)
    assert float(rows["cycles"]["value"]) > 0


def test_an_ordinary_users_run_goes_on_without_perf(linux):
    row = only_measurement(linux, "sweep_user", variant="seed.push_popf")
    assert (row["source"], row["samples"]) == ("stopwatch", "0")
    refused = measurements(linux, "sweep_user", status="refused")
    assert {row["privilege"] for row in refused} == {"unavailable"}
