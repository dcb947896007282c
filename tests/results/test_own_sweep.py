# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of a user's own sweep: its own words and rows, nothing of the petition."""

import csv
import io
import json
import re

import pytest
from synthetic import homogeneous, loop, petition, write_run

FORMATS = ("text", "markdown", "latex", "csv", "html")
QUESTION = "Multiplications, in one chain or in two"
PETITIONS = re.compile(r"interrupts cost|POPF|pushf|2016 mail|By CPU generation|RFC|Skylake")


def chains(toml="", more=()):
    """A study of two loops and one parameter."""
    loops = [homogeneous(f"{name}.chains{n}", name, 8, 8 * cost / n, family=name,
                         context=f"chains={n}")
             for name, cost in (("imul", 3.0), ("bswap", 1.0)) for n in (1, 2)]
    return [dict(row, summary=QUESTION, toml=toml) for row in loops + list(more)]


@pytest.fixture
def made(tmp_path, solve, table):
    """The table of a run given as a list of loops; returns its text."""
    def render(loops, *options):
        folder = write_run(tmp_path / "run", loops)
        solve(folder)
        done = table(folder, *options)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return render


@pytest.mark.parametrize("kind", FORMATS)
def test_no_format_speaks_of_the_petition(made, kind):
    text = made(chains(), "--format", kind)
    assert not PETITIONS.search(text), PETITIONS.search(text)
    assert "imul (chains 2)" in text and "bswap (chains 1)" in text


@pytest.mark.parametrize("kind,title", [
    ("text", f"{QUESTION}\n====="), ("markdown", f"# {QUESTION}\n"),
    ("latex", rf"\section*{{{QUESTION}}}"), ("html", f"<h1>{QUESTION}</h1>")])
def test_the_title_is_the_sweeps_summary(made, kind, title):
    assert title in made(chains(), "--format", kind)


def test_a_run_that_has_no_summary_is_titled_by_its_sweep(made):
    loops = [dict(row, summary="") for row in chains()]
    assert made(loops).startswith("Costs of the sweep synthetic\n")


def test_the_rows_stand_by_loop_with_their_costs(made):
    rows = list(csv.DictReader(io.StringIO(made(chains(), "--format", "csv"))))
    assert [(row["section"], row["label"], round(float(row["cycles"]), 2)) for row in rows] == [
        ("imul", "imul (chains 1)", pytest.approx(3.0, abs=0.1)),
        ("imul", "imul (chains 2)", pytest.approx(1.5, abs=0.1)),
        ("bswap", "bswap (chains 1)", pytest.approx(1.0, abs=0.1)),
        ("bswap", "bswap (chains 2)", pytest.approx(0.5, abs=0.1))]


def test_a_published_figure_stands_beside_what_it_speaks_of_and_nowhere_else(made):
    pair = homogeneous("pair", "push %rbx; pop %rbx", 16, 16 * 1.0, family="pair")
    text = made(chains(more=[pair]))
    assert re.search(r"^push %rbx; pop %rbx +1\.0", text, re.M)
    generations = text.split("By CPU generation")[1].split("\n\n")[0]
    assert "push;pop" in generations and "pushfq" not in generations
    assert "POPF_IF" not in text and "interrupts" not in text
    rows = csv.DictReader(io.StringIO(made(chains(more=[pair]), "--format", "csv")))
    assert {row["item"] for row in rows} == {"imul", "bswap", "push %rbx; pop %rbx"}


REFUSED = {"status": "refused", "detail": "iopl: ENOSYS", "value": "", "ci_low": "", "ci_high": ""}
TITLE = "What saving, disabling, enabling and restoring interrupts cost"


