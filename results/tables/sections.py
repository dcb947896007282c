# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cost answers which question: the sections of a table and the labels of their rows."""

from collections import Counter
from dataclasses import dataclass, field

from common.questions import context_of, mnemonics, takes
from results.tables import brief
from results.tables.asked import EVENTS, ORDERS

_FLAGS = {"if", "bits"}  # what a context says of flags that change, as results/context.c has it


@dataclass
class Row:
    """One item in one context and ring."""

    label: str
    item: str
    general: str
    context: str
    ring: str
    family: str  # "published" where nothing was measured
    order: str
    method: str
    costs: dict = field(default_factory=dict)  # column -> row of costs.csv


@dataclass
class Section:
    title: str
    rows: list
    left_out: dict = field(default_factory=dict)  # family -> rows not shown
    none: str = ""  # what is said of a column without a value


class _Found:
    """A question and the rows that were found for it."""

    def __init__(self, question):
        self.question, self.rows, self.hidden = question, {}, set()

    def row(self, cost, label, **more):
        """The row that a cost belongs to, made if there is none yet."""
        given = {name: cost[name] for name in
                 ("item", "general", "context", "ring", "family", "order", "method")}
        return self.rows.setdefault(_key(cost), Row(label, **{**given, **more}))


def _key(cost):
    apart = {"direct": "", "event": cost["variants"]}.get(cost["method"], cost["order"])
    return (cost["item"], cost["context"], cost["ring"], cost["family"], apart)


_FAMILY = 3  # place in a key


def _label(cost, question, ask, every_mix=False):
    """What a reader sees at the row's left; every_mix: an order is shown for each of its mixes."""
    words = [ask.phrase(key, value) for key, value in context_of(cost).items()
             if key not in question.hide]
    words = [word for word in words if word]
    if cost["method"] == "iteration":
        return cost["item"]  # the loop's name says all of its parameters
    if cost["method"] == "solved" and cost["order"]:
        words.append(cost["order"])
    if question is ORDERS:
        mix = cost["item"].removeprefix("order") if every_mix else ""
        return f"{' '.join([cost['family'], *words])}: {cost['order']}{mix}"
    if question is EVENTS:
        return f"{cost['item']}: {cost['variants']}"
    if question.titled and words:
        return ", ".join(words)
    return cost["item"] + (f" ({', '.join(words)})" if words else "")


def _better(new, old):
    """A value beats none, a direct cost a solved one, a newer run an older."""
    return (new["cycles"] is not None, new["method"] == "direct") >= \
        (old["cycles"] is not None, old["method"] == "direct")


def _largest_orders(costs):
    """Of all mixes of a family and pair of orders, the one that differs most."""
    largest = {}
    for cost in costs:
        key = (cost["family"], cost["order"], cost["context"], cost["ring"])
        if cost["cycles"] is None:
            continue
        if key not in largest or abs(cost["cycles"]) > abs(largest[key]["cycles"]):
            largest[key] = cost
    return list(largest.values())


def _says_the_same(direct, solved):
    """Whether a direct cost stands for a solved one: of that item, there, and no finding lost.

    A loop of nothing else has no order and belongs to each context that says more
    (results/solve_mixes.c)."""
    here = all(direct[key] == solved[key] for key in ("family", "ring", "engine"))
    context = set(filter(None, direct["context"].split(";")))
    valued = direct["cycles"] is not None
    return here and direct["method"] == "direct" and "*" not in direct["item"] \
        and "+".join(mnemonics(direct["item"])) == solved["item"] \
        and context <= set(solved["context"].split(";")) \
        and valued == (solved["cycles"] is not None) \
        and (valued or direct["status"] == solved["status"])


def _without_solved(costs):
    """Drop solved costs that a direct one stands for."""
    return [cost for cost in costs if cost["method"] != "solved"
            or not any(_says_the_same(other, cost) for other in costs)]


def _place(found, column, ask, everything):
    """Put a measured column's costs into the rows of the questions that take them."""
    taken = [[] for _ in found]
    for cost in column.costs:
        taken[_first_that_takes(found, cost)].append(cost)
    for part, mine in zip(found, taken):
        shown = mine if everything else \
            _largest_orders(mine) if part.question is ORDERS else _without_solved(mine)
        for cost in shown:
            row = part.row(cost, _label(cost, part.question, ask, everything))
            if column not in row.costs or _better(cost, row.costs[column]):
                row.costs[column] = cost
        part.hidden |= {_key(cost) for cost in mine} - {_key(cost) for cost in shown}


def _first_that_takes(found, cost):
    return next(place for place, part in enumerate(found) if takes(part.question.take, cost))


def _flag_change(row):
    """What a restore changes: None for nothing, else the values that say it."""
    context = context_of(row)
    change = context.get("if", "")
    if context.get("bits", "none") == "none" and len(set(change.split("->"))) == 1:
        return None
    return change, context.get("bits", "")


def figure_for(cost, figures):
    """The published row that speaks of the same item, flags and ring, or None."""
    if cost["method"] == "difference":
        return None
    return next((figure for figure in figures
                 if figure["general"] == cost["general"] and figure["ring"] == cost["ring"]
                 and _flag_change(figure) == _flag_change(cost)), None)


def _place_figure(found, column, figure, ask):
    """Put a published figure beside the plainest measured row that it speaks of. A figure of a
    setting that none has (one pair a loop) gets a row of its own, if the sweep asks questions."""
    def setting(row):
        return context_of(row).keys() - _FLAGS
    rows = [row for part in found for row in part.rows.values()
            if column not in row.costs and figure_for(vars(row), [figure])]
    row = min(rows, default=None,
              key=lambda row: (len(setting(vars(row))), row.method == "solved"))
    if row is None or setting(figure) - context_of(vars(row)).keys():
        if not ask.questions:
            return
        part = found[_first_that_takes(found, figure)]
        row = part.row(figure, _label(figure, part.question, ask), family="published")
    row.costs[column] = figure


def build(columns, ask, everything=False):
    """Sections from columns (report.py)."""
    measured = [column for column in columns if not column.published]
    families = dict.fromkeys(cost["family"] for column in measured for cost in column.costs)
    found = [_Found(question) for question in (EVENTS, *ask.sections(families))]
    for column in measured:
        _place(found, column, ask, everything)
    for column in columns:
        for figure in column.costs if column.published else ():
            _place_figure(found, column, figure, ask)
    sections = []
    for part in [*found[1:], found[0]]:  # no other question takes an event; they stand last
        rows = sorted(part.rows.values(), key=lambda row: row.ring)
        left_out = Counter(key[_FAMILY] for key in part.hidden - part.rows.keys())
        made = Section(part.question.title, rows, left_out, part.question.none)
        sections.append(made if everything else brief.shorten(made, part.question.short))
    return sections
