# SPDX-License-Identifier: GPL-3.0-or-later
"""A store of 365 nights of 350 variants on 20 CPUs: answers are right, and how long they take."""

import shutil
import time

import pytest
import year
from nights import RESULTS, call, night, of_kind


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    folder = tmp_path_factory.mktemp("year")
    newest = year.make(folder / "store")
    yield folder / "store", newest
    shutil.rmtree(folder)


def timed(what, *arguments):
    begun = time.monotonic()
    done = call(RESULTS, *arguments)
    print(f"{what}: {time.monotonic() - begun:.2f} s")
    return done


def test_history_over_all_cpus(full):
    store, _ = full
    for item, file in (("made.variant.v5", "summary.csv"), ("group 60", "costs.csv")):
        done = timed(f"history {item}, all CPUs", "history", item, "--store", store)
        assert f"from {file} of 7300 runs" in done.stdout
        assert done.stdout.count("\n  365 runs, 2025-01-01 to 2025-12-31, 365 with a value") == 20


def test_history_of_one_cpu_with_its_picture(full, tmp_path):
    store, _ = full
    done = timed("history made.variant.v5, one CPU, SVG", "history", "made.variant.v5", "--store",
                 store, "--cpu", "CPU 07", "--svg", tmp_path / "out.svg")
    assert done.returncode == 0 and done.stdout.count("365 runs") == 1


def test_a_night_looks_back_over_the_whole_year_for_what_never_had_a_value(full, tmp_path):
    _, newest = full
    begun = time.monotonic()
    status, rows = night(tmp_path / "night", made=newest)
    print(f"night, against a year: {time.monotonic() - begun:.2f} s")
    missing = of_kind(rows, "missing")
    assert status == 0 and len(missing) == 35
    assert {row["since"] for row in missing} == {year.run_name(0)}
    assert of_kind(rows, "sweep")[0]["compared"] == "315"
