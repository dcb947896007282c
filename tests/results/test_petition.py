# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of the 2016 mail, computed anew from the counts it printed as docs/petition_2016.md
says: results/published/petition_2016_costs.csv holds nothing else."""

import csv
import os
import re

import pytest
from programs import PUBLISHED, ROOT

OVERHEAD = 1.0  # cycles an iteration that dec; jnz add at most
MARGIN = 0.02  # of the whole; common/margins.def


def rows(name):
    with open(os.path.join(PUBLISHED, name), newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


COUNTS = {row["program"]: row for row in rows("petition_2016.csv")}
FIGURES = {row["variants"]: row for row in rows("petition_2016_costs.csv")}
PAGE = open(os.path.join(ROOT, "docs/petition_2016.md"), encoding="utf-8").read()


def iteration(program):
    """(centre, low, high) cycles of one iteration: what rounds to the printed IPC."""
    row = COUNTS[program]
    if row["cycles_total"]:
        return (int(row["cycles_total"]) / int(row["iterations"]),) * 3
    instructions = int(row["instructions_total"]) / int(row["iterations"])
    ipc = float(row["ipc_printed"])
    return tuple(instructions / each for each in (ipc, ipc + 0.005, ipc - 0.005))


def part(program, count, overhead=OVERHEAD):
    centre, low, high = iteration(program)
    return centre / count, (low - overhead) / count, high / count


def cli(overhead=OVERHEAD):
    """What 27 CLI and one STI leave for a CLI, an STI being one of 28."""
    (centre, low, high), sti = iteration("cli27_sti1"), iteration("sti28")

    def one(whole, stis, extra):
        return (whole - extra - (stis - extra) / 28) / 27
    ends = [(one(low, sti[2], extra), one(high, sti[1], extra)) for extra in (0, overhead)]
    return one(centre, sti[0], 0), min(end[0] for end in ends), max(end[1] for end in ends)


def minus(a, b):
    return a[0] - b[0], a[1] - b[2], a[2] - b[1]


COMPUTED = {
    "cli27_sti1 sti28": cli(), "sti28": part("sti28", 28),
    "cli_push_popf": part("cli_push_popf", 14), "sti_push_popf": part("sti_push_popf", 14),
    "push_popf": part("push_popf", 14), "push_popf_pair": part("push_popf_pair", 1),
    "push_pop_pair": part("push_pop_pair", 1),
}


@pytest.mark.parametrize("programs", COMPUTED)
def test_each_figure_follows_from_the_mails_counts(programs):
    figure = FIGURES[programs]
    assert [float(figure[name]) for name in ("cycles", "ci_low", "ci_high")] == pytest.approx(
        COMPUTED[programs], rel=1e-8)
    assert set(FIGURES) == set(COMPUTED)


@pytest.mark.parametrize("programs", COMPUTED)
def test_the_page_derives_each_figure(programs):
    centre, low, high = COMPUTED[programs]
    assert re.search(rf"\| {centre:.2f} \[{low:.2f}, {high:.2f}\] \|", PAGE)


@pytest.mark.parametrize("programs,alone", [("cli_push_popf", COMPUTED["cli27_sti1 sti28"]),
                                            ("sti_push_popf", COMPUTED["sti28"])])
def test_what_stands_in_front_of_the_pair_does_not_add(programs, alone):
    whole, pair = COMPUTED[programs], COMPUTED["push_popf"]
    assert whole[1] > alone[2] + pair[2] and whole[0] - alone[0] - pair[0] > MARGIN * whole[0]
    adds = "%.1f [%.1f, %.1f]" % minus(whole, pair)
    assert FIGURES[programs]["additive"] == "no"
    assert FIGURES[programs]["detail"] == \
        f"in front of the pair it adds {adds} cycles, alone it takes {alone[0]:.2f}"
    assert adds in PAGE


def test_without_overhead_cli_is_1_99_and_sti_3_99_and_a_pair_21_7():
    """As the analysis of the mail has them, without the loop's own instructions."""
    def rounded(bounds, digits):
        return tuple(round(each, digits) for each in bounds)
    assert rounded(part("cli27_sti1", 28, 0), 2) == (2.07, 2.05, 2.09)
    assert rounded(cli(0), 2) == (1.99, 1.97, 2.02)
    assert rounded(part("sti28", 28, 0), 2) == (3.99, 3.92, 4.06)
    assert rounded(part("push_popf", 14, 0), 1) == (21.7, 20.7, 22.9)
    pair = part("push_popf", 14, 0)
    assert rounded(minus(part("cli_push_popf", 14, 0), pair), 1) == (7.2, 4.8, 9.6)
    assert rounded(minus(part("sti_push_popf", 14, 0), pair)[1:], 1) == (7.5, 12.9)
    assert iteration("push_popf_pair")[0] == pytest.approx(24.65, abs=0.006)
