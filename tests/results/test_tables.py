# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables in every format but the page, on runs whose costs are known."""

import csv
import io
import os
import re
import resource
import shutil
import stat

import pytest
from programs import HERE, ROOT, call
from synthetic import homogeneous, loop, petition, write_run

FORMATS = ("text", "markdown", "latex", "csv", "html")
REFUSED = {"status": "refused", "privilege": "unavailable", "detail": "iopl: ENOSYS (Function)",
           "value": "", "ci_low": "", "ci_high": ""}


def refused(loops):
    """The same run where CLI and STI may not be executed."""
    return [dict(row, **REFUSED) if "cli" in row["mix"] or "sti" in row["mix"] else row
            for row in loops]


@pytest.fixture
def made(tmp_path, solve, table):
    """A table of runs given as lists of loops; returns its text."""
    def render(*runs, options=()):
        folders = []
        for number, loops in enumerate(runs):
            loops = [dict(row, run_id=f"run-{number + 1}") for row in loops]
            folders.append(write_run(tmp_path / f"run{number}", loops,
                                     [("governor", "performance")]))
            solve(folders[-1])
        done = table(*folders, *options)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return render


def as_rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_no_line_of_text_is_wider_than_72(made):
    long = homogeneous("long", "; ".join(["push %rbx", "popfq"] * 9), 1, 12345.678,
                       context="if=1->1;a=" + "x" * 90)
    text = made(petition() + [long], refused(petition()))
    assert max(len(line) for line in text.splitlines()) <= 72
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_the_text_is_the_golden_one(made):
    text = made(refused(petition()))
    golden = os.path.join(HERE, "golden", "refused.txt")
    if os.environ.get("ASMSWEEP_UPDATE_GOLDEN"):
        with open(golden, "w", encoding="utf-8") as stream:
            stream.write(text)
    with open(golden, encoding="utf-8") as stream:
        assert text == stream.read()


def test_the_petitions_questions_come_first(made):
    text = made(petition())
    titles = ["The most POPF_IF may cost", "Restore by POPF, by what changes",
              "Restore by test, branch and STI", "CLI and STI", "Save by PUSHF", "Instructions",
              "By CPU generation", "Notes", "Machine and method"]
    places = [text.index(title) for title in titles]
    assert places == sorted(places)


def test_printed_intervals_hold_the_known_costs(made):
    rows = as_rows(made(petition(cli=2.0, sti=4.0), options=("--format", "csv")))
    known = {"cli": 2.0, "sti": 4.0, "pushfq; pop %rbx": 5.0}
    seen = set()
    for row in rows:
        if row["item"] in known and row["engine"] == "perf":
            assert float(row["ci_low"]) <= known[row["item"]] <= float(row["ci_high"])
            seen.add(row["item"])
    assert seen == set(known)


def test_the_texts_break_even_is_the_known_one(made):
    text = made(petition())
    assert re.search(r"IF was 0, predicted\n +4\.00 \[3\.9\d,4\.0\d\] +xp", text)
    assert re.search(r"IF was 0 or 1, unpredictable\n +18\.00 \[", text)


def test_without_real_cli_break_even_is_said_not_to_be_measurable(made):
    text = made(refused(petition()))
    assert "A: not measurable here: needs CPL0 on silicon" in text
    assert "18.00" not in text


def test_a_refused_cell_shows_its_status_and_its_reason_in_the_notes(made):
    text = made(refused(petition()))
    assert re.search(r"^cli +refused \(1\)", text, re.M)
    assert "  1. refused: iopl: ENOSYS (Function)" in text


@pytest.mark.parametrize("kind", FORMATS)
def test_nothing_is_invented_for_a_missing_cell(made, kind):
    loops = [homogeneous("gone", "bswap %rbx", 16, None, status="timed_out", detail="10 s"),
             homogeneous("here", "rol %rbx", 16, 16.0)]
    text = made(loops, options=("--format", kind))
    lines = [line for line in text.splitlines() if "bswap" in line]
    assert lines
    if kind == "csv":
        row = next(row for row in as_rows(text) if row["item"].startswith("bswap"))
        assert (row["cycles"], row["ci_low"], row["status"]) == ("", "", "timed_out")
    else:
        row = next(line for line in lines if "timed" in line)
        assert not re.search(r"\b(0|0\.0+|nan|None)\b", row.split("bswap", 1)[1])


def test_lines_of_csv_end_with_cr_lf(tmp_path, run, table):
    done = table(run, "--format", "csv", "--out", tmp_path / "t.csv")
    assert done.returncode == 0
    text = (tmp_path / "t.csv").read_bytes()
    assert text.count(b"\n") == text.count(b"\r\n") > 9 and b"\n\r" not in text
    assert text.startswith(b"section,label,") and text.endswith(b"\r\n")


