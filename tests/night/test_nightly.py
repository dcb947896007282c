# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole nights on a simulated host (tests/host), short: what changes there is what the test says.
Nights on this machine are in tests/accuracy."""

import csv
import fnmatch
import os
import re
import shlex
import signal
import subprocess
import time

import pytest
from nights import NIGHT, RESULTS, RUN, of_kind  # also where host is found
from host import SHARED, Host
from whole import SHORT, SLOW, build, call, command, costs, newest, rows, whole_night

NIGHTS = 5
# The most nights with an alarm that a level of 5 % gives with a chance of 2 % or more.
ALLOWED = 1
# What executions of one loop differ by on a quiet machine (docs/statistics-measured.md), and an
# interrupt now and then.
NOISE = "* 0 between=0.0007 interrupted=0.001"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A built sweep whose variants are the host's, a front that names it, and the programs."""
    folder = tmp_path_factory.mktemp("nights")
    build(folder)
    return folder


@pytest.fixture(scope="module")
def machine(place):
    made = Host(place / "host", RUN)
    made.move_in(place / "known_answers")
    return made


@pytest.fixture(autouse=True)
def host(machine, place):
    """says(LINE...): from now on the host does that, too. At first it is only noisy."""
    def says(*lines):
        machine.says(NOISE, *costs(place), *lines)
    machine.forgets()
    says()
    return says


def ended(run):
    with open(os.path.join(run, "journal"), encoding="utf-8") as stream:
        return stream.read().endswith("\nend complete\n")


def test_a_change_of_three_percent_is_reported_on_the_first_night(place, tmp_path, host):
    whole_night(place, tmp_path)
    slower = f"{SLOW} 0 loop={1.03 * costs(place, SLOW)}"
    host(slower)
    done, found = whole_night(place, tmp_path, ends=(4,))
    (row,) = of_kind(found, "changed")
    assert row["variant"] == SLOW and float(row["part"]) == pytest.approx(0.03, abs=0.003)
    assert float(row["part_low"]) < 0.03 < float(row["part_high"])
    text = (newest(tmp_path) / "report.txt").read_text(encoding="utf-8")
    assert "Changed: 1; lost: 0" in text and done.stdout == text
    assert (newest(tmp_path) / "done").read_text(encoding="utf-8") == "4\n"
    # The night after, nothing is new any more.
    _, found = whole_night(place, tmp_path)
    assert not of_kind(found, "changed")


def test_what_is_faster_again_when_measured_again_is_no_change(place, tmp_path, host):
    """A neighbour slowed the whole night's five executions of one loop, and was gone then."""
    whole_night(place, tmp_path)
    usual = costs(place, SLOW)
    host(f"{SLOW} 5 loop={1.03 * usual}", f"{SLOW} 10 loop={usual}")
    _, found = whole_night(place, tmp_path)
    assert [row["variant"] for row in of_kind(found, "unconfirmed")] == [SLOW]
    assert not of_kind(found, "changed")


def test_nights_without_a_change_alarm_as_often_as_the_level_allows(place, tmp_path):
    whole_night(place, tmp_path)
    alarms, candidates, compared = 0, 0, 0
    for _ in range(NIGHTS):
        done, found = whole_night(place, tmp_path, ends=(0, 4))
        alarms += bool(of_kind(found, "changed"))
        candidates += len(of_kind(found, "changed")) + len(of_kind(found, "unconfirmed"))
        compared += int(of_kind(found, "sweep")[0]["compared"])
        assert done.returncode == (4 if of_kind(found, "changed") else 0)
        assert not of_kind(found, "lost")
    print(f"{NIGHTS} nights, {compared} comparisons: {candidates} candidates, {alarms} nights "
          "with an alarm")
    assert compared == NIGHTS * len(costs(place))
    assert alarms <= ALLOWED


