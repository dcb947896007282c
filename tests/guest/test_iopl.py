# SPDX-License-Identifier: GPL-3.0-or-later
"""CLI, STI and POPF at CPL3 on a kernel that fakes iopl(3) (inside/iopl.sh)."""

from harness.perf_table import values


def _lines(step):
    return dict(line.rsplit(" ", 1) for line in step.stdout.splitlines() if " " in line)


def test_iopl_succeeds_and_yet_nothing_changes_if(linux):
    probe = linux.step("iopl")
    assert probe.status == 0 and probe.stdout.endswith("end\n")
    assert _lines(probe) == {"iopl": "0", "if_after_start": "1", "if_after_cli": "1",
                             "if_after_sti": "1", "if_after_popf_that_clears_it": "1"}


def test_the_kernel_logs_one_line_for_all_faked_instructions_of_a_task(linux):
    lines = [line for line in linux.step("iopl_log").stdout.splitlines()
             if "attempts to use CLI/STI, pretending it's a NOP" in line]
    assert len(lines) == 1
    assert "iopl_probe[" in lines[0]


def test_cli_without_iopl_is_a_segmentation_fault(linux):
    died = linux.step("segv_without_perf")
    assert died.status == 128 + 11
    assert died.stdout == "if_after_start 1\n"


def test_an_ordinary_user_is_refused_iopl_and_dies_at_cli(linux):
    refused = linux.step("iopl_refused")
    assert refused.status == 128 + 11
    assert _lines(refused) == {"iopl": "-1", "if_after_start": "1"}


def test_a_locked_down_kernel_refuses_iopl_and_leaves_perf_its_counts(linux):
    probe = linux.step("lockdown_iopl")
    assert probe.status == 128 + 11
    assert _lines(probe) == {"iopl": "-1", "if_after_start": "1"}
    assert int(values(linux.step("lockdown_perf").files["perf"])["msr/tsc/"]) > 30 * 1000
