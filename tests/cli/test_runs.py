# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that can be left alone: resumed, interrupted, refused, out of room."""

import csv
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

from conftest import (NOBODY, RUN, assert_ended, environment, is_root, journal, keys, make_older,
                      rows, run, start)

QUICK = ["--slices", "20"]
SLOW = "* 0 takes=0.02"  # an execution; so that a run is surely in its middle


def wait_for_lines(process, folder, count):
    """Until the run has so many executions on disk."""
    for _ in range(30000):  # five minutes: another run may hold the core
        if len(journal(folder)) >= count:
            return
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    pytest.fail(f"{folder} never came to {count} executions")


@pytest.fixture
def running(builds, says, out):
    """A long run that has the core; ended with the test."""
    says("small", SLOW)
    process = start(builds("small"), "-o", out, "--blocks", "1000", *QUICK)
    wait_for_lines(process, out, 3)
    yield process
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


def one_line(done):
    # Another run on the machine may have made it wait, and it said so.
    lines = [line for line in done.stderr.splitlines() if not line.endswith("waiting for its end")]
    assert len(lines) == 1 and lines[0].startswith("asmsweep-run: "), done.stderr
    return lines[0]


def test_sigint_ends_cleanly_writes_the_summary_and_says_how_to_resume(builds, says, out):
    says("small", SLOW)
    process = start(builds("small"), "-o", out, "--blocks", "30", *QUICK)
    wait_for_lines(process, out, 8)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"interrupted; resume it with: ./asmsweep run --resume -o {out}\n" in errors
    assert len(rows(out, "summary.csv")) == 6
    before = open(os.path.join(out, "measurements.csv")).read()
    assert len(rows(out, "measurements.csv")) == len(journal(out))
    says("small")
    done = run("--resume", "-o", out)
    assert_ended(done)
    assert open(os.path.join(out, "measurements.csv")).read().startswith(before)
    assert len(set(keys(out))) == len(keys(out)) == 30 * 6


def test_sigint_with_nothing_left_to_measure_cuts_nothing(builds, out):
    assert_ended(run(builds("small"), "-o", out, "--blocks", "1", *QUICK))
    tools, asked = out + ".tools", out + ".asked"
    os.mkdir(tools)
    with open(os.path.join(tools, "perf"), "w") as script:
        script.write(f"#!/bin/sh\n: >'{asked}'\nexec sleep 30\n")
    os.chmod(script.name, 0o755)
    process = subprocess.Popen([RUN, "run", "--resume", "-o", out], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "PATH": f"{tools}:/usr/bin:/bin"})
    while not os.path.exists(asked):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and "interrupted" not in errors, errors
    with open(os.path.join(out, "journal")) as stream:
        assert stream.readlines()[-1] == "end complete\n"


def test_a_loop_that_claims_nothing_has_the_mix_that_was_found_in_its_binary(builds, out):
    assert_ended(run(builds("small"), "-o", out, "--blocks", "1", *QUICK))
    mixes = {row["variant"]: (row["mix"], row["mix_source"]) for row in rows(out, "summary.csv")}
    assert mixes == {f"{loop}.links{links}": (f"{links}*{name}+1*dec+1*jnz", "found")
                     for loop, name in (("xor", "xor"), ("crc", "crc32")) for links in (8, 16, 32)}


def test_a_second_run_into_the_same_folder_is_refused(builds, out):
    assert_ended(run(builds("small"), "-o", out, "--blocks", "1", *QUICK))
    before = open(os.path.join(out, "measurements.csv")).read()
    done = run(builds("small"), "-o", out, "--blocks", "1", *QUICK)
    assert done.returncode == 2
    assert "holds a run already: --resume resumes it" in one_line(done)
    assert open(os.path.join(out, "measurements.csv")).read() == before


