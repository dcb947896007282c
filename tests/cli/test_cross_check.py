# SPDX-License-Identifier: GPL-3.0-or-later
"""--cross-check and the engine hyperfine: refused without a unit, and what they say at the end."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import RUN, assert_ended, rows, run
from test_runs import one_line

REASONS = {
    "small": "the sweep has no calibrator; add [[family]] with name = \"calibrator\" and build it "
             "again",
    "impostor": "calibrator holds 'push %rbx; popfq; dec %eax; jnz', not a chain of add r,r alone; "
                "name that loop otherwise, add [[family]] with name = \"calibrator\"",
}


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
@pytest.mark.parametrize("what", [["--cross-check"], ["--engine", "hyperfine"]])
@pytest.mark.parametrize("sweep", REASONS)
def test_without_a_unit_nothing_is_measured(builds, out, sweep, what, dry):
    done = run(builds(sweep), "-o", out, *what, *dry)
    assert (done.returncode, done.stdout) == (2, "")
    assert one_line(done) == \
        f"asmsweep-run: {builds(sweep)}: {' '.join(what)} has no unit: {REASONS[sweep]}"
    assert not os.path.exists(out)


def test_a_run_without_a_cross_check_needs_no_unit(builds, out):
    done = run(builds("impostor"), "-o", out, "--dry-run")
    assert done.returncode == 0, done.stderr


def test_without_hyperfine_a_cross_check_is_refused_before_the_run(builds, out):
    done = run(builds("unit"), "-o", out, "--cross-check", env={"PATH": "/nonexistent"})
    assert done.returncode == 3
    assert one_line(done) == "asmsweep-run: --cross-check: no hyperfine in PATH; run " \
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
def test_the_last_lines_say_whether_the_cross_check_agreed(builds, out):
    done = run(builds("unit"), "-o", out, "--cross-check", "--blocks", "2", "--slices", "20")
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("cross-check: ")]
    said = re.fullmatch(r"cross-check: (\d) agree within 2 % or 0\.1 cycle, (\d) disagree"
                        r"(?: \([a-z]+: [^)]*\))?, (\d) could not be told"
                        r"(?: \(the smallest difference it could have seen: [\d.e+]+ % to "
                        r"[\d.e+]+ %\))?(?:, (\d) have no value to compare)?", line)
    assert said and sum(int(number or 0) for number in said.groups()) == 2, line
    checked = {row["variant"] for row in rows(out, "summary.csv") if row["engine"] == "hyperfine"}
    assert checked == {"calibrator", "imul"}

FAKE = """#!/usr/bin/python3
# hyperfine as its JSON shows it: seconds of 5 runs of each command, by the cycles in CYCLES (a
# list; one a call, the last one stays) and the part NOISE by which the runs differ.
import json, os, sys
if sys.argv[1] == "--version":
    print("hyperfine 1.15.0")
    sys.exit()
with open(os.environ["CALLS"], "a") as stream:
    stream.write("imul " if "imul" in sys.argv[-4] else "calibrator ")
calls = open(os.environ["CALLS"]).read().split().count("imul")
cycles = [float(text) for text in os.environ["CYCLES"].split()]
results = []
for command in sys.argv[-4:]:
    path, count = command.rsplit(" ", 1)
    each = cycles[min(calls, len(cycles)) - 1] if "imul" in path else 32
    seconds = 1e-3 + each * float(count) / 3e9
    times = [seconds * (1 + float(os.environ["NOISE"]) * (run - 2)) for run in range(5)]
    results.append({"command": command, "times": times, "exit_codes": [0] * 5})
