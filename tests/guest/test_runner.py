# SPDX-License-Identifier: GPL-3.0-or-later
"""What the project's own runner makes of these kernels, users and PMUs (inside/runner.sh)."""

import pytest


def _finding(linux, step: str, about: str) -> str:
    """What the doctor says after `about:`."""
    doctor = linux.step(step)
    assert doctor.status == 0, doctor.stderr
    lines = [line.strip() for line in doctor.stdout.splitlines()]
    found = [line.removeprefix(about) for line in lines if line.startswith(about)]
    assert len(found) == 1, doctor.stdout
    return found[0].lstrip(": ")


@pytest.mark.parametrize("step", ["doctor_no_pmu", "doctor_pmu"])
def test_a_faked_iopl_is_recognised_as_emulated(linux, step):
    found = _finding(linux, step, "CLI, STI, POPF at CPL3")
    assert found.startswith("emulated, ") and "CLI leaves IF set" in found


@pytest.mark.parametrize("step", ["doctor_user_2", "doctor_user_3"])
def test_an_ordinary_user_cannot_have_iopl(linux, step):
    found = _finding(linux, step, "CLI, STI, POPF at CPL3")
    assert found.startswith("unavailable, ") and "EPERM" in found


def test_a_pmu_is_found_by_its_counts(linux):
    found = _finding(linux, "doctor_pmu", "core cycles (PMU)")
    assert found.startswith("yes, ") and "cycles:u" in found


@pytest.mark.parametrize("step", ["doctor_no_pmu", "doctor_pmu_refuses_u"])
def test_a_pmu_that_is_missing_or_refuses_user_mode_is_not_supported(linux, step):
    found = _finding(linux, step, "core cycles (PMU)")
    assert found.startswith("no, ") and "<not supported>" in found


def test_a_user_shut_out_from_perf_can_still_measure_and_is_told_the_setting(linux):
    found = _finding(linux, "doctor_user_3", "usable")
    assert "kernel.perf_event_paranoid=3" in found
