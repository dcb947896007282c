# SPDX-License-Identifier: GPL-3.0-or-later
"""Stored runs, as they came from the runner: today's programs read them and say what they said.

What is expected is in the stored files themselves or in golden/; nothing depends on the CPU that
the tests run on. README.md: what to do when a format, a table or the solving changes on purpose.
"""

import csv
import hashlib
import os
import pathlib
import re
import shutil
import sys
import tarfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "results"), str(HERE.parent.parent)]

from common import lists  # noqa: E402
from programs import PUBLISHED, RESULTS, ROOT, call  # noqa: E402

RUN = os.environ.get("ASMSWEEP_RUN", os.path.join(os.path.dirname(RESULTS), "asmsweep-run"))
RUNS = sorted(path.parent.name for path in HERE.glob("*/journal"))
COUNTED = ("measurements", "samples", "environment", "variants", "proof", "summary")
FORMATS = {"text": "txt", "markdown": "md", "latex": "tex", "csv": "csv"}


@pytest.fixture(name="stored", params=RUNS)
def stored_run(request):
    return HERE / request.param


@pytest.fixture(name="copy")
def copy_of_it(stored, tmp_path):
    """What may be written to, or damaged."""
    return pathlib.Path(shutil.copytree(stored, tmp_path / "copy" / stored.name))