def test_a_folder_that_holds_a_run_is_refused_without_a_wait_for_the_core(running, builds, out):
    done = run(builds("small"), "-o", out, *QUICK)
    assert done.returncode == 2
    assert "holds a run already" in done.stderr and done.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_made_is_told_without_a_wait(running, builds, tmp_path):
    (tmp_path / "a file").touch()
    for place, why in (("/proc/x/y", "No such file or directory"),
                       (f"{tmp_path}/a file/x", "Not a directory")):
        done = run(builds("small"), "-o", place, *QUICK)
        assert (done.returncode, done.stdout, done.stderr) == (
            2, "", f"asmsweep-run: {place}: the run's folder cannot be made; choose another place "
            f"with -o: {why}\n")
    before = sorted(os.listdir(tmp_path))
    done = run(builds("small"), "-o", tmp_path / "new" / "one", "--no-wait", *QUICK)
    assert done.returncode != 0 and sorted(os.listdir(tmp_path)) == before  # the try left nothing


def test_a_run_that_is_going_on_cannot_be_resumed_beside_itself(running, out):
    done = run("--resume", "-o", out)
    assert done.returncode == 2
    assert "another run is writing here" in one_line(done)


def test_a_finished_run_resumed_runs_nothing(builds, out):
    assert_ended(run(builds("small"), "-o", out, "--blocks", "2", *QUICK))
    before = keys(out)
    done = run("--resume", "-o", out)
    assert_ended(done)
    assert keys(out) == before
    assert done.stderr.splitlines()[-1].startswith("0 executions in ")


def test_nothing_to_resume_is_said_in_one_line(out):
    done = run("--resume", "-o", out)
    assert done.returncode == 2
    assert "no run to resume here" in one_line(done)


@pytest.fixture
def interrupted(builds, says, out):
    """A run of a build of its own, stopped half-way; (folder, build)."""
    build = os.path.join(os.path.dirname(out), "build")
    shutil.copytree(builds("small"), build)
    says("small", SLOW)
    process = start(build, "-o", out, "--blocks", "30", *QUICK)
    wait_for_lines(process, out, 8)
    process.kill()
    process.communicate()
    says("small")
    return out, build


@pytest.mark.parametrize("name", ["variants.csv", "proof.csv"])
def test_a_changed_sweep_or_proof_is_noticed(interrupted, name):
    folder, build = interrupted
    with open(os.path.join(build, name)) as stream:
        text = stream.read()
    assert "xor.links16" in text
    with open(os.path.join(build, name), "w") as stream:
        stream.write(text.replace("xor.links16", "xor.links17"))
    before = journal(folder)
    done = run("--resume", "-o", folder)
    assert done.returncode == 2
    assert "the sweep, its binaries or their proof changed since this run began" in one_line(done)
    assert journal(folder) == before


def change_proof(build, variant, **cells):
    path = os.path.join(build, "proof.csv")
    proof = rows(build, "proof.csv")
    for row in proof:
        row.update(cells if row["variant"] == variant else {})
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, proof[0])
        writer.writeheader()
        writer.writerows(proof)


def test_what_the_guest_counted_meanwhile_changes_no_run(interrupted):
    folder, build = interrupted
    change_proof(build, "xor.links16", retired_cpl0="18", retired_cpl3="18",
                 detail="guest: retired 18 an iteration; nothing was claimed")
    done = run("--resume", "-o", folder)
    assert_ended(done)
    assert len(set(keys(folder))) == len(keys(folder)) == 30 * 6


def test_a_run_from_before_a_column_was_there_is_resumed_in_the_columns_it_has(interrupted):
    folder, _ = interrupted
    make_older(folder, len(("hint", "restores", "early", "later")))
    measurements = pathlib.Path(folder, "measurements.csv")
    before = measurements.read_text(encoding="utf-8")
    assert before.split("\n")[0].endswith(",excess,remarks")
    assert_ended(run("--resume", "-o", folder))
    after = measurements.read_text(encoding="utf-8")
    assert after.startswith(before[:before.rindex("\n", 0, -1)]) and len(after) > len(before)
    assert len(set(keys(folder))) == len(keys(folder)) == 30 * 6
    assert "hint" not in rows(folder, "measurements.csv")[0]
    assert len(rows(folder, "summary.csv")) == 6 and "hint" in rows(folder, "summary.csv")[0]


def test_a_run_from_before_there_were_width_segments_is_not_resumed(interrupted):
    folder, _ = interrupted
    make_older(folder, len("quiet width excess remarks hint restores early later".split()))
    before = rows(folder, "measurements.csv")
    assert list(before[0])[-1] == "event"
    done = run("--resume", "-o", folder)
    assert one_line(done) == (f"asmsweep-run: {folder}: was measured by an older version, without "
                              "width segments; start it anew in another folder")
    assert rows(folder, "measurements.csv") == before