def test_two_microcodes_of_one_cpu_are_two_columns(made):
    old, new = petition(pair=20.0), petition(pair=31.0)
    for row in new:
        row["microcode"] = "0xa101154"
    text = made(old, new)
    assert "A: Synthetic Zen 4" in text and "B: Synthetic Zen 4" in text
    assert "microcode 0xa101148" in text and "microcode 0xa101154" in text
    rows = as_rows(made(old, new, options=("--format", "csv")))
    pairs = {row["microcode"]: float(row["cycles"]) for row in rows
             if row["context"] == "if=1->1;bits=none" and row["microcode"]}
    assert pairs == {"0xa101148": pytest.approx(20.0), "0xa101154": pytest.approx(31.0)}


def test_a_newer_run_of_the_same_cpu_stands_in_its_column(made):
    old, new = petition(pair=20.0), petition(pair=21.0)
    for row in new:
        row["time_utc"], row["run_id"] = "2026-02-02T00:00:00Z", "run-2"
    for runs in ((old, new), (new, old)):
        rows = as_rows(made(*runs, options=("--format", "csv")))
        pairs = [float(row["cycles"]) for row in rows if row["engine"] == "perf"
                 and row["context"] == "if=1->1;bits=none"]
        assert pairs == [pytest.approx(21.0)]


def test_at_least_eight_published_generations_stand_below(made):
    text = made(petition())
    block = text.split("By CPU generation")[1].split("\nNotes")[0]
    rows = [line for line in block.splitlines() if re.search(r" \d+\.\d\d", line)]
    assert len(rows) >= 9
    assert re.search(r"^Synthetic Zen 4 \* +20\.6\d", block, re.M)
    assert re.search(r"^Skylake client +24\.17", block, re.M)


def test_the_mails_figures_stand_beside_with_their_note(made):
    text = made(petition())
    assert re.search(r"^cli +2\.00 \[.* 1\.99 \[1\.94,2\.02\]", text, re.M)
    assert "the mail's 10 cycles averaged POPF with a nearly free PUSH" in text


def test_any_published_cpu_can_stand_in_a_column(made):
    text = made(petition(), options=("--beside", "Haswell,Zen1"))
    assert "Haswell" in text.split("By CPU generation")[0]
    assert re.search(r"^pushfq; popfq +26\.00 +19\.50|^pushfq; popfq.*\n?.*26\.00", text, re.M)


def test_a_published_cpu_that_is_not_there_is_named(tmp_path, solve, table):
    folder = write_run(tmp_path, petition())
    solve(folder)
    done = table(folder, "--beside", "Z80")
    assert done.returncode == 2 and "Z80" in done.stderr and "Haswell" in done.stderr


def test_disagreement_with_a_figure_is_marked(made):
    text = made([homogeneous("pf", "pushfq; popfq", 16, 16 * 25.0)])
    assert re.search(r"^pushfq; popfq +25\.0.* 20\.67!", text, re.M)


def test_a_disturbed_fit_is_noted_and_has_no_value(made):
    loops = [loop(f"r-{k}", "+".join(f"{n}*{name}" for n, name in ((8 - k, "cli"), (k, "sti"))
                                     if n), 2 * (8 - k) + 4 * k + (9 if 0 < k < 8 else 0),
                  family="r") for k in range(9)]
    text = made(loops)
    assert re.search(r"^cli \(fixed\) +unavailable \(\d\)", text, re.M)
    assert "costs do not add" in text


def test_a_shortened_study_says_how_much_is_left_out(made):
    loops = [homogeneous(f"n{k}", "nop", 16, 4.0 + k, family="study", context=f"at={k}")
             for k in range(20)]
    assert "more of study" not in made(loops)  # it is all that there is
    loops.append(homogeneous("other", "cld", 16, 48.0, family="other"))
    assert "... and 14 more of study: --all, or the page" in made(loops)
    assert "more of study" not in made(loops, options=("--all",))


def test_a_row_with_a_published_figure_is_never_left_out(made):
    loops = [homogeneous(f"n{k}", "nop", 16, 4.0 + k, family="study", context=f"at={k}")
             for k in range(20)]
    loops.append(homogeneous("pf", "pushfq; popfq", 16, 16 * 20.6, family="study"))
    assert re.search(r"^pushfq; popfq +20\.6.* 20\.67=", made(loops), re.M)


def test_noise_floor_machine_date_and_command_are_below(made):
    text = " ".join(made(petition()).split())
    for words in ("noise floor (A/A, 1 pairs): 0.10 % rms", "microcode 0xa101148",
                  "2026-01-02T03:04:05Z", "governor performance",
                  "./asmsweep run popf_if --only VARIANT"):
        assert words in text


