# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders and names as people have them: links, files in the way, blanks, quotes, line breaks."""

import os

import pytest
from conftest import RUN, SHORT, assert_whole_run, call, complaint

ODD = ["with blanks", "quote'd \"twice\"", "$(touch hurt);&|", "-o", "ünï·cödé", "two\nlines",
       "percent %s %n"]


@pytest.mark.parametrize("name", ODD)
def test_a_run_goes_to_a_folder_of_any_name_and_on(build, tmp_path, name):
    out = tmp_path / name / "run"
    done = call(RUN, "run", build, "-o", out, *SHORT)
    assert done.returncode == 0, done.errors
    assert done.stdout.decode() == f"{out}\n"
    assert_whole_run(out, build)
    again = call(RUN, "run", "--resume", "-o", out)
    assert again.returncode == 0, again.errors
    assert_whole_run(out, build)
    assert not os.path.exists("hurt")


@pytest.mark.parametrize("name", [name for name in ODD if "\n" not in name])
def test_a_build_of_any_name_is_run_and_resumed(build, tmp_path, copy_of, name):
    moved = copy_of(build, name)
    out = tmp_path / "run"
    assert call(RUN, "run", moved, "-o", out, *SHORT).returncode == 0
    again = call(RUN, "run", "--resume", "-o", out)  # from the journal's own words
    assert again.returncode == 0, again.errors
    assert_whole_run(out, moved)


def test_a_line_break_in_the_build_is_refused_before_anything_runs(build, tmp_path, copy_of):
    done = call(RUN, "run", copy_of(build, "two\nlines"), "-o", tmp_path / "run", *SHORT)
    assert "the build directory has a line break" in complaint(done)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("option", ["--only", "--events", "--engine"])
def test_an_option_too_long_for_the_journal_is_refused(build, tmp_path, option):
    done = call(RUN, "run", build, "-o", tmp_path / "run", *SHORT, option, "small*" + "x" * 2000)
    line = complaint(done)
    assert option in line or "no variant's name matches" in line
    assert not (tmp_path / "run").exists()


def test_a_path_as_long_as_the_kernel_allows(build, tmp_path):
    out = tmp_path
    while len(str(out)) < 3700:
        out /= "d" * 200
    done = call(RUN, "run", build, "-o", out, *SHORT)
    assert done.returncode == 0, done.errors
    assert_whole_run(out, build)
    over = out / ("e" * 200) / ("e" * 200)
    assert "File name too long" in complaint(call(RUN, "run", build, "-o", over, *SHORT))


def test_a_link_to_a_folder_is_followed(build, tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "run").symlink_to("far")
    assert call(RUN, "run", build, "-o", tmp_path / "run", *SHORT).returncode == 0
    assert_whole_run(tmp_path / "far", build)


def in_the_way(kind, path):
    if kind == "file":
        path.write_text("precious")
    elif kind == "link to nothing":
        path.symlink_to("nothing")
    elif kind == "below a file":
        path.parent.mkdir()
        path.parent.rmdir()
        path.parent.write_text("precious")


@pytest.mark.parametrize("kind, told", [
    ("file", "Not a directory"), ("link to nothing", "No such file"),
    ("below a file", "Not a directory")])
def test_what_is_in_the_way_is_named_and_stays(build, tmp_path, kind, told):
    out = tmp_path / "place" / "run"
    if kind != "below a file":
        out.parent.mkdir()
    in_the_way(kind, out)
    line = complaint(call(RUN, "run", build, "-o", out, *SHORT))
    assert told in line and str(out) in line and "-o" in line
    if kind == "file":
        assert out.read_text() == "precious"
    if kind == "below a file":
        assert out.parent.read_text() == "precious"
    if kind == "link to nothing":
        assert not (tmp_path / "place" / "nothing").exists()


@pytest.mark.parametrize("cpu", ["4095", "1023"])
def test_a_cpu_that_is_not_there_is_refused_before_anything_runs(build, tmp_path, cpu):
    done = call(RUN, "run", build, "-o", tmp_path / "run", *SHORT, "--cpu", cpu)
    assert f"CPU {cpu} is offline or not allowed for this process" in complaint(done)
    assert not (tmp_path / "run").exists()


def test_a_cpu_outside_of_the_affinity_is_refused(build, tmp_path):
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        pytest.skip("only one CPU")
    mine, other = sorted(allowed)[:2]
    done = call(RUN, "run", build, "-o", tmp_path / "run", *SHORT, "--cpu", other,
                preexec_fn=lambda: os.sched_setaffinity(0, {mine}))
    assert f"CPU {other} is offline or not allowed" in complaint(done)