@pytest.mark.parametrize("cells", [{"status": "mismatch"}, {"elf_sha256": "0" * 64}])
def test_a_loop_that_may_no_longer_run_is_noticed(interrupted, cells):
    folder, build = interrupted
    change_proof(build, "xor.links16", **cells)
    done = run("--resume", "-o", folder)
    assert done.returncode == 2
    assert "their proof changed since this run began" in one_line(done)


def test_a_binary_changed_under_the_run_is_unproved_from_there_on(interrupted):
    folder, build = interrupted
    path = os.path.join(build, "bin", "xor.links16")
    with open(path, "rb") as stream:
        changed = stream.read() + b"x"
    os.remove(path)  # a new file: the old one may still be executed by what the kill left behind
    with open(path, "wb") as stream:
        stream.write(changed)
    os.chmod(path, 0o755)
    done = run("--resume", "-o", folder)
    assert done.returncode == 1
    last = [row for row in rows(folder, "measurements.csv") if row["variant"] == "xor.links16"][-1]
    assert (last["status"], last["value"]) == ("unproved", "")


def test_another_cpu_is_noticed(interrupted):
    folder, _ = interrupted
    path = os.path.join(folder, "journal")
    with open(path) as stream:
        lines = stream.readlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("cpu_key "))
    lines[at] = "cpu_key GenuineIntel-6-94-3 0xf0 6.1.0\n"
    with open(path, "w") as stream:
        stream.writelines(lines)
    done = run("--resume", "-o", folder)
    assert done.returncode == 2
    assert "was begun on 'GenuineIntel-6-94-3 0xf0 6.1.0', this is '" in one_line(done)


def test_two_runs_on_one_core_are_refused_with_the_pid_however_often_asked(running, builds, out):
    for attempt in range(4):
        done = run(builds("small"), "-o", f"{out}.{attempt}", "--no-wait", *QUICK)
        assert done.returncode == 3
        assert f"in use by another run (pid {running.pid})" in one_line(done)


def test_the_second_run_waits_for_the_first(running, builds, out):
    second = start(builds("small"), "-o", out + ".second", "--blocks", "1", *QUICK)
    said = second.stderr.readline()
    assert f"in use by another run (pid {running.pid}); waiting for its end" in said
    assert second.poll() is None
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    _, errors = second.communicate(timeout=60)
    assert_ended(second, errors)
    assert len(keys(out + ".second")) == 6


def test_a_dry_run_waits_for_nothing_runs_nothing_and_writes_nothing(running, builds, out):
    done = run(builds("small"), "-o", out + ".dry", "--dry-run", "--seed", "7")
    assert done.returncode == 0, done.stderr
    assert "small: 6 variants, 6 of them can run here, 5 blocks, seed 7, CPU" in done.stdout
    assert not os.path.exists(out + ".dry")


def test_the_budget_ends_the_run_after_its_first_block(builds, out):
    done = run(builds("small"), "-o", out, "--blocks", "5", "--budget", "1ms", *QUICK)
    assert_ended(done)
    assert f"the budget is spent; resume it with: ./asmsweep run --resume -o {out}\n" in done.stderr
    blocks = [row["block"] for row in rows(out, "measurements.csv")]
    assert blocks.count("0") == 6 and len(blocks) <= 7
    assert_ended(run("--resume", "-o", out))
    assert len(set(keys(out))) == len(keys(out)) == 30


@pytest.mark.parametrize("arguments,message", [
    (["--only", "nothing*"], "no variant's name matches 'nothing*'"),
    (["--cpu", "4000"], "CPU 4000 is offline or not allowed for this process"),
    (["--engine", "stopwatch"], "no engine 'stopwatch'; ./asmsweep doctor lists them"),
    (["--blocks", "0"], "--blocks takes a whole number from 1 to 1000, not '0'"),
    (["--budget", "soon"], "--budget takes a time"),
    (["--events", ",".join("abcdefghijklm")], "--events takes at most 12 events, not 13"),
    (["--events", "e" * 5000], "--events is longer than"),
    (["--only", "x" * 5000], "--only is too long; use a wider glob"),
    (["--slices", "19"], "--slices takes a whole number from 20"),
])
def test_each_bad_wish_is_one_line_status_2_and_no_folder(builds, out, arguments, message):
    done = run(builds("small"), "-o", out, *arguments)
    assert done.returncode == 2
    assert message in one_line(done)
    assert not os.path.exists(out)


