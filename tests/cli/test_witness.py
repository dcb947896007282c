# SPDX-License-Identifier: GPL-3.0-or-later
"""--witness and the engine hyperfine: refused without a unit, and what they say at the end."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import RUN, rows, run
from test_runs import one_line

REASONS = {
    "small": "the sweep has no calibrator; add [[family]] with name = \"calibrator\" and build it "
             "again",
    "impostor": "calibrator holds 'push %rbx; popfq; dec %eax; jnz', not a chain of add r,r alone; "
                "name that loop otherwise, add [[family]] with name = \"calibrator\"",
}


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
@pytest.mark.parametrize("what", [["--witness"], ["--engine", "hyperfine"]])
@pytest.mark.parametrize("sweep", REASONS)
def test_without_a_unit_nothing_is_measured(builds, out, sweep, what, dry):
    done = run(builds(sweep), "-o", out, *what, *dry)
    assert (done.returncode, done.stdout) == (2, "")
    assert one_line(done) == \
        f"asmsweep-run: {builds(sweep)}: {' '.join(what)} has no unit: {REASONS[sweep]}"
    assert not os.path.exists(out)


def test_a_run_without_a_witness_needs_no_unit(builds, out):
    done = run(builds("impostor"), "-o", out, "--dry-run")
    assert done.returncode == 0, done.stderr


def test_without_hyperfine_a_witness_is_refused_before_the_run(builds, out):
    done = run(builds("unit"), "-o", out, "--witness", env={"PATH": "/nonexistent"})
    assert done.returncode == 3
    assert one_line(done) == "asmsweep-run: --witness: no hyperfine in PATH; run " \
                             "./asmsweep setup, or leave it out"
    assert not os.path.exists(out)


@pytest.fixture(name="hyperfine")
def installed():
    if not shutil.which("hyperfine"):
        pytest.skip("hyperfine is not installed (package hyperfine)")


@pytest.mark.usefixtures("hyperfine")
@pytest.mark.parametrize("sweep", REASONS)
def test_doctor_names_what_is_no_unit(builds, sweep, tmp_path):
    (tmp_path / "hyperfine").symlink_to(shutil.which("hyperfine"))  # and no QEMU, which takes long
    done = subprocess.run([RUN, "doctor", builds(sweep)], capture_output=True, text=True,
                          check=False, env={"PATH": str(tmp_path)})
    assert f"{sweep} with engine hyperfine: no unit: {REASONS[sweep]}\n" in done.stdout


@pytest.mark.usefixtures("hyperfine")
def test_the_last_lines_say_whether_the_witness_agreed(builds, out):
    done = run(builds("unit"), "-o", out, "--witness", "--blocks", "2", "--slices", "20")
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("witness: ")]
    said = re.fullmatch(r"witness: (\d) agree within 2 % or 0\.1 cycle, (\d) disagree"
                        r"(?: \([a-z]+: [^)]*\))?, (\d) could not be told"
                        r"(?: \(the smallest difference it could have seen: [\d.e+]+ % to "
                        r"[\d.e+]+ %\))?(?:, (\d) have no value to compare)?", line)
    assert said and sum(int(number or 0) for number in said.groups()) == 2, line
    witness = {row["variant"] for row in rows(out, "summary.csv") if row["engine"] == "hyperfine"}
    assert witness == {"calibrator", "imul"}
