# SPDX-License-Identifier: GPL-3.0-or-later
"""I/O broken on purpose, one call after another: whatever fails, a program says so in one line
and leaves nothing behind that the next call trips over.

WALK=all breaks every call; else about a dozen of each kind, spread over the run."""

import os
import shutil

import pytest
from conftest import (BLOCKS, PROVE, PUBLISHED, RESULTS, RUN, SHORT, VARIANTS,
                      assert_whole_run, call, complaint, complaints,
                      rows, stopwatch_rows)

ALL = os.environ.get("WALK") == "all"
A_FEW = 6
# What each call can come to. A full disk is a disk for good: "+" breaks all calls behind, too.
HOW = {"open": ["EMFILE"], "read": ["EIO", "EINTR", "short"],
       "write": ["ENOSPC", "ENOSPC+", "EIO", "EINTR", "short"], "fsync": ["EIO"],
       "fdatasync": ["EIO", "ENOSPC+"], "rename": ["ENOSPC"], "ftruncate": ["EIO"],
       "mkdir": ["ENOSPC"]}
TEXTS = {"EMFILE": "Too many open files", "EIO": "Input/output error", "EINTR": "Interrupted",
         "ENOSPC": "No space left on device"}


def environment(log, fault=None):
    chosen = {**os.environ, "FAULTY_IO_LOG": str(log)}
    if fault:
        chosen["FAULTY_IO"] = fault
    return chosen


def broken(log):
    """What the library broke: its "broke CALL N PATH" lines."""
    return [line.split(" ", 3)[1:] for line in log.read_text().splitlines()
            if line.startswith("broke ")]


def unread_binaries(log):
    """The variants whose binary could not be opened or read."""
    paths = [path.split("/") for _, _, path in broken(log)]
    return {path[-1] for path in paths if path[-2:-1] == ["bin"]}


def spoiled(log, folder):
    """(variant, block) of the executions that the fault itself kept from a value: their binary was
    not to be read, or a piece of what they printed."""
    unread, pieces = unread_binaries(log), sum("pipe:" in path for _, _, path in broken(log))
    without = [row for row in stopwatch_rows(folder) if row["status"] != "ok"]
    faulted = [row for row in without if row["status"] == "faulted"]
    assert len(faulted) <= pieces, [row["detail"] for row in faulted]
    assert all("its output cannot be read: Input/output error" in row["detail"]
               for row in faulted), faulted
    assert all(row["status"] == "unproved" and row["variant"] in unread
               for row in without if row not in faulted), without
    return [(row["variant"], row["block"]) for row in without]