@pytest.mark.parametrize("sweep", ["popf_if", "seed"])
def test_the_petitions_sweeps_keep_its_title_where_all_is_refused(made, sweep):
    loops = [dict(homogeneous("c", "cli", 28, 56, context="if=0->0"), summary="s", sweep=sweep,
                  **REFUSED)]
    text = made(loops)
    assert text.startswith(f"{TITLE}\n") and "Skylake, 2016" in text
    assert re.search(r"^cli \(IF 0->0\) +refused \(\d\) +1\.99 ", text, re.M)


def test_a_sweep_that_asks_no_questions_has_no_other_sweeps_title(made):
    loops = [dict(row, summary="s", sweep="mine") for row in petition()]
    assert made(loops).startswith("s\n===")  # though a break-even was found


@pytest.mark.parametrize("cells", [REFUSED, {}])
def test_cli_and_sti_in_an_own_sweep_leave_it_its_title_and_sections(made, cells):
    own = dict(homogeneous("priv", "cli; sti", 1, 6.0, family="priv"), **cells)
    text = made(chains("/x/popf_if.toml", [own]))
    assert text.startswith(f"{QUESTION}\n=====") and not PETITIONS.search(text)
    titles = re.findall(r"^(\w+)\n-+$", text, re.M)
    assert titles[:3] == ["imul", "bswap", "priv"]


def test_a_projects_sweep_that_measures_restores_has_its_own_title(made):
    pair = homogeneous("pair", "push %rbx; popfq", 14, 14 * 20, family="known_answers",
                       context="if=1->1")
    text = made(chains(more=[dict(pair, summary=QUESTION)]))
    assert text.startswith(f"{QUESTION}\n")
    assert re.search(r"^known_answers\n-+\nat CPL3:\npush %rbx; popfq \(IF 1->1\)\n? +20\.0", text,
                     re.M)


def test_generations_need_a_row_of_this_machine(made):
    bare = [dict(row, sweep="popf_if") for row in petition()
            if row["variant"] not in ("pf", "pf-again")]
    assert "By CPU generation" not in made(bare)


def test_loops_that_no_cost_tells_stand_in_their_family(made):
    lone = [loop(f"reps.n{n}", "2*mov+1*movsb", 10.0 + n, half=0.01, family="reps",
                 context=f"n={n}") for n in (1, 64)]
    wrong = [dict(loop("wrong", "1*add", None), mix="", status="unproved", detail="mix: 2*add",
                  family="wrong")]
    text = made(chains(more=lone + wrong))
    assert re.search(r"^reps\n----\nat CPL3:\nreps\.n1: one iteration  11\.00 \[10\.99,11\.01\]ip\n"
                     r"reps\.n64: one iteration 74\.00 \[73\.99,74\.01\]ip$", text, re.M)
    assert re.search(r"^wrong: one iteration    unproved \(1\)$", text, re.M)
    assert "  1. unproved: mix: 2*add\n" in text
    assert "found: d (a loop of nothing else), i (one iteration of a whole" in \
        " ".join(text.split())


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_shows_every_loop(made, kind):
    text = made([dict(loop(f"l{n}", "1*mov", 10.0 + n, family=f"l{n}"), summary=QUESTION)
                 for n in range(3)], "--format", kind)
    for n in range(3):
        assert f"l{n}: one iteration" in text and f"1{n}.0" in text


def study(family, cost, overlap=0):
    """Loops of imul and add whose costs add, but for `overlap` cycles in each mix."""
    made = []
    for a, b in ((1, 0), (1, 1), (2, 1), (1, 2), (4, 2), (2, 4), (4, 4)):
        mix = f"{8 * a}*imul" + (f"+{8 * b}*add" if b else "")
        group = {"group": "imul", "groups": 8} if not b else {}
        made.append(loop(f"{family}.{a}.{b}", mix, 8 * (cost * a + b) + (overlap if b else 0),
                         half=0.01, family=family, **group))
    return made


