# SPDX-License-Identifier: GPL-3.0-or-later
"""perf missing, old, broken, killed or forbidden: values come from the stopwatch all the same,
and environment.csv says what perf could not do."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import fake_perf
import pytest
from conftest import (ALONE, COSTS, LIBRARY, RUN, SHORT, VARIANTS, assert_whole_run, call,
                      complaint, pairs, rows, stopwatch_rows)
from host import perf_forbidden

COUNTS = ["4", "5", "6", "repeated", "interval", "wide", "hybrid", "crlf"]
DOES_NOT_COUNT = sorted(set(fake_perf.ROWS) - set(COUNTS))


@pytest.fixture(name="run_with")
def run_with_a_perf(build, tmp_path, monkeypatch):
    """Run with a fake perf first in PATH; the run's folder."""
    def run(*options, path=None, astray=(), **perf):
        programs = fake_perf.write(tmp_path / "programs", **perf)
        monkeypatch.setenv("PATH", path or f"{programs}:/usr/bin:/bin")
        done = call(RUN, "run", build, "-o", tmp_path / "run", *SHORT, *options)
        assert done.returncode == 0, done.errors
        assert_whole_run(tmp_path / "run", build, astray)
        return tmp_path / "run"
    return run


@pytest.mark.parametrize("shape", COUNTS)
def test_a_perf_of_any_version_is_understood(run_with, shape):
    folder = run_with(shape=shape)
    assert pairs(folder / "environment.csv")["perf"] == "perf stat works"
    counted = [row for row in rows(folder / "measurements.csv") if row["source"] == "pmu"]
    assert {(row["variant"], row["quantity"], row["value"], row["status"]) for row in counted} == {
        ("small.links16", "cycles", "2", "ok"), ("small.links16", "instructions", "18", "ok"),
        ("small.links64", "cycles", "2", "ok"), ("small.links64", "instructions", "66", "ok")}
    assert len(counted) == 8


def test_a_comma_within_an_events_terms_is_no_new_event(run_with, tmp_path):
    log = tmp_path / "asked"
    folder = run_with("--events", "cpu/event=0x3,umask=0x1/u,branches:u,,r02:u",
                      first=f'echo "$*" >>"{log}"')
    asked = {word for line in log.read_text().splitlines() for word in line.split()}
    assert {"{cpu/event=0x3,umask=0x1/u,branches:u}", "{r02:u}"} <= asked
    events = {row["event"] for row in rows(folder / "measurements.csv")
              if row["quantity"] == "event"}
    assert events == {"cpu/event=0x3,umask=0x1/u", "branches:u", "r02:u"}


def test_more_events_than_there_is_room_for_are_refused(build, tmp_path):
    done = call(RUN, "run", build, "-o", tmp_path / "run", *SHORT, "--events", "a," * 13)
    assert "--events takes at most 12 events" in complaint(done)
    assert not (tmp_path / "run").exists()


LONG = "cpu/event=0x3,umask=0x1,name=" + "n" * 40


@pytest.mark.parametrize("events, told", [
    ("branches:u,r02:u,branches:u", "'branches:u' is there twice"),
    ("r02:u,instructions:u", "'instructions:u' is counted in any case"),
    (f"{LONG}1/u,{LONG}2/u", f"'{LONG}1/u' is longer than 63 characters"),
    ("r02:u;r03:u", "'r02:u;r03:u' is no name of an event"),
    ("r02:u, r03:u", "' r03:u' is no name of an event"),
    ("\udcffcycles", "'?cycles' is no name of an event"),
])
def test_events_that_could_not_be_told_apart_are_refused(build, tmp_path, events, told):
    done = call(RUN, "run", build, "-o", tmp_path / "run", *SHORT, "--events", events)
    assert f"--events: {told}" in complaint(done)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("shape", DOES_NOT_COUNT)
def test_a_perf_that_prints_nonsense_costs_no_value(run_with, shape):
    folder = run_with(shape=shape)
    measured = rows(folder / "measurements.csv")
    assert {row["source"] for row in measured} == {"stopwatch"}
    assert {row["status"] for row in measured} == {"ok"}
    said = pairs(folder / "environment.csv")
    assert said["perf"] != "perf stat works" and "variants run directly" in said["perf"]
    assert said["perf_version"] == "perf version fake"