def test_a_night_on_a_shared_core_loses_its_values_and_compares_nothing(place, tmp_path, host):
    whole_night(place, tmp_path)
    host(f"* 0 {SHARED}")
    done, found = whole_night(place, tmp_path, ends=(3,))
    assert not of_kind(found, "changed") and not of_kind(found, "lost")
    missing = of_kind(found, "missing")
    assert len(missing) == len(costs(place))
    assert {(row["status"], row["cycles"]) for row in missing} == {("contended", "")}
    assert "known_answers: 0 loops compared with" in done.stdout


def start_and_kill(place, where, host, *options):
    """Kill a night, with all its processes, once three executions are on disk; its run."""
    host("* 0 takes=0.05")
    process = subprocess.Popen(command(place, where, *options), start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal = None
    for _ in range(6000):  # another run may hold the core
        time.sleep(0.05)
        found = list((where / "store").glob("*/*/*/journal"))
        if found and found[0].read_text(encoding="utf-8").count("\ndone ") >= 3:
            journal = found[0]
            break
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert journal is not None
    host()
    return journal.parent


def test_a_killed_night_is_finished_by_the_next(place, tmp_path, host):
    run = start_and_kill(place, tmp_path, host)
    assert not ended(run) and not list((tmp_path / "nights").glob("*/done"))
    done = call(*command(place, tmp_path))
    assert done.returncode == 0 and "finishing the night begun at" in done.stderr
    assert ended(run) and list((tmp_path / "store").glob("*/*/*")) == [run]
    assert len(list((tmp_path / "nights").glob("2*Z"))) == 1
    assert of_kind(rows(tmp_path), "sweep")[0]["folder"] == str(run)


def test_a_killed_run_of_another_build_is_left_and_measured_anew(place, tmp_path, host):
    run = start_and_kill(place, tmp_path, host)
    journal = (run / "journal").read_text(encoding="utf-8")
    changed = re.sub(r"(?m)^plan_sha256 .*$", "plan_sha256 " + "0" * 64, journal)
    (run / "journal").write_text(changed, encoding="utf-8")
    done = call(*command(place, tmp_path))
    assert done.returncode == 0
    assert "changed since this run began" in done.stderr and "measuring anew" in done.stderr
    assert not ended(run)
    (row,) = of_kind(rows(tmp_path), "sweep")
    assert row["folder"] != str(run) and ended(row["folder"])


def test_a_run_says_how_it_ended_and_takes_a_list_of_names(place, tmp_path):
    names = ["known_answers.nop*", SLOW]
    for options, how in (((), "complete"), (("--budget", "1ms"), "budget")):
        done = call(RUN, "run", place / "known_answers", "--store", tmp_path / how, "--only",
                    ",".join(names), *SHORT, *options)
        run = done.stdout.rstrip("\n")
        with open(os.path.join(run, "journal"), encoding="utf-8") as stream:
            assert stream.read().endswith(f"\nend {how}\n")
        with open(os.path.join(run, "summary.csv"), newline="", encoding="utf-8") as stream:
            measured = {row["variant"] for row in csv.DictReader(stream)}
        assert SLOW in measured and len(measured) > 1
        assert all(fnmatch.fnmatch(name, names[0]) or name == SLOW for name in measured)


def test_a_killed_night_of_another_kind_is_never_compared_with(place, tmp_path, host):
    run = start_and_kill(place, tmp_path, host)
    _, found = whole_night(place, tmp_path, "--seed", "7")
    assert not ended(run)
    assert [row["detail"] for row in of_kind(found, "baseline")] == ["the first run on this CPU"]
    first = min((tmp_path / "nights").glob("2*Z"))
    assert "given up" in (first / "done").read_text(encoding="utf-8")


def test_one_night_at_a_time_and_the_lock_dies_with_its_holder(place, tmp_path, host):
    host("* 0 takes=0.05")
    first = subprocess.Popen(command(place, tmp_path), start_new_session=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        time.sleep(0.05)
        if list((tmp_path / "nights").glob("2*Z/plan")):
            break
    second = call(*command(place, tmp_path))
    host()
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    assert second.returncode == 3
    assert f"another night is at work (process {first.pid})" in second.stderr
    for _ in range(100):  # what it had started dies of its death, a moment later
        third = call(*command(place, tmp_path))
        if "another night is at work" not in third.stderr:
            break
        time.sleep(0.05)
    assert third.returncode == 0, third.stderr


def test_a_sweep_that_cannot_be_built_does_not_stop_the_others(place, tmp_path):
    done = call(*command(place, tmp_path, sweeps=("nonsense", "known_answers")))
    found = rows(tmp_path)
    assert done.returncode == 3 and "FAILED: nonsense: not built: no sweep nonsense" in done.stdout
    assert [row["sweep"] for row in of_kind(found, "sweep")] == ["known_answers"]
    assert "Changed: 0; lost: 0; of what FAILED it is not known\n" in done.stdout
    assert "\nwhat FAILED, above\n" in done.stdout and "is missing" not in done.stdout


def test_a_night_that_measured_nothing_soothes_nobody(place, tmp_path):
    done = call(*command(place, tmp_path, sweeps=("nonsense",)))
    html = (newest(tmp_path) / "report.html").read_text(encoding="utf-8")
    assert done.returncode == 3
    assert "FAILED: nonsense: not built: no sweep nonsense" in done.stdout
    for text in (done.stdout, html):
        assert "Nothing was compared: what changed is not known" in text
        assert "Changed:" not in text and "is missing" not in text
    assert max(map(len, done.stdout.splitlines())) <= 72


@pytest.mark.parametrize("words, says", [
    (["--minimum", "x", "--"], "--minimum takes a part like 0.5% or 0.005, not 'x'"),
    (["--", "--bogus"], "unknown option '--bogus'; try --help"),
    (["--", "--engine", "none"], "no engine 'none'; ./asmsweep doctor lists them"),
    (["--", "--ring", "3"], "--ring is of the guest engine; add --engine guest or leave it out"),
    (["--", "--cpu", "4095"], "CPU 4095 is offline or not allowed for this process; "
                              "see taskset -p $$"),
    (["--", "word"], "one argument too many: 'word'"),
    (["--", "--help"], "--help is not for nightly: asmsweep run --help lists what stands after --"),
])
def test_a_wrong_option_is_one_line_before_anything_is_built(place, tmp_path, words, says):
    done = call(*command(place, tmp_path)[:-len(SHORT) - 1], *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"asmsweep nightly: {says}\n")
    assert not list(tmp_path.iterdir())


def test_a_second_look_that_fails_is_told_and_no_all_clear(place, tmp_path, host):
    """The runner of this night breaks where it is called with --only behind all other options."""
    runner, few = tmp_path / "programs" / "asmsweep-run", ("--only", f"{SLOW}*")
    runner.parent.mkdir()
    for program in (RESULTS, NIGHT):
        os.symlink(program, runner.parent / os.path.basename(program))
    runner.write_text("#!/bin/sh\n"
                      'for last; do before=${now-} now=$last; done\n'
                      f'[ "$before $now" != "--only {SLOW}" ] || {{ echo broken >&2; exit 2; }}\n'
                      f'exec {shlex.quote(str(RUN))} "$@"\n', encoding="utf-8")
    runner.chmod(0o755)
    whole_night(place, tmp_path, *few)
    host(f"{SLOW} 0 loop={1.03 * costs(place, SLOW)}")
    time.sleep(1)  # nights are named by the second
    done = call(*command(place, tmp_path, *few, programs=runner.parent))
    assert done.returncode == 3 and "measuring again" in done.stderr
    assert "FAILED: known_answers: candidates not measured again: broken" in done.stdout
    assert "Changed: 0; lost: 0; of what FAILED it is not known\n" in done.stdout
