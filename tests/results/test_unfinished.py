# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that was interrupted, or ended by its budget, is not taken for a whole one; one that has
no costs at all is told why, one that was much disturbed what helps."""

import csv
import hashlib
import os
import shutil
import tarfile

import pytest
from synthetic import columns, homogeneous, petition, write_csv, write_run

HEAD = "asmsweep-journal 1\nengine perf\nblocks 5\nmost_blocks 15\nbegin\n"


def done(block, count, core=0):
    """The journal's lines of `count` executions in a block."""
    return "".join(f"done {core} {block} {slot} v{slot} 9 9\n" for slot in range(count))


def blocks(*counts):
    return "".join(done(block, count) for block, count in enumerate(counts))


BROKEN = HEAD + blocks(6, 6, 4)
SAID = "interrupted: 2 to 3 executions a variant of 5 planned"


@pytest.fixture
def run(tmp_path, solve):
    """Make a run with such a journal, solved; its folder."""
    def make(journal):
        folder = write_run(tmp_path / "run", petition(), [("governor", "performance")])
        if journal is not None:
            (tmp_path / "run" / "journal").write_text(journal)
        solve(folder)
        return folder
    return make


def unfinished(folder):
    with open(os.path.join(folder, "notes.csv"), newline="", encoding="utf-8") as stream:
        return {row["key"]: row["value"] for row in csv.DictReader(stream)}["unfinished"]


@pytest.mark.parametrize("journal, words", [
    (BROKEN, SAID),
    (HEAD + blocks(6, 6, 6), "interrupted: 3 executions a variant of 5 planned"),
    (HEAD + blocks(3), "interrupted: at most 1 execution a variant of 5 planned"),
    (HEAD, "interrupted: no execution of 5 planned"),
    (HEAD + blocks(6, 6, 6, 6, 6, 2),
     "interrupted: the 5 planned executions a variant, but not all further ones"),
    (HEAD + blocks(6, 6, 6, 6, 6) + done(0, 6, 1) + done(1, 1, 1),
     "interrupted: 1 to 2 executions a variant of 5 planned"),
    (HEAD + blocks(6, 6) + "size summary.csv 1\nend budget\n",
     "ended by its time budget: 2 executions a variant of 5 planned"),
    (HEAD + blocks(6, 6, 6, 6, 6) + "size summary.csv 1\nend complete\n", ""),
    (None, "")])
def test_the_notes_say_what_the_journal_knows_of_the_end(run, journal, words):
    assert unfinished(run(journal)) == words


@pytest.mark.parametrize("kind, words", [
    ("text", "\n   {said}; resume it with\n   {command}\n"),
    ("markdown", "\n  - {said}; resume it with `{command}`\n"),
    ("latex", "\n{said}; resume it with \\texttt{{{command}}}\\par\n"),
    ("html", "<li>{said}; resume it with <code>{command}</code></li>")])
def test_every_table_says_it_with_the_command_that_goes_on(run, table, tmp_path, kind, words):
    folder = run(BROKEN)
    command = f"./asmsweep run --resume -o {folder}"
    place = words.format(said=SAID, command=command.replace("_", "\\_") if kind == "latex" else
                         command)
    assert place in table(folder, "--format", kind).stdout
    (tmp_path / "run" / "journal").unlink()  # a copy: there is nothing to resume
    text = table(folder, "--format", kind).stdout
    assert SAID in text and "--resume" not in text


@pytest.mark.parametrize("kind", ["text", "markdown", "latex", "html"])
def test_a_table_of_a_whole_run_has_no_such_line(run, table, kind):
    text = table(run(HEAD + blocks(6, 6) + "end complete\n"), "--format", kind).stdout
    assert "Machine and method" in text
    assert not any(word in text for word in ("interrupted", "budget", "--resume"))