@pytest.mark.parametrize("first, told", [
    ("echo 'event syntax error: task-clock' >&2; exit 129", "perf: event syntax error: task-clock"),
    ("exit 129", "perf exit status 129"),
    ("printf '\\n\\303\\344\\033[2Jno\\n' >&2; exit 1", "(perf: ???[2Jno)"),
    ("kill -SEGV $$", "perf died of SIGSEGV"),
    ("kill -KILL $$", "perf died of SIGKILL"),
])
def test_a_perf_that_fails_is_named_with_its_words(run_with, first, told):
    folder = run_with(first=first)
    assert told in pairs(folder / "environment.csv")["perf"]


def test_no_perf_at_all(run_with, tmp_path):
    programs = tmp_path / "empty"
    programs.mkdir()
    (programs / "true").symlink_to("/usr/bin/true")
    folder = run_with(path=str(programs))
    said = pairs(folder / "environment.csv")
    assert "cannot be started: No such file or directory" in said["perf"]
    assert said["perf_version"] == said["qemu_version"] == ""


def test_a_perf_that_hangs_after_the_probe_is_timed_out(run_with):
    hung = [(variant, "0") for variant in VARIANTS]
    folder = run_with("--timeout", "1s", astray=hung,
                      first='case "$*" in *--stopwatch*) sleep 60 & wait ;; esac')
    timed_out = [row for row in stopwatch_rows(folder) if row["block"] == "0"]
    assert {row["status"] for row in timed_out} == {"timed_out"}
    assert all("still running after the 1 s allowed" in row["detail"] for row in timed_out)


def test_a_variant_killed_under_perf_gets_its_value_without(run_with, host):
    folder = run_with(first='case "$*" in *small.links16\\ --stopwatch*)\n'
                            '    while [ "$1" != -- ]; do shift; done; shift\n'
                            '    "$1" 4000000000 >/dev/null & kill -KILL $!; wait $!; exit 0 ;;\n'
                            'esac')
    by = {(row["variant"], row["block"]): row for row in stopwatch_rows(folder)}
    assert by["small.links16", "0"]["samples"]
    assert host.executions("small.links16") == 2


def kill_first(parent, name, begun):
    """Kill the first child of `parent` that runs the program `name`, once `begun`()."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        time.sleep(0.002)
        if not begun():
            continue
        listed = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        for child in map(int, listed):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{child}/exe").endswith(name):
                    os.kill(child, signal.SIGKILL)
                    return
    raise AssertionError(f"{name} was never seen")


def test_a_variant_killed_from_outside_costs_one_execution(build, host, tmp_path):
    # Its first execution is alive until it is killed; it ends by itself before the 10 s allowed.
    host.says(*COSTS, "small.links16 0 takes=8", "small.links16 1 takes=0")
    running = subprocess.Popen(
        [*ALONE, RUN, "run", build, "-o", tmp_path / "run", *SHORT],
        env={**os.environ, "PATH": str(tmp_path)}, executable="/usr/bin/env",
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    # One that has not counted itself yet would leave being the first to the next.
    kill_first(running.pid, "small.links16", lambda: host.executions("small.links16"))
    running.communicate(timeout=60)
    assert running.returncode == 0
    measured = stopwatch_rows(tmp_path / "run")
    killed, = [row for row in measured if row["status"] != "ok"]
    assert (killed["variant"], killed["status"], killed["value"]) == (
        "small.links16", "faulted", "")
    assert "died of SIGKILL" in killed["detail"]
    assert_whole_run(tmp_path / "run", build, [(killed["variant"], killed["block"])])


def test_an_ordinary_user_is_told_the_setting(build):
    if os.geteuid() or not shutil.which("setpriv") or not shutil.which("perf"):
        pytest.skip("needs root, setpriv and perf")
    with perf_forbidden() as level, tempfile.TemporaryDirectory(prefix="faults-") as base:
        folder = pathlib.Path(base)
        shutil.copytree(build, folder / "build")
        for program in (RUN, LIBRARY):
            shutil.copy(program, folder)
        subprocess.run(["chmod", "-R", "a+rwX", base], check=True)
        done = call("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *ALONE,
                    f"LD_PRELOAD={folder / LIBRARY.name}", folder / RUN.name, "run",
                    folder / "build", "-o", folder / "run", *SHORT)
        assert done.returncode == 0, done.errors
        assert_whole_run(folder / "run", build)
        said = pairs(folder / "run/environment.csv")["perf"]
        assert f"kernel.perf_event_paranoid={level}" in said or said == "perf stat works"
