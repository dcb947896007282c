# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's files damaged in every usual way: the results and the tables say in one line which file
is wrong, and leave every file as it was."""

import csv
import io
import re
import shutil

import pytest
from conftest import PUBLISHED, PYTHON, RESULTS, ROOT, call, rows

TABLES = [PYTHON, "-B", ROOT / "results/tables/main.py"]


def edit(text, change):
    """CSV text with its rows (lists; the header first) changed in place."""
    table = list(csv.reader(io.StringIO(text.decode())))
    change(table)
    out = io.StringIO()
    csv.writer(out).writerows(table)
    return out.getvalue().encode()


def set_cell(name, value):
    def change(table):
        table[1][table[0].index(name)] = value
    return lambda text: edit(text, change)


def without_column(name):
    def change(table):
        at = table[0].index(name)
        for row in table:
            del row[at]
    return lambda text: edit(text, change)


def cut_row(text):
    return edit(text, lambda table: table[1].pop())


def longer_row(text):
    return edit(text, lambda table: table[1].append("more"))


# What is done to a file; what the line says of it.
DAMAGES = {
    "cut in half": (lambda text: text[:len(text) // 2], ""),
    "cut in a quoted field": (lambda text: text + b'"open', ""),
    "empty": (lambda text: b"", ""),
    "a NUL": (lambda text: text[:-20] + b"\0" + text[-20:], ""),
    "not UTF-8": (lambda text: b"\xff\xfe" + text, ""),
    "a byte order mark": (lambda text: b"\xef\xbb\xbf" + text,
                          "begins with a byte order mark; save it as UTF-8 without one"),
    "one field less": (cut_row, ":2"),
    "one field more": (longer_row, ":2"),
    "other text": (lambda text: b"Dear reader,\nnothing here.\n", ""),
}
SUMMARY = {
    **DAMAGES,
    **{f"no column {name}": (without_column(name), name) for name in
       ("variant", "value", "ci_low", "status", "run_id", "mix")},
    **{f"{name} {value}": (set_cell(name, value), name) for name, value in
       (("value", "1,5"), ("value", "fast"), ("ci_low", "nan"), ("status", "fine"),
        ("value", "-3"), ("value", ""), ("mix", "16*"), ("mix", "x*add"), ("groups", "some"))},
}
COSTS = {
    **DAMAGES,
    "no column cycles": (without_column("cycles"), "cycles"),
    "a word for cycles": (set_cell("cycles", "fast"), "cycles"),
    **{f"{name} {value}": (set_cell(name, value), f"{name} \"{value}\" is no number")
       for name, value in (("cycles", "nan"), ("ci_low", "nan"), ("ci_high", "inf"),
                           ("published", "1e999"), ("cycles", "1_000"), ("ci_low", " 1"))},
}
BESIDE = {f"{name} {value}": (name, value) for name, value in (
    ("executions", "many"), ("executions", "nan"), ("executions", "1e308"), ("executions", "-1"),
    ("value", "fast"), ("value", "inf"), ("groups", "some"), ("mix", "x*add"), ("mix", "16*"))}


@pytest.fixture(name="solved", scope="module")
def solved_run(whole_run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("solved") / "run"
    shutil.copytree(whole_run, folder)
    # A damage that shortens it would else be told by its size, before anything in it is read.
    journal = (folder / "journal").read_text()
    (folder / "journal").write_text(re.sub("(?m)^size summary.csv .*\n", "", journal))
    assert call(RESULTS, "solve", folder, *PUBLISHED).returncode == 0
    return folder


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refuses(folder, path, told, *command):
    """One line that names the file; exit 2; nothing touched."""
    before = content(folder)
    done = call(*command)
    lines = done.errors.strip().splitlines()
    assert done.returncode == 2, (done.returncode, done.stdout, done.errors)
    assert len(lines) == 1 and str(path) in lines[0], done.errors
    assert told in lines[0].replace(str(path), "", 1), lines[0]
    assert content(folder) == before


@pytest.mark.parametrize("damage", SUMMARY)
def test_a_damaged_summary_is_not_solved(solved, copy_of, damage):
    folder = copy_of(solved)
    path = folder / "summary.csv"
    change, told = SUMMARY[damage]
    path.write_bytes(change(path.read_bytes()))
    refuses(folder, path, told, RESULTS, "solve", folder, *PUBLISHED)


@pytest.mark.parametrize("name", ["summary", "measurements", "samples", "environment", "variants",
                                  "proof"])
def test_a_file_cut_between_two_rows_is_told_by_the_journal(whole_run, copy_of, name):
    folder = copy_of(whole_run)
    path = folder / f"{name}.csv"
    text = path.read_bytes()
    half = b"".join(text.splitlines(keepends=True)[:2])
    path.write_bytes(half)
    told = (f": is cut off: {len(half)} of the {len(text)} bytes that were written; take a whole "
            "copy of the run, or measure again")
    for command in (["solve", folder, *PUBLISHED], ["compare", whole_run, folder],
                    ["compare", folder, whole_run], ["explain", folder, "any"],
                    ["bundle", folder]):
        refuses(folder, path, told, RESULTS, *command)


def test_a_run_that_grew_is_no_cut_one(whole_run, copy_of):
    folder = copy_of(whole_run)
    with open(folder / "environment.csv", "ab") as stream:
        stream.write(b"remark,,added by hand\r\n")
    assert call(RESULTS, "solve", folder, *PUBLISHED).returncode == 0


@pytest.mark.parametrize("damage", COSTS)
def test_damaged_costs_make_no_table(solved, copy_of, damage):
    folder = copy_of(solved)
    path = folder / "costs.csv"
    change, told = COSTS[damage]
    path.write_bytes(change(path.read_bytes()))
    refuses(folder, path, told, *TABLES, folder)


@pytest.mark.parametrize("damage", BESIDE)
def test_a_summary_with_a_wrong_number_makes_no_table(solved, copy_of, damage):
    folder, (name, value) = copy_of(solved), BESIDE[damage]
    path = folder / "summary.csv"
    path.write_bytes(set_cell(name, value)(path.read_bytes()))
    refuses(folder, path, f":2: {name} \"{value}\" is no", *TABLES, folder)


@pytest.mark.parametrize("notes, told", [
    ("noise_pairs,2\nnoise_rms_percent,much\n", ':3: value "much" is no number'),
    ("noise_pairs,2\nnoise_rms_percent,nan\n", ':3: value "nan" is no number')])
def test_a_noise_floor_that_is_no_number_makes_no_table(solved, copy_of, notes, told):
    path = copy_of(solved) / "notes.csv"
    path.write_text("key,value\n" + notes)
    refuses(path.parent, path, told, *TABLES, path.parent)


def test_a_noise_floor_that_is_missing_is_not_known(solved, copy_of):
    path = copy_of(solved) / "notes.csv"
    path.write_text("key,value\nnoise_pairs,2\n")
    done = call(*TABLES, path.parent)
    assert done.returncode == 0, done.errors
    assert b"noise floor not known (A/A, 2 pairs)" in b" ".join(done.stdout.split())


@pytest.mark.parametrize("name", [
    "costs", "summary", "measurements", "samples", "variants", "proof"])
def test_a_column_that_is_missing_is_named_or_not_needed(solved, copy_of, name):
    folder = copy_of(solved)
    path = folder / f"{name}.csv"
    whole = path.read_bytes()
    for column in whole.decode().splitlines()[0].split(","):
        path.write_bytes(without_column(column)(whole))
        done = call(*TABLES, folder, "--format", "html")  # it reads all that the others read
        if done.returncode != 0:
            refuses(folder, path, f":1: has no column {column}", *TABLES, folder, "--format",
                    "html")


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_summary_is_not_compared(solved, copy_of, damage):
    folder, change = copy_of(solved), DAMAGES[damage][0]
    path = folder / "summary.csv"
    path.write_bytes(change(path.read_bytes()))
    refuses(folder, path, "", RESULTS, "compare", solved, folder)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["variants", "proof", "environment", "notes"])
def test_a_damaged_file_beside_makes_no_table(solved, copy_of, name, damage):
    folder, change = copy_of(solved), DAMAGES[damage][0]
    path = folder / f"{name}.csv"
    path.write_bytes(change(path.read_bytes()))
    refuses(folder, path, "", *TABLES, folder)


@pytest.mark.parametrize("name", ["variants", "proof", "environment", "notes", "samples"])
def test_a_file_beside_that_is_missing_costs_no_number(solved, copy_of, name):
    folder = copy_of(solved)
    (folder / f"{name}.csv").unlink()
    assert call(RESULTS, "solve", folder, *PUBLISHED).returncode == 0
    cost, = rows(folder / "costs.csv")
    assert float(cost["cycles"]) == pytest.approx(1, rel=0.001)  # 16 cycles for 16 links
    for form in ("text", "html", "markdown", "latex", "csv"):
        done = call(*TABLES, folder, "--format", form)
        assert done.returncode == 0, done.errors
        shown = cost["cycles"] if form == "csv" else f"{float(cost['cycles']):.2f}"
        assert shown.encode() in done.stdout


@pytest.mark.parametrize("name", ["summary", "costs"])
def test_a_needed_file_that_is_missing_is_named(solved, copy_of, name):
    folder = copy_of(solved)
    (folder / f"{name}.csv").unlink()
    refuses(folder, folder / f"{name}.csv", "", *TABLES, folder)


def test_one_run_twice_is_said(solved, copy_of):
    folder = copy_of(solved)
    refuses(folder, folder, f"is the same run as {solved}", *TABLES, solved, folder)


def test_a_variant_that_is_not_there_prints_nothing_but_the_line(solved):
    done = call(RESULTS, "explain", solved, "nothing")
    assert (done.returncode, done.stdout) == (2, b"")
    assert "has no variant nothing" in done.errors
