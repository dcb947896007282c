# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of a user's own sweep: its own words and rows, nothing of the petition."""

import csv
import io
import re

import pytest
from synthetic import homogeneous, petition, write_run

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


def test_one_of_the_petitions_rows_brings_its_title_and_figures_back(made):
    text = made([dict(row, summary="s") for row in petition()])
    assert text.startswith("What saving, disabling, enabling and restoring interrupts cost\n")
    assert "Skylake, 2016" in text


def test_a_sweep_given_by_path_is_measured_again_by_path(made, results, tmp_path):
    toml = "/home/a user/my chains.toml"
    assert f"./asmsweep run '{toml}' --only VARIANT\n" in made(chains(toml))
    page = made(chains(toml), "--format", "html")
    assert f"./asmsweep run &#39;{toml}&#39; --only imul.chains2" in page
    told = results("explain", tmp_path / "run", "imul.chains2").stdout
    assert f"  ./asmsweep run '{toml}' --only imul.chains2\n" in told
    assert f"  ./asmsweep run '{toml}' --only imul.chains2 --engine guest" in told


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