def test_a_solved_cost_is_left_out_beside_a_direct_one_of_its_family_only(made):
    text = made(chains(more=study("study", 3.0) +
                       [homogeneous("other", "add", 8, 8.0, family="other")]))
    section = text.split("study\n-----\n")[1].split("\n\n")[0]
    assert re.search(r"^add \(fixed\) +1\.00 .*sp$", section, re.M)
    assert re.search(r"^imul +3\.0.*dp$", section, re.M) and "imul (fixed)" not in section
    assert "... and 1 more of study: --all, or the page" in section
    assert "imul (fixed)" in made(chains(more=study("study", 3.0)), "--all")


def test_costs_that_do_not_add_are_never_left_out(made):
    text = made(chains(more=study("mixed", 3.0, overlap=9)))
    section = text.split("mixed\n-----\n")[1].split("\n\n")[0]
    for item in ("imul", "add"):
        assert re.search(rf"^{item} \(fixed\) +unavailable \(1\)$", section, re.M)
    assert "unavailable: costs do not add: mixed." in text


def test_a_sweep_given_by_path_is_measured_again_by_path(made, results, tmp_path):
    toml = "/home/a user/my chains.toml"
    assert f"./asmsweep run '{toml}' --only VARIANT\n" in made(chains(toml))
    page = made(chains(toml), "--format", "html")
    assert f"./asmsweep run &#39;{toml}&#39; --only imul.chains2" in page
    told = results("explain", tmp_path / "run", "imul.chains2").stdout
    assert f"  ./asmsweep run '{toml}' --only imul.chains2\n" in told
    assert f"  ./asmsweep run '{toml}' --only imul.chains2 --engine guest" in told


def test_the_sweeps_path_is_whole_wherever_the_reader_stands(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert f"./asmsweep run {tmp_path}/x.toml --only VARIANT\n" in made(
        chains(f"{tmp_path}/x.toml"))


@pytest.mark.parametrize("toml", ["", "anonymous"])
def test_a_sweep_of_the_project_is_measured_again_by_name(made, results, tmp_path, toml):
    assert "./asmsweep run synthetic --only VARIANT\n" in made(chains(toml))
    told = results("explain", tmp_path / "run", "imul.chains2").stdout
    assert "  ./asmsweep run synthetic --only imul.chains2\n" in told


@pytest.mark.parametrize("words,said", [
    (("--formt", "csv"), "unrecognized arguments: --formt csv; --help lists the options"),
    (("--format", "pdf"), "--format: invalid choice: 'pdf' (choose from 'csv', 'html', 'latex', "
                          "'markdown', 'text'); --help lists the options"),
    (("--out",), "--out: expected one argument; --help lists the options")])
def test_a_wrong_option_is_one_line_with_the_remedy(table, words, said):
    done = table("DIR", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"asmsweep table: {said}\n")


def test_several_runs_ask_what_their_sweeps_ask_in_their_order(tmp_path, solve, table):
    folders = []
    for name, loops in (("one", petition()), ("two", chains())):
        folders.append(write_run(tmp_path / name, [dict(row, run_id=name) for row in loops]))
        solve(folders[-1])
    path = tmp_path / "two" / "sweep.json"
    told = json.loads(path.read_text())
    told["questions"] = [{"title": "Chains", "take": [{"instructions": ["imul"]}], "titled": True}]
    told["phrases"] = {"chains": {"1": "one chain", "": "{} chains"}, "if": {"": "no {}"}}
    path.write_text(json.dumps(told))
    text = table(*folders).stdout
    assert text.startswith(f"{TITLE};\n") and QUESTION in " ".join(text.split())
    titles = re.findall(r"^(.+)\n-+$", text, re.M)
    assert titles.index("Save by PUSHF") < titles.index("Chains") < titles.index("Instructions")
    assert re.search(r"^Chains\n-+\nat CPL3:\none chain +3\.0.*\n2 chains +1\.5", text, re.M)
    assert "\nIF 1->1 " in text  # of a key that both say, the first one's words
    assert re.search(r"^bswap \(one chain\) +1\.0", text, re.M)