def build_of(folder, tmp_path):
    """A build whose programs are those of the run's proof."""
    program, build = b"#!/bin/sh\n", tmp_path / "build"
    shutil.rmtree(build, ignore_errors=True)
    names = [row["variant"] for row in petition()]
    for part, content in (("bin/", program), ("src/", b"")):
        os.makedirs(build / part)
        for name in names:
            (build / (part + name + (".s" if content == b"" else ""))).write_bytes(content)
    write_csv(os.path.join(folder, "proof.csv"), columns("proof"),
              [{"variant": name, "status": "ok", "elf_sha256": hashlib.sha256(program).hexdigest()}
               for name in names])
    return build


@pytest.mark.parametrize("journal, said", [
    (BROKEN, SAID), (HEAD + blocks(6, 6) + "end budget\n",
                     "ended by its time budget: 2 executions a variant of 5 planned"),
    (HEAD + blocks(6, 6) + "end complete\n", None), (None, None)])
def test_a_bundle_is_made_with_a_note(run, results, tmp_path, journal, said):
    folder = run(journal)
    build, archive = build_of(folder, tmp_path), tmp_path / "b.tar"
    made = results("bundle", folder, "--build", build, "--out", archive)
    note = f"asmsweep-results: note: {folder}: the run was {said}; ./asmsweep run --resume -o " \
        f"{folder} resumes it\n"
    assert (made.returncode, made.stderr) == (0, note if said else "")
    with tarfile.open(archive) as members:
        text = members.extractfile("asmsweep-popf_if-run-1/REPRODUCE.txt").read().decode()
    assert (f"\nThe run was {said}.\n" in text) if said else ("The run was" not in text)
    checked = results("bundle", folder, "--build", build, "--check")
    assert (checked.returncode, checked.stderr) == (0, "")


DAMAGED = "/summary.csv: has no rows; the run is damaged: take a whole copy of it, or measure again"
NO_ROW = ": has no row of cycles to make a table of; "
RESUMED = NO_ROW + "./asmsweep run --resume -o {} resumes it"
CROSS_CHECK = ": was measured by hyperfine alone, which only cross-checks; measure with " \
    "--engine perf or guest; --cross-check adds hyperfine"


@pytest.mark.parametrize("journal, row, says", [
    ("begin\n", None, RESUMED), ("begin\n", {"engine": "hyperfine"}, RESUMED),
    ("begin\nend complete\n", None, DAMAGED), (None, None, DAMAGED),
    (None, {"engine": "hyperfine"}, CROSS_CHECK),
    (None, {"quantity": "instructions"},
     NO_ROW + "measure with an engine that tells cycles: doctor names them")])
def test_a_run_without_a_row_is_one_line_with_the_remedy(solve, table, tmp_path, journal, row,
                                                         says):
    folder = write_run(tmp_path / "run", [homogeneous("a", "nop", 9, 9.0, **row)] if row else [])
    if journal:
        (tmp_path / "run" / "journal").write_text(journal)
    solve(folder)
    done = table(folder)
    assert (done.returncode, done.stdout, done.stderr) == (
        2, "", f"asmsweep table: {folder}{says.format(folder)}\n")


def worse(loops, *statuses):
    """The same run where the last loops came out like that."""
    for row, status in zip(reversed(loops), statuses):
        row.update({"status": status} if status == "unstable" else
                   {"status": status, "value": "", "ci_low": "", "ci_high": ""})
    return loops


@pytest.mark.parametrize("statuses", (["unstable", "contended", "invalid_reference"],
                                      ["unstable", "not_constant", "faulted"], ["contended"]))
def test_a_run_that_was_much_disturbed_says_so_and_what_helps(statuses, tmp_path, solve, table):
    loops = [homogeneous(f"l{n}", "cli", n, 2.0 * n, quiet=0.02 * n + 0.104) for n in range(1, 21)]
    folder = write_run(tmp_path, worse(loops, *statuses))
    solve(folder)
    text = " ".join(table(folder).stdout.split())
    said = ("disturbed: of 20 loops 1 contended, 1 invalid_reference, 1 unstable (31 % of "
            "the slices were quiet); run again at a quieter time, on another CPU "
            "(--cpu) or with more executions (--blocks)")
    assert (said in text) == (statuses[-1] == "invalid_reference")
    assert ("disturbed" in text) == (said in text)
