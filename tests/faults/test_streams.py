# SPDX-License-Identifier: GPL-3.0-or-later
"""Standard streams closed, full, or no terminal: files stay whole, and it is said."""

import os
import pty
import subprocess

import pytest
from conftest import (ALONE, PROVE, PUBLISHED, PYTHON, RESULTS, ROOT, RUN, SHORT,
                      assert_whole_run, call, complaint)


def by_shell(words, *command):
    """A command with its streams redirected by the shell's words."""
    return call("sh", "-c", words, "sh", *command)


@pytest.mark.parametrize("redirect, why", [
    (">&-", "leave it open: Bad file descriptor"),
    (">/dev/full", "give it a place with room: No space left on device")])
def test_a_run_is_whole_even_if_its_place_cannot_be_printed(build, tmp_path, redirect, why):
    done = by_shell(f'"$@" {redirect}', *ALONE, RUN, "run", build, "-o",
                    tmp_path / "run", *SHORT)
    assert complaint(done).endswith(
        f"asmsweep-run: stdout: not all could be printed (files are complete); {why}")
    assert_whole_run(tmp_path / "run", build)


def test_closed_streams_leak_nothing_into_the_files(build, tmp_path):
    done = by_shell('"$@" <&- >&- 2>&-', *ALONE, RUN, "run", build, "-o",
                    tmp_path / "run", *SHORT)
    assert done.returncode == 2
    assert_whole_run(tmp_path / "run", build)


def words_of_every_program(build, folder):
    return [[RUN, "--help"], [RUN, "run", "--help"], [RUN, "doctor", build], [RUN, "lists"],
            [RUN, "run", build, "--dry-run"], [PROVE, "--help"], [PROVE, "disassemble", "--help"],
            [RESULTS, "--help"], [RESULTS, "solve", folder, *PUBLISHED],
            [RESULTS, "explain", folder, "small.links16"],
            [PYTHON, "-B", ROOT / "results/tables/main.py", folder],
            [PYTHON, "-B", ROOT / "generator/main.py", "--list"]]


def test_a_full_stdout_is_one_line_from_every_program(build, whole_run, copy_of):
    for command in words_of_every_program(build, copy_of(whole_run)):
        done = by_shell('"$@" >/dev/full', *command)
        line, = done.errors.strip().splitlines()
        assert done.returncode == 2, (command, done.returncode, done.errors)
        assert "stdout" in line and "No space left on device" in line, (command, line)


@pytest.mark.parametrize("term, shown", [("dumb", False), (None, False), ("xterm", True)])
def test_progress_is_for_terminals_that_can(build, tmp_path, monkeypatch, term, shown):
    monkeypatch.delenv("TERM", raising=False)
    if term:
        monkeypatch.setenv("TERM", term)
    master, slave = pty.openpty()
    done = subprocess.Popen(
        [str(word) for word in (*ALONE, RUN, "run", build, "-o", tmp_path / "run", *SHORT)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the terminal's end, once nobody has it open
            break
        if not piece:
            break
        text += piece
    os.close(master)
    assert done.wait(60) == 0
    assert (b"block 1 of 2" in text) == (b"\033[K" in text) == shown
    assert b"2 values, 0 predicted to have none here, 0 failed\r\n" in text