def rows(folder, name):
    with open(folder / f"{name}.csv", newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def pairs(folder, name):
    return {row["key"]: row["value"] for row in rows(folder, name)}


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def settings(folder):
    """What stands in the journal before its first execution."""
    head = (folder / "journal").read_text(encoding="utf-8").split("\nbegin\n")[0]
    return dict(line.split(" ", 1) for line in head.split("\n")[1:])


def golden(stored, ending):
    return HERE / "golden" / f"{stored.name}.{ending}"


def render(folder, kind, out, *options):
    """The table of a run in a format; its bytes."""
    done = call("/usr/bin/python3", "-B", os.path.join(ROOT, "results/tables/main.py"), folder,
                "--format", kind, "--out", out, *options)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return out.read_bytes()


def test_the_stored_bytes_are_those_that_were_stored(stored):
    done = call("sha256sum", "--strict", "-c", f"{stored.name}.sha256", cwd=HERE)
    checked = set(re.findall(r"^(.*): OK$", done.stdout, re.M))
    assert done.returncode == 0, done.stdout + done.stderr
    assert checked == {f"{stored.name}/{path.name}" for path in stored.iterdir()}


def test_a_stored_run_holds_a_little_of_everything(stored):
    statuses = {row["status"] for row in rows(stored, "summary")}
    assert statuses >= {"ok", "unstable", "refused", "faulted", "timed_out", "unproved"}
    costs = rows(stored, "costs")
    valued = {row["method"] for row in costs if row["status"] == "ok" and row["cycles"]}
    assert valued == {"direct", "solved", "difference", "iteration"}
    assert {row["additive"] for row in costs} == {"yes", "no", "untested"}
    assert {row["mix_source"] for row in rows(stored, "summary")} >= {"claimed", "found"}
    assert sum(path.stat().st_size for path in stored.iterdir()) < 500_000


def test_the_journal_and_the_files_tell_of_one_run_that_came_to_its_end(stored):
    lines = (stored / "journal").read_text(encoding="utf-8").split("\n")
    assert lines[-2:] == ["end complete", ""]
    assert dict(line.split()[1:] for line in lines if line.startswith("size ")) == {
        f"{name}.csv": str((stored / f"{name}.csv").stat().st_size) for name in COUNTED}
    assert sum(line.startswith("done ") for line in lines) == len(rows(stored, "measurements"))
    begun, known = settings(stored), pairs(stored, "environment")
    assert (begun["run_id"], begun["plan_sha256"], begun["seed"]) == \
        (known["run_id"], known["sweep_sha256"], known["schedule_seed"])
    for row in rows(stored, "summary"):
        assert row["run_id"] == known["run_id"]
        assert begun["cpu_key"] == "{cpu_vendor}-{cpu_family}-{cpu_model}-{cpu_stepping} " \
            "{microcode} {kernel}".format(**row)


def test_the_newest_stored_run_is_of_the_format_of_today_but_for_later_and_renamed_columns():
    """Where this fails a format has changed: README.md says what to do."""
    newest = HERE / max(RUNS, key=lambda name: settings(HERE / name)["run_id"])
    found = {name: (newest / f"{name}.csv").read_text("utf-8").split("\n")[0].rstrip("\r")
             for name in (*COUNTED, "costs")}
    later = {name: [column.name for column in lists.columns(name) if column.later]
             for name in found}
    later["variants"] += ["summary", "toml"]  # before there was sweep.json
    former = lists.former_names()
    assert {name: [former.get(column, column) for column in line.split(",")
                   if column not in later[name]] for name, line in found.items()} == \
        {name: [column for column in lists.names(name) if column not in later[name]]
         for name in found}


def test_its_costs_solved_anew_are_the_stored_ones(stored, copy):
    for name in ("costs.csv", "notes.csv"):
        (copy / name).unlink()
    done = call(RESULTS, "solve", copy, "--published", PUBLISHED)
    costs = rows(stored, "costs")
    with_value = sum(row["cycles"] != "" for row in costs)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{copy}/costs.csv: {len(costs)} rows, {with_value} with a value\n"
    for name in ("costs.csv", "notes.csv"):
        changed = golden(stored, name)  # there if solving was changed on purpose
        wanted = changed if changed.exists() else stored / name
        assert (copy / name).read_bytes() == wanted.read_bytes()


@pytest.mark.parametrize("kind", FORMATS)
def test_its_table_is_the_golden_one(stored, tmp_path, kind):
    found = render(stored, kind, tmp_path / "table")
    assert found.decode() == golden(stored, FORMATS[kind]).read_bytes().decode()


def test_its_page_holds_every_variant(stored, tmp_path):
    page = render(stored, "html", tmp_path / "page", "--builds", tmp_path).decode()
    plan = rows(stored, "variants")
    assert [row["variant"] for row in plan if f'>{row["variant"]}</a>' not in page] == []
    assert f"<h1>{plan[0]['summary']}</h1>" in page
    assert page.rstrip().endswith("</html>")


def test_a_variant_of_each_status_is_explained(stored):
    """Its value or reason, each of its executions, its proof."""
    each = {row["status"]: row for row in reversed(rows(stored, "summary"))}
    for row in each.values():
        done = call(RESULTS, "explain", stored, row["variant"])
        assert (done.returncode, done.stderr) == (0, "")
        measured = done.stdout.split("\nWhat was measured\n")[1].split("\n\n")[0]
        told = dict(re.findall(r"^  (\w+) +(.*)$", measured, re.M))
        assert {key: told.get(key, "") for key in ("value", "ci_low", "status", "detail")} == \
            {key: row[key] for key in ("value", "ci_low", "status", "detail")}
        assert "value" in told if row["status"] in ("ok", "unstable") else "detail" in told
        executed = done.stdout.split("\nExecutions\n")[1].split("\n\n")[0].split("\n")[1:]
        assert [line.split()[:2] for line in executed] == [
            [cell["block"], cell["slot"]] for cell in rows(stored, "measurements")
            if cell["variant"] == row["variant"]]
        (proof,) = [cell for cell in rows(stored, "proof") if cell["variant"] == row["variant"]]
        assert f"\n  elf_sha256         {proof['elf_sha256']}\n" in done.stdout


def test_it_is_the_same_as_itself(stored, copy):
    done = call(RESULTS, "compare", stored, copy)
    values = [row["value"] for row in rows(stored, "summary")]
    without = values.count("")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        f"same: {len(values) - without} (no significant change)\n"
        f"without: {without} (no value in either run)\nmethod: ")
    assert "changed" not in done.stdout.replace("change reported", "")


def test_an_item_and_a_variant_of_it_have_a_history(stored, tmp_path):
    shutil.copytree(stored, tmp_path / "stored" / "cpu" / stored.name)
    (cost,) = [row for row in rows(stored, "costs") if row["item"] == "imul"]
    (loop,) = [row for row in rows(stored, "summary") if row["variant"] == "calibrator"]
    for item, value, file in (("imul", cost["cycles"], "costs.csv"),
                              ("calibrator", loop["value"], "summary.csv")):
        done = call(RESULTS, "history", item, "--store", tmp_path)
        told = f"{float(value):.3f}"
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(
            f"{item}: cycles over time, from {file} of 1 run\n\n{loop['cpu_name']} (")
        assert f" 1 with a value from {told} to {told}; newest {told} [" in done.stdout