def test_every_table_of_markdown_has_as_many_cells_as_its_heading(made):
    text = made(refused(petition()), options=("--format", "markdown"))
    rows = [re.sub(r"\\.", "", line).count("|") for line in text.splitlines()
            if line.startswith("|")]
    assert len(rows) > 30
    blocks = [block for block in text.split("\n\n") if block.startswith("|")]
    for block in blocks:
        assert len({re.sub(r"\\.", "", line).count("|") for line in block.splitlines()}) == 1


def test_latex_compiles_to_pages_that_hold_the_figures(made, tmp_path):
    if shutil.which("pdflatex") is None or shutil.which("pdftotext") is None:
        pytest.skip("pdflatex or pdftotext is missing: ./asmsweep setup --tests")
    loops = [dict(row, hypervisor="KVMKVMKVM", cpu_name="AMD EPYC") for row in petition()]
    (tmp_path / "t.tex").write_text(made(loops, options=("--format", "latex")))
    done = call("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex", cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull \\hbox" not in done.stdout
    text = call("pdftotext", "-layout", "t.pdf", "-", cwd=tmp_path).stdout
    assert re.search(r"IF 1->1, DF changes +3 +116\.3 \[115\.9,116\.6\]", text)


def test_names_with_special_letters_survive_every_format(made):
    loops = petition()
    for row in loops:
        row["cpu_name"] = "A&B <x> 100% $#_{}~^\\ |"
    for kind in FORMATS:
        assert "100" in made(loops, options=("--format", kind))


SOLVE = "remove it; ./asmsweep table makes it again"
ASKED = "take a whole copy of the run, or remove it: the table has a section a family then"
RESUME = "give a run's directory; ./asmsweep run --resume -o RUN resumes an interrupted one"


@pytest.mark.parametrize("spoil, words, remedy", [
    (lambda p: os.remove(p / "costs.csv"), "costs.csv: is not there",
     "./asmsweep table RUN makes it"),
    (lambda p: (p / "costs.csv").write_text("run_id\r\nx\r\n"), "costs.csv:1: has no column",
     SOLVE),
    (lambda p: (p / "costs.csv").write_text((p / "costs.csv").read_text() + "x,y\n"), "fields",
     SOLVE),
    (lambda p: (p / "costs.csv").write_text(re.sub(r",(\d+)\.(\d+),", r",\1;\2,",
                                                   (p / "costs.csv").read_text())),
     "is no number", SOLVE),
    (lambda p: (p / "summary.csv").write_bytes(b"\xff\xfe"), "summary.csv: cannot be read", RESUME),
    (lambda p: [os.remove(p / name) for name in ("costs.csv", "summary.csv")],
     "summary.csv: is not there", RESUME),
    (lambda p: (p / "sweep.json").write_text('{"title": '), "sweep.json: cannot be read: ", ASKED),
    *((lambda p, text=text: (p / "sweep.json").write_text(text),
       "sweep.json: is not as the generator writes it: ", ASKED)
      for text in ('[]', '{"questions": [{"title": "t"}]}', '{"phrases": {"if": "IF"}}',
                   '{"questions": [{"title": "t", "take": [{"colour": ["red"]}]}]}',
                   '{"questions": [{"title": "t", "take": [], "short": ["tidy"]}]}',
                   '{"toml": 5}', '{"phrases": {"if": []}}', '{"summary": []}',
                   '{"questions": [{"title": 5, "take": []}]}',
                   '{"questions": [{"title": "t", "take": [], "hide": null}]}',
                   '{"questions": [{"title": "t", "take": [{"instructions": null}]}]}',
                   '{"questions": [{"title": "t", "take": [{"instructions": [[]]}]}]}',
                   '{"beside": ["a mail"]}', '{"generations": [{"heading": "imul"}]}')),
])
def test_a_spoilt_run_is_one_line_with_file_and_remedy(tmp_path, solve, table, spoil, words,
                                                       remedy):
    folder = write_run(tmp_path / "run", petition())
    solve(folder)
    spoil(tmp_path / "run")
    done = table(folder)
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""
    assert done.stderr.endswith(f"; {remedy.replace('RUN', str(folder))}\n")
    assert done.stderr.count("\n") == 1


@pytest.fixture
def run(tmp_path, solve):
    """A solved run's folder."""
    folder = write_run(tmp_path / "run", petition())
    solve(folder)
    return folder


def test_out_writes_through_to_what_is_no_regular_file(table, run, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    done = table(run, "--format", "csv", "--out", pipe)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert os.read(reader, 20) == b"section,label,item,c"
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert sorted(os.listdir(tmp_path)) == ["pipe", "run"]
    os.close(reader)


def test_out_keeps_a_link_and_writes_its_file(table, run, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert table(run, "--out", tmp_path / "link").returncode == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == table(run).stdout


def test_out_to_a_directory_names_it(table, run, tmp_path):
    done = table(run, "--out", tmp_path)
    assert (done.returncode, done.stderr) == (
        2, f"asmsweep table: {tmp_path}: Is a directory; give another place with --out\n")
    assert os.listdir(tmp_path) == ["run"]


def test_out_without_room_leaves_nothing_and_names_the_file(run, tmp_path):
    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    old = tmp_path / "t.txt"
    old.write_text("old")
    done = call("/usr/bin/python3", "-B", os.path.join(ROOT, "results", "tables", "main.py"), run,
                "--out", old, preexec_fn=no_room)
    assert (done.returncode, done.stderr) == (
        2, f"asmsweep table: {old}: File too large; give another place with --out\n")
    assert sorted(os.listdir(tmp_path)) == ["run", "t.txt"] and old.read_text() == "old"


def test_damaged_notes_go_with_the_costs(run, table, tmp_path):
    (tmp_path / "run" / "notes.csv").write_text("key,value\r\nx\r\n")
    done = table(run)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"asmsweep table: {run}/notes.csv:2: has not as many fields as the "
                           "header; remove it and costs.csv; ./asmsweep table makes both again\n")


def test_samples_that_are_no_text_are_named(run, table, tmp_path):
    (tmp_path / "run" / "samples.csv").write_bytes(b"variant,engine\r\n\xff\xfe\x80,x\r\n")
    done = table(run, "--format", "html")
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"asmsweep table: {run}/samples.csv: cannot be read: ")
    assert done.stderr.endswith("; remove it or run again\n")


def test_what_rounds_to_zero_has_no_sign():
    from results.tables import cells
    assert cells.number(-0.004) == "0.00" and cells.number(-0.006) == "-0.01"
    assert cells.interval(-0.001, 0.5, 0.25) == "[0.00,0.50]"


def test_markdowns_title_is_escaped(made):
    loops = [dict(homogeneous("x", "nop", 9, 9.0, family="a_b"), summary="a *b* <c> _d_|")]
    text = made(loops, options=("--format", "markdown"))
    assert text.startswith("# a \\*b\\* \\<c\\> \\_d\\_\\|\n") and "\n## a\\_b\n" in text


@pytest.mark.parametrize("item, figures", [("nop", "."), ("imul %rbx,%rbx",
                                                         "; published figures beside them.")])
def test_the_pages_line_of_machines_ends_where_it_ends(made, item, figures):
    text = made([homogeneous("x", item, 9, 27.0)], options=("--format", "html"))
    assert f"Core cycles, 95 % intervals. Synthetic Zen 4{figures}</p>" in text


def test_a_directory_that_is_not_there_is_named(table, tmp_path):
    done = table(tmp_path / "no")
    assert done.returncode == 2 and "is no directory" in done.stderr


def test_an_undefined_name_in_a_template_is_an_error(tmp_path):
    import jinja2
    from results.tables import environment
    (tmp_path / "x.j2").write_text("<{ nothing }>")
    with pytest.raises(jinja2.UndefinedError):
        environment.make(tmp_path).get_template("x.j2").render({})


def test_rows_without_any_value_and_for_one_reason_become_one(made):
    loops = [homogeneous(f"r{k}", "cli; sti", 1, None, family="many", context=f"at={k}",
                         status="refused", detail="iopl: ENOSYS") for k in range(9)]
    text = made(loops)
    assert re.search(r"^many: 9 rows +refused \(\d\)", text, re.M)
    assert "at 3" not in text
    text = made([*loops, homogeneous("r9", "cli; sti", 1, 9.0, family="many", context="at=9")])
    assert "rows" not in text and re.search(r"\(at 3\)[^(]*refused", text)  # beside a value
    assert "at 3" in made(loops, options=("--all",))


def test_the_same_question_in_two_families_is_answered_by_the_better_known(made):
    loops = [homogeneous("wide", "push %rbx; popfq", 14, 14 * 20, family="a", half=50,
                         context="if=1->1"),
             homogeneous("narrow", "push %rbx; popfq", 14, 14 * 21, family="b", half=0.1,
                         context="if=1->1")]
    text = made([dict(row, sweep="popf_if") for row in loops])
    assert re.search(r"^IF 1->1 +21\.0.* 21\.7 \[20\.6,22\.9\]", text, re.M)
    assert "... and 1 more of a: --all, or the page" in text