def test_a_folder_that_is_no_build_is_one_line_status_2(place, out):
    done = run(place, "-o", out)
    assert done.returncode == 2
    assert f"{place}/variants.csv: cannot be read: No such file or directory" in one_line(done)


def test_the_seed_in_the_environment_gives_the_same_order_again(builds, out):
    assert_ended(run(builds("small"), "-o", out, "--blocks", "2", *QUICK))
    seed = environment(out)["schedule_seed"]
    assert_ended(run(builds("small"), "-o", out + ".2", "--blocks", "2", "--seed", seed,
               *QUICK))
    order = [[(r["block"], r["slot"], r["variant"]) for r in rows(f, "measurements.csv")]
             for f in (out, out + ".2")]
    assert order[0] == order[1]


@pytest.fixture
def tiny_disk(out):
    """A file system with room for some executions only; grows by calling it."""
    folder = out + ".disk"
    os.mkdir(folder)
    if not is_root() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "asmsweep",
                                        folder], capture_output=True, check=False).returncode:
        pytest.skip("cannot mount a tmpfs here (needs root)")
    yield folder, lambda: subprocess.run(["mount", "-o", "remount,size=16m", folder], check=True)
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_is_one_line_loses_nothing_and_is_resumed(builds, tiny_disk):
    disk, grow = tiny_disk
    folder = os.path.join(disk, "run")
    done = run(builds("small"), "-o", folder, "--blocks", "20", *QUICK)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("asmsweep-run: ") and done.stderr.count("No space left on device") == 1
    assert "what was measured before is kept" in last
    before = rows(folder, "measurements.csv")
    assert len(before) == len(journal(folder)) > 0
    grow()
    done = run("--resume", "-o", folder)
    assert_ended(done)
    assert rows(folder, "measurements.csv")[:len(before)] == before
    assert len(set(keys(folder))) == len(keys(folder)) == 20 * 6
    assert len(rows(folder, "summary.csv")) == 6


def test_no_room_even_for_the_headers_is_one_line(builds, tiny_disk):
    disk, grow = tiny_disk
    with open(os.path.join(disk, "filler"), "wb") as filler:
        try:
            filler.write(b"x" * (1 << 20))
            filler.flush()
        except OSError:
            pass
    folder = os.path.join(disk, "run")
    done = run(builds("small"), "-o", folder, *QUICK)
    assert done.returncode == 2
    assert one_line(done).endswith("cannot be written; nothing was measured, free some room or "
                                   "choose another folder with -o: No space left on device")
    grow()
    assert_ended(run(builds("small"), "-o", folder, "--blocks", "1", *QUICK))


def as_nobody(*arguments):
    if not is_root():
        pytest.skip("not root: cannot become another user")
    return run(*arguments, before=NOBODY, cwd="/")


def readable(program):
    """Can an ordinary user start it at all?"""
    return subprocess.run([*NOBODY, "test", "-x", program], check=False).returncode == 0


def test_a_read_only_folder_is_one_line_and_status_2(builds, place, out):
    if is_root() and not readable(RUN):
        pytest.skip(f"an ordinary user may not read {RUN}")
    done = as_nobody(builds("small"), "-o", os.path.join(place, "mine"))
    assert done.returncode == 2
    assert "/mine: the run's folder cannot be made; choose another place with -o: " \
           "Permission denied" in one_line(done)


def test_somebody_elses_run_is_not_touched(builds, out):
    if is_root() and not readable(RUN):
        pytest.skip(f"an ordinary user may not read {RUN}")
    assert_ended(run(builds("small"), "-o", out, "--blocks", "1", *QUICK))
    before = open(os.path.join(out, "measurements.csv")).read()
    done = as_nobody("--resume", "-o", out)
    assert done.returncode == 2
    assert "Permission denied" in one_line(done)
    assert open(os.path.join(out, "measurements.csv")).read() == before
