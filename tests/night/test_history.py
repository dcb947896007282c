# SPDX-License-Identifier: GPL-3.0-or-later
"""history: one cost over time, from a small store whose values are known."""

import os
import re

import pytest
import year
from nights import RESULTS, add_run, call, loop
from synthetic import homogeneous

NIGHTS, CPUS, VARIANTS = 30, 3, 20


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    year.make(folder, NIGHTS, CPUS, VARIANTS)
    return folder


def history(store, item, *options):
    return call(RESULTS, "history", item, "--store", store, *options)


def ranges(text):
    """CPU name to (runs, with a value, lowest, highest)."""
    series = re.findall(r"\n(Synthetic CPU \d+) .*\n"
                        r"  (\d+) runs, .*, (\d+) with a value from ([\d.]+) to ([\d.]+)", text)
    return {cpu: (int(runs), int(values), float(low), float(high))
            for cpu, runs, values, low, high in series}


def test_a_variant_has_a_series_for_each_cpu_with_its_values(store):
    done = history(store, "made.variant.v3")
    found = ranges(done.stdout)
    assert done.returncode == 0 and len(found) == CPUS
    for cpu in range(CPUS):
        runs, values, low, high = found[year.cpu_name(cpu)]
        wanted = year.truth(3, cpu, 0, NIGHTS)
        assert (runs, values) == (NIGHTS, NIGHTS)
        assert low == pytest.approx(wanted, rel=0.003) and high == pytest.approx(wanted, rel=0.003)


def test_a_change_is_seen_in_the_range_and_in_the_rows(store):
    done = history(store, "made.variant.v5", "--cpu", "cpu 01")
    (found,) = ranges(done.stdout).values()
    assert found[3] / found[2] == pytest.approx(1 + year.STEP, rel=0.004)
    row = re.search(r"\n  2025-01-30 03:00  ([\d.]+) \[([\d.]+), ([\d.]+)\]\n", done.stdout)
    assert float(row[2]) < year.truth(5, 1, 29, NIGHTS) < float(row[3])


def test_an_item_of_costs_is_found_before_a_variant(store):
    for item in ("group 6", "general 6"):
        done = history(store, item, "--cpu", "Synthetic CPU 00")
        assert f"{item}: cycles over time, from costs.csv of 30 runs\n" in done.stdout
        assert ranges(done.stdout)[year.cpu_name(0)][2] == pytest.approx(16, rel=0.003)


def test_another_microcode_is_named_where_it_began(store):
    done = history(store, "group 6", "--cpu", "CPU 00")
    assert re.search(r"  2025-01-21 03:00  .* now microcode 0x2, kernel 6.1.0-test\n", done.stdout)
    assert done.stdout.count("now microcode") == 1


def test_the_text_plot_is_drawn_and_fits_a_mail(store):
    done = history(store, "made.variant.v5", "--cpu", "CPU 00")
    plot = [line for line in done.stdout.split("\n") if " o" in line and "|" in line]
    assert len(plot) >= 2 and all(len(line) <= 72 for line in plot)


def test_the_svg_has_a_curve_for_each_series(store, tmp_path):
    done = history(store, "made.variant.v3", "--svg", tmp_path / "out.svg")
    text = (tmp_path / "out.svg").read_text(encoding="utf-8")
    assert done.returncode == 0 and text.startswith("<?xml") and text.rstrip().endswith("</svg>")
    assert len(set(re.findall(r"Synthetic CPU \d\d", text))) == CPUS
    assert "made.variant.v3" in text


def test_a_quote_in_an_item_cannot_leave_its_title(tmp_path):
    rows = [loop("it's'; system \"touch x\"", "1*cli", 5.0)]
    add_run(tmp_path / "store", 1, rows)
    done = call(RESULTS, "history", rows[0]["variant"], "--store", tmp_path / "store", "--svg",
                tmp_path / "out.svg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(tmp_path)) == ["out.svg", "store"]


def test_a_refused_variant_shows_its_status_and_no_number(store):
    done = history(store, "made.variant.v9", "--cpu", "CPU 00")
    assert "30 runs, 2025-01-01 to 2025-01-30, 0 with a value; newest refused" in done.stdout
    assert " 0.000" not in done.stdout


def test_unfinished_runs_and_lines_with_broken_cells_are_handled(tmp_path):
    for day in (1, 2, 3):
        row = loop("v0", "1*cli", 10.0 + day, detail="two\nlines, a \"quote\"" if day == 2 else "")
        folder = add_run(tmp_path, day, [row])
        if day == 3:
            with open(os.path.join(folder, "journal"), "w", encoding="utf-8") as stream:
                stream.write("asmsweep-journal 1\nbegin\n")
    done = history(tmp_path, "v0")
    assert "2 with a value from 11.000 to 12.000; newest 12.000" in done.stdout


def test_what_is_not_there_gets_one_line(store, tmp_path):
    done = history(store, "nonsense")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "none of the 90 runs has an item or a variant 'nonsense'" in done.stderr
    assert "needs an item" in history(store, "").stderr
    done = history(tmp_path / "none", "x")
    assert done.returncode == 2 and "is it a store of runs?" in done.stderr


def test_runs_without_costs_are_counted_with_the_command_that_makes_them(tmp_path):
    folders = [add_run(tmp_path, day, [homogeneous("v0", "cli", 4, 8.0)]) for day in (1, 2, 3)]
    makes = f"have no costs.csv: ./asmsweep table {folders[0]} makes it\n"
    done = history(tmp_path, "cli")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"asmsweep-results: {tmp_path}: none of the 3 runs has an item or a variant 'cli'; items "
        f"stand in costs.csv, variants in summary.csv, but 3 of the runs {makes}")
    assert call(RESULTS, "solve", folders[1]).returncode == 0
    done = history(tmp_path, "cli")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("cli: cycles over time, from costs.csv of 1 run\n"
                                  f"2 of the 3 runs searched {makes}\n")
    assert re.search(r"\n  1 run, .*, 1 with a value from ", done.stdout)
    assert "costs.csv" not in history(tmp_path, "v0").stdout
    for folder in folders:
        assert call(RESULTS, "solve", folder).returncode == 0
    done = history(tmp_path, "cli")
    assert done.stdout.startswith("cli: cycles over time, from costs.csv of 3 runs\n\n")


def test_the_heading_counts_the_runs_that_are_shown(tmp_path):
    for day in range(1, 6):
        add_run(tmp_path, day, [loop("v0" if day < 4 else "v1", "1*cli", 10.0)])
    done = history(tmp_path, "v0")
    assert done.stdout.startswith("v0: cycles over time, from summary.csv of 3 runs\n")
    assert "\n  3 runs, " in done.stdout