def faults(log):
    """Every fault of the walk, from the counts of a run in which nothing broke."""
    counts = dict(line.split() for line in log.read_text().splitlines())
    for name, ways in HOW.items():
        count = int(counts[name])
        steps = range(1, count + 1)
        if not ALL and count > A_FEW:
            steps = sorted({1 + i * (count - 1) // (A_FEW - 1) for i in range(A_FEW)})
        for how in ways:
            for step in steps:
                yield f"{name} {step}{'+' * how.endswith('+')} {how.rstrip('+')}"


def count_calls(tmp_path, *arguments):
    log = tmp_path / "counts"
    log.unlink(missing_ok=True)
    done = call(*arguments, env=environment(log))
    assert done.returncode == 0, done.errors
    return list(faults(log))


def break_it(tmp_path, fault, *arguments):
    """Run with one fault. A program that gave up has said so, and named the fault's file."""
    log = tmp_path / "log"
    log.unlink(missing_ok=True)
    done = call(*arguments, env=environment(log, fault))
    hits = broken(log)
    gave_up = complaints(done)
    if done.returncode not in (0, 1):
        line = complaint(done)
        assert hits, f"nothing was broken, and yet: {line}"
        if "short" not in fault:
            assert TEXTS[fault.split()[-1]] in line, line
        own = [path for _, _, path in hits if str(tmp_path) in path]
        if own:
            names = {part for path in own for part in (path, path.removesuffix(".new"),
                                                       os.path.dirname(path))}
            assert any(name in line for name in names), (line, own)
    else:
        assert not gave_up, (done.returncode, gave_up)
        # A variant without any value: nothing else keeps one from it here.
        assert done.returncode == 0 or unread_binaries(log), done.errors
    return done


@pytest.fixture(name="small_path", autouse=True)
def programs_that_a_run_calls(tmp_path, monkeypatch):
    """A fast perf that counts nothing; no QEMU: the walk is long enough without them."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "perf").write_text("#!/bin/sh\necho perf version 6.1\n")
    (folder / "perf").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def walk(tmp_path, command, before, after):
    """Break each call of `command` in turn; `before` makes its surroundings, `after` judges
    what is left behind. All that went wrong is told at the end."""
    before()
    steps, problems = count_calls(tmp_path, *command), []
    for fault in steps:
        before()
        done = None
        try:
            done = break_it(tmp_path, fault, *command)
            after(done)
        except (AssertionError, OSError) as problem:
            problems.append(f"{fault}: {str(problem)[:200]}\n{done and done.errors}")
    print(f"{len(steps)} faults")
    assert not problems, f"{len(problems)} of {len(steps)}:\n" + "\n".join(problems)
    return len(steps)


def test_a_run_ends_with_a_line_and_resume_makes_it_whole(build, tmp_path):
    out = tmp_path / "run"
    command = [RUN, "run", build, "-o", out, *SHORT]

    def after(done):
        if not (out / "journal").exists():
            assert call(*command).returncode == 0
        elif complaints(done):
            again = call(RUN, "run", "--resume", "-o", out)
            assert again.returncode == 0 and not complaints(again), again.errors
        assert_whole_run(out, build, spoiled(tmp_path / "log", out))

    assert walk(tmp_path, command, lambda: shutil.rmtree(out, ignore_errors=True), after) > 60


def test_output_that_cannot_be_read_is_told_as_that(build, tmp_path):
    """The last reads of a run are of the last variant's output; some find nothing but its end."""
    out, log = tmp_path / "run", tmp_path / "log"
    command = [RUN, "run", build, "-o", out, *SHORT]
    count_calls(tmp_path, *command)
    counts = (tmp_path / "counts").read_text().splitlines()
    last = int(dict(line.split() for line in counts)["read"])
    bad = []
    for step in range(last, last - 40, -1):
        shutil.rmtree(out)
        log.unlink(missing_ok=True)
        call(*command, env=environment(log, f"read {step} EIO"))
        bad = [row for row in rows(out / "measurements.csv") if row["status"] != "ok"]
        if bad and any("pipe:" in path for _, _, path in broken(log)):
            break
    (row,) = bad
    assert (row["status"], row["value"]) == ("faulted", "")
    assert "its output cannot be read: Input/output error" in row["detail"]


def test_a_resume_that_fails_can_be_resumed(build, tmp_path, copy_of):
    begun, out = tmp_path / "begun", tmp_path / "run"
    done = call(RUN, "run", build, "-o", begun, *SHORT, env=environment(tmp_path / "log",
                                                                      "fdatasync 8 EIO"))
    assert "journal: cannot be written" in complaint(done)
    executions = (begun / "journal").read_text().count("done ")
    assert 0 < executions < BLOCKS * len(VARIANTS)
    resume = [RUN, "run", "--resume", "-o", out]

    def after(done):
        if complaints(done):
            assert (out / "journal").read_text().count("done ") >= executions
            again = call(*resume)
            assert again.returncode == 0 and not complaints(again), again.errors
        assert_whole_run(out, build, spoiled(tmp_path / "log", out))

    assert walk(tmp_path, resume, lambda: copy_of(begun, "run"), after) > 40


def test_a_proof_is_whole_or_not_there(real_build, tmp_path, copy_of):
    copy, proof = tmp_path / "build", (real_build / "proof.csv").read_bytes()
    command = [PROVE, "disassemble", copy]

    def before():
        copy_of(real_build, "build")
        (copy / "proof.csv").unlink()

    def after(done):
        path = copy / "proof.csv"
        if path.exists() and path.read_bytes() != proof:
            assert [row["variant"] for row in rows(path)] == VARIANTS
            unproved = [row for row in rows(path) if row["status"] != "ok"]
            assert unproved and all(row["detail"] in done.errors for row in unproved)
        assert call(*command).returncode == 0
        assert path.read_bytes() == proof
        assert {p.name for p in copy.iterdir()} == {p.name for p in real_build.iterdir()}

    assert walk(tmp_path, command, before, after) > 20


def test_costs_are_whole_or_as_they_were(whole_run, tmp_path, copy_of):
    copy, reference = tmp_path / "solved", copy_of(whole_run, "reference")
    assert call(RESULTS, "solve", reference, *PUBLISHED).returncode == 0
    costs = (reference / "costs.csv").read_bytes()

    def before():
        copy_of(whole_run, "solved")
        (copy / "costs.csv").write_text("old")

    def after(done):
        now = (copy / "costs.csv").read_bytes()
        assert now == costs if done.returncode == 0 else now in (costs, b"old")
        assert {p.name for p in copy.iterdir()} <= {p.name for p in reference.iterdir()}

    assert walk(tmp_path, [RESULTS, "solve", copy, *PUBLISHED], before, after) > 10