json.dump({"results": results}, open(sys.argv[sys.argv.index("--export-json") + 1], "w"))
"""


@pytest.fixture(name="scripted")
def scripted_hyperfine(tmp_path):
    """Environment of a hyperfine that tells these cycles of the loop imul."""
    (tmp_path / "hyperfine").write_text(FAKE)
    (tmp_path / "hyperfine").chmod(0o755)

    def environment(cycles, noise="1e-6"):
        return dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}", CYCLES=cycles,
                    NOISE=noise, CALLS=str(tmp_path / "calls"))
    return environment


@pytest.mark.parametrize("cycles, noise, detail", [
    ("0.03", "1e-6", "0.03 cycles: faster than a taken jump can be"),
    ("48", "0.2", "2N iterations took longer than N by less than the runs differ"),
    ("-1", "1e-6", "2N iterations took no longer than N")])
def test_a_slope_that_can_be_none_gives_no_value(builds, out, scripted, cycles, noise, detail):
    run(builds("unit"), "-o", out, "--engine", "hyperfine", "--only", "imul", "--blocks", "3",
        env=scripted(cycles, noise))
    measured = [row for row in rows(out, "measurements.csv") if row["variant"] == "imul"]
    assert [(row["value"], row["status"], row["detail"]) for row in measured] == \
        3 * [("", "implausible", detail)]


def against(builds, out, environment):
    """The line of the cross-check, and its values of imul."""
    done = run(builds("unit"), "-o", out, "--cross-check", "--blocks", "3", env=environment)
    assert_ended(done)
    return re.search("^cross-check: .*", done.stderr, re.M)[0], [
        row["value"] for row in rows(out, "measurements.csv")
        if (row["variant"], row["engine"]) == ("imul", "hyperfine")]


def test_a_cross_check_that_contradicts_is_measured_again(builds, out, scripted):
    line, values = against(builds, out, scripted("35 24"))
    assert values == ["35", "24"]
    assert "1 agree" in line and ", 0 disagree, 1 could not be told" in line, line


def test_a_cross_check_that_stays_so_disagrees(builds, out, scripted):
    line, values = against(builds, out, scripted("35"))
    assert values == 3 * ["35"]
    assert re.search(r"1 disagree \(imul: 2[34](\.\d+)? and 35\)", line), line


SHELL = """#!/bin/sh
[ "$1" = --version ] && {{ echo "{version}"; exit 0; }}
while [ $# -gt 0 ]; do [ "$1" = --export-json ] && out=$2; shift; done
{does}
"""
EXPORT = '{"results":[%s]}' % ",".join(
    '{"times":[%s],"exit_codes":[0,0]}' % times for times in ("1,1", "2,2", "3,3", "{last}"))


@pytest.fixture(name="fake")
def hyperfine_that_is_not_there(builds, out, tmp_path):
    """Run the engine hyperfine with a program of that name that does what is said: the finished
    process, and the rows of its measurements."""
    def fake(does, *options, version="hyperfine 1.15.0"):
        program = tmp_path / "hyperfine"
        program.write_text(SHELL.format(version=version, does=does))
        program.chmod(0o755)
        done = run(builds("unit"), "-o", out, "--engine", "hyperfine", "--blocks", "1", *options,
                   env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
        return done, rows(out, "measurements.csv") if os.path.exists(out) else []
    return fake


def test_the_ratio_of_the_slopes_is_the_value(builds, fake):
    done, measured = fake(f"echo '{EXPORT.replace('{last}', '5,5')}' >$out")
    # Its seconds are far more than it took: no time of ours becomes less than none by that.
    assert re.search(r"2 executions in \d\.\d s: 0\.0 s starting perf or QEMU, \d\.\d s in the "
                     r"variants", done.stderr), done.stderr
    assert sorted(row["variant"] for row in measured) == ["calibrator", "imul"]
    n = {row["variant"]: int(row["iterations"]) // 100 + 1
         for row in rows(builds("unit"), "variants.csv")}
    for row in measured:
        # (2 - 1) / n of the loop over (5 - 3) / n of a chain of 32 cycles; each n is its own.
        value = 32 * (1 / n[row["variant"]]) / (2 / n["calibrator"])
        assert float(row["value"]) == pytest.approx(value, rel=1e-8)
        assert row["ci_low"] == row["value"] == row["ci_high"]
        assert (row["quantity"], row["status"], row["source"], row["samples"]) == \
            ("cycles", "ok", "hyperfine", "4")


@pytest.mark.parametrize("does, status, told", [
    ("echo; echo 'Error: Command terminated with non-zero exit code 4' >&2; exit 1", "faulted",
     "hyperfine: Error: Command terminated with non-zero exit code 4"),
    ("exit 3", "faulted", "hyperfine: exit status 3"),
    ("kill -SEGV $$", "faulted", "hyperfine: died of SIGSEGV"),
    ("while :; do :; done", "timed_out", "hyperfine: still running after the 2.4 s allowed"),
    ("", "faulted", "hyperfine: its export is not JSON: cut off?"),
    ("echo '{\"results\":[]}' >$out", "faulted", "has not the commands that were asked for"),
])
def test_a_hyperfine_that_fails_is_a_status_with_its_words(fake, does, status, told):
    done, measured = fake(does, "--only", "imul", "--timeout", "100ms")
    assert done.returncode == 3
    (row,) = measured
    assert (row["variant"], row["status"], row["value"], row["ci_low"]) == ("imul", status, "", "")
    assert told in row["detail"]


@pytest.mark.parametrize("version, told", [
    ("hyperfine 1.12.0", "hyperfine 1.12 has no -N: 1.13 or later"),
    ("hyperfine 0.99", "hyperfine 0.99 has no -N: 1.13 or later"),
    ("something else", "no hyperfine in PATH")])
def test_a_hyperfine_that_is_too_old_measures_nothing(fake, version, told):
    done, measured = fake("exit 0", version=version)
    assert done.returncode == 3 and told in one_line(done) and not measured