def test_without_its_programs_it_makes_no_archive(stored, tmp_path):
    done = call(RESULTS, "bundle", stored, "--build", tmp_path, "-o", tmp_path / "b.tar")
    first = rows(stored, "proof")[0]["variant"]
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"asmsweep-results: {tmp_path}/bin/{first}: is not there; name the " \
        "build that was measured with --build\n"
    assert list(tmp_path.iterdir()) == []


def test_with_programs_it_is_taken_into_an_archive_as_it_is(copy, tmp_path):
    """The programs are not stored; what stands in for one has its hash put into the proof."""
    for part in ("bin", "src"):
        (tmp_path / "build" / part).mkdir(parents=True)
    proof = (copy / "proof.csv").read_bytes().decode()
    for row in rows(copy, "proof"):
        name = row["variant"]
        (tmp_path / "build" / "bin" / name).write_text(name)
        (tmp_path / "build" / "src" / f"{name}.s").write_text(name)
        proof = proof.replace(row["elf_sha256"], hashlib.sha256(name.encode()).hexdigest())
    (copy / "proof.csv").write_bytes(proof.encode())
    done = call(RESULTS, "bundle", copy, "--build", tmp_path / "build", "-o", tmp_path / "b.tar")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{tmp_path}/b.tar: {len(rows(copy, 'proof'))} programs; ")
    with tarfile.open(tmp_path / "b.tar") as archive:
        archive.extractall(tmp_path / "out")
    (taken,) = (tmp_path / "out").glob("*/run")
    wanted = content(copy)
    del wanted["journal"]  # names the build directory; an archive has none
    assert content(taken) == wanted


def resume(copy, tmp_path, without):
    """--resume of a copy that was begun with another kernel than any there is. `without`: the build
    is not there; else it has all but programs. The line that it says."""
    journal = (copy / "journal").read_text("utf-8")
    here = settings(copy)["cpu_key"]
    (copy / "journal").write_text(journal.replace(f"cpu_key {here}\n", f"cpu_key {here}+\n"))
    build = tmp_path / "build"
    build.mkdir()
    for name in () if without else ("variants.csv", "proof.csv"):
        shutil.copy(copy / name, build)
    done = call(RUN, "run", build, "--resume", "-o", copy)
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


def test_it_is_not_gone_on_with_where_its_build_is_not_there(copy, tmp_path):
    assert resume(copy, tmp_path, True) == f"asmsweep-run: {tmp_path}/build/variants.csv: " \
        "cannot be read: No such file or directory\n"


def test_it_is_not_gone_on_with_on_another_machine(stored, copy, tmp_path):
    said = re.fullmatch(r"asmsweep-run: (.*): was begun on '(.*)', this is '(.*)'; start it anew "
                        r"in another folder\n", resume(copy, tmp_path, False))
    assert said[1] == str(copy) and said[2] == settings(stored)["cpu_key"] + "+"
    assert said[3].split()[-1] == os.uname().release


@pytest.mark.parametrize("without", (True, False))
def test_a_refused_resumption_changes_no_byte(copy, tmp_path, without):
    before = content(copy)
    key = settings(copy)["cpu_key"].encode()
    resume(copy, tmp_path, without)
    before["journal"] = before["journal"].replace(key, key + b"+")
    assert content(copy) == before


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("less", ("a byte", "a row"))
def test_what_is_missing_from_a_copy_is_noticed(copy, name, less):
    path = copy / f"{name}.csv"
    whole = path.read_bytes()
    part = whole[:-1] if less == "a byte" else whole[:whole.rindex(b"\r\n", 0, -2) + 2]
    path.write_bytes(part)
    for command in (["solve", copy], ["explain", copy, "calibrator"], ["bundle", copy]):
        done = call(RESULTS, *command, cwd=copy.parent)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"asmsweep-results: {path}: is cut off: {len(part)} of the {len(whole)} bytes that "
            "were written; take a whole copy of the run, or measure again\n")


def test_a_journal_without_its_last_line_is_of_an_unfinished_run(copy):
    journal = (copy / "journal").read_bytes()
    (copy / "journal").write_bytes(journal[:journal.rindex(b"end ")])
    assert call(RESULTS, "solve", copy, "--published", PUBLISHED).returncode == 0
    blocks = settings(copy)["blocks"]
    assert pairs(copy, "notes")["unfinished"] == \
        f"interrupted: {blocks} executions a variant of {blocks} planned"
