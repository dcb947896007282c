# SPDX-License-Identifier: GPL-3.0-or-later
"""A section as short as a mail can bear. What is left out is counted, and the page has it all.

Each rule takes rows and returns those to show; what it drops goes to `left_out`,
a count by the name of the family.
"""

import dataclasses
from collections import Counter

from common import lists, questions

# A study with more rows than WHOLE_FAMILY among the instructions is cut to ROWS_PER_FAMILY and
# those with a figure of the same CPU beside them.
WHOLE_FAMILY = 16
ROWS_PER_FAMILY = 6
# An order matters where it changes a loop by more.
MARGIN_CYCLES = lists.margin("cycles")


def _valued(row):
    return [cost for cost in row.costs.values() if cost["cycles"] is not None]


def _measured(row):
    return [cost for cost in row.costs.values() if cost["engine"] != "published"]


def _known(row):
    """How well the row is measured, to compare: more values, then the narrower interval."""
    valued = [cost for cost in _measured(row) if cost["cycles"]]
    width = ((valued[0]["ci_high"] - valued[0]["ci_low"]) / abs(valued[0]["cycles"])
             if valued else float("inf"))
    return len(valued), -width


def one_row_a_label(rows, left_out):
    """Of rows that read alike (the same question in two families), the one known best."""
    best = {}
    for row in rows:
        other = best.setdefault((row.label, row.ring), row)
        if other is not row:
            kept, dropped = (row, other) if _known(row) > _known(other) else (other, row)
            best[row.label, row.ring] = dataclasses.replace(
                kept, costs={**dropped.costs, **kept.costs})
            left_out[dropped.family] += 1
    return list(best.values())


def valueless_as_one(rows, left_out):
    """Rows of a family that have no value in any column, and for the same reasons, as one row."""
    groups = {}
    for row in rows:
        reasons = id(row) if _valued(row) else frozenset(
            (column, cost["status"], cost["detail"]) for column, cost in row.costs.items())
        groups.setdefault((row.family, row.ring, reasons), []).append(row)
    made = []
    for (family, _, _), group in groups.items():
        made += group if len(group) <= 2 else [
            dataclasses.replace(group[0], label=f"{family}: {len(group)} rows")]
    return made


def valueless_as_one_alone(rows, left_out):
    """The same where no row has a value: beside values a reader asks which rows have none."""
    return rows if any(map(_valued, rows)) else valueless_as_one(rows, left_out)


def _matters(row):
    return any((cost["ci_low"] > 0 or cost["ci_high"] < 0)
               and abs(cost["cycles"]) > MARGIN_CYCLES for cost in _valued(row))


def _effect(row):
    return max((abs(cost["cycles"]) for cost in _valued(row)), default=0)


def significant_orders(rows, left_out):
    """Orders whose effect is beyond its interval and the margin; where none is, the largest,
    which answers the question as well: no, by no more than this."""
    shown = [row for row in rows if _matters(row)] or \
        sorted(rows, key=_effect, reverse=True)[:1]
    left_out.update(row.family for row in rows if row not in shown)
    return shown


def valueless_only(rows, left_out):
    """Rows that a reader must know of: those that have no value, with why."""
    left_out.update(row.family for row in rows if _valued(row))
    return [row for row in rows if not _valued(row)]


def none(rows, left_out):
    """No row at all: another section has what follows from them."""
    left_out.update(row.family for row in rows)
    return []


def short_families(rows, left_out):
    """Large families cut to a few rows."""
    size = Counter(row.family for row in rows)
    shown, count = [], Counter()
    for row in rows:
        figure = any(cost["published"] is not None for cost in _measured(row))
        whole = size[row.family] <= WHOLE_FAMILY or figure
        count[row.family] += not whole
        if whole or count[row.family] <= ROWS_PER_FAMILY:
            shown.append(row)
        else:
            left_out[row.family] += 1
    return shown


RULES = {name: globals()[name] for name in questions.RULES}


def shorten(section, names):
    """The section with the rules of these names applied in turn."""
    left_out, rows = Counter(section.left_out), section.rows
    for name in names:
        rows = RULES[name](rows, left_out)
    return dataclasses.replace(section, rows=rows, left_out=dict(sorted(left_out.items())))
