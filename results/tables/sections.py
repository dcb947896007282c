# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cost answers which question: the order of a table and the labels of its rows."""

import re
from collections import Counter
from dataclasses import dataclass, field

from results.tables import brief

BREAK_EVEN = "POPF_IF break-even"


@dataclass
class Row:
    """One item in one context and ring."""

    label: str
    item: str
    context: str
    ring: str
    family: str
    order: str
    method: str
    costs: dict = field(default_factory=dict)  # column number -> row of costs.csv

    @property
    def key(self):
        return (self.item, self.context, self.ring, self.family, self.order)


@dataclass
class Section:
    title: str
    rows: list
    left_out: dict = field(default_factory=dict)  # family -> rows not shown


def context_of(row):
    """The context as a dictionary."""
    pairs = (part.partition("=") for part in row["context"].split(";") if part)
    return {key: value for key, _, value in pairs}


def _mnemonics(item):
    names = re.split(r"; *|\+", re.sub(r"\d+\*", "", item))
    return [name.split()[0] for name in names if name.split()]


def _is_restore(row):
    if row["item"] == "restore by popfq":
        return True
    names = set(_mnemonics(row["item"]))
    keys = context_of(row).keys()
    pure = names <= {"push", "popfq"} and "popfq" in names and row["method"] == "direct"
    bits = bool({"if", "bits"} & keys) and keys <= {"if", "bits", "groups", "before"}
    return pure and bits


def _is_test(row):
    context = context_of(row)
    if row["item"].startswith("restore by ") and row["item"] != "restore by popfq":
        return True
    return "branch" in context and row["method"] == "direct" and "sequence" not in context


def _is_toggle(row):
    names = _mnemonics(row["item"])
    return bool(names) and set(names) <= {"cli", "sti"} and row["method"] != "difference"


def _is_save(row):
    names = _mnemonics(row["item"])
    saves = names[:1] == ["pushfq"] and "pop" in names[1:2] and "popfq" not in names
    return saves and row["method"] == "direct" and not _is_sequence(row)


def _is_sequence(row):
    return "sequence" in context_of(row) and row["method"] == "direct"


def _is_order(row):
    return row["item"].startswith("order of ") and row["method"] == "difference"


def _is_whole_loop(row):
    return row["method"] == "iteration"


# The petition's questions first. The first that takes a row keeps it. The third field: what
# makes the section short (brief.py).
_PLAIN = (brief.one_row_a_label, brief.valueless_as_one)
QUESTIONS = (
    ("The most POPF_IF may cost and still win", lambda row: row["item"] == BREAK_EVEN, ()),
    ("Restore by POPF, by what changes", _is_restore, _PLAIN),
    ("Restore by test, branch and STI", _is_test, _PLAIN),
    ("CLI and STI", _is_toggle, _PLAIN),
    ("Save by PUSHF", _is_save, _PLAIN),
    ("Whole sequences", _is_sequence, (brief.none,)),
    ("Does the order matter? Largest difference, cycles an iteration", _is_order,
     (brief.significant_orders,)),
    ("Instructions", lambda row: not _is_whole_loop(row), (*_PLAIN, brief.short_families)),
    ("Loops that no cost tells, cycles an iteration", _is_whole_loop,
     (brief.valueless_as_one, brief.valueless_only)),
)
ORDERS, REST = len(QUESTIONS) - 3, len(QUESTIONS) - 2


def question_of(row, petition=True):
    """The number of the question that a cost answers; without the petition it has a family."""
    if not petition:
        return ORDERS if _is_order(row) else REST
    return next(i for i, (_, takes, _) in enumerate(QUESTIONS) if takes(row))


# How a key of the context reads in a label; None: any other value.
PHRASES = {
    "if": {None: "IF {}"},
    "bits": {"none": "", "several": "several bits change", None: "{} changes"},
    "before": {None: "after {}"},
    "was": {"0": "IF was 0", "1": "IF was 1", "0.5": "IF was 0 or 1"},
    "restore": {None: "by {}"},
    "branch": {None: "{}"},
    "sequence": {None: "{}"},
    "work": {"0": "", None: "work {}"},
}


def _phrase(key, value):
    phrases = PHRASES.get(key, {})
    text = phrases.get(value, phrases.get(None, f"{key} {value}"))
    return text.format(value.upper().replace("_", "+") if key == "bits" else value)


def _words(row):
    """The context in words."""
    context = context_of(row)
    if row["item"] == BREAK_EVEN:
        context.pop("restore", None)
    return [text for text in (_phrase(key, value) for key, value in context.items()) if text]


def label_of(row, petition=True, every_mix=False):
    """What a reader sees at the row's left; every_mix: an order is shown for each of its mixes."""
    words = _words(row)
    if _is_whole_loop(row):
        return row["item"]  # the loop's name says all of its parameters
    if row["method"] == "solved" and row["order"]:
        words.append(row["order"])
    if _is_order(row):
        mix = f" of {row['item'].removeprefix('order of ')}" if every_mix else ""
        return f"{' '.join([row['family'], *words])}: {row['order']}{mix}"
    # Where the section's title names the item, the label is what sets the rows apart.
    titled = row["method"] == "difference" or _is_sequence(row) or \
        (_is_restore(row) and row["general"] == "push r64;popfq")
    if petition and titled and words:
        return ", ".join(words)
    return row["item"] + (f" ({', '.join(words)})" if words else "")


def _better(new, old):
    """A value beats none, a direct cost a solved one, a newer run an older."""
    return (new["cycles"] is not None, new["method"] == "direct") >= \
        (old["cycles"] is not None, old["method"] == "direct")


FAMILY = 3  # place in a row's key


def _key(row):
    order = row["order"] if row["method"] != "direct" else ""
    return (row["item"], row["context"], row["ring"], row["family"], order)


def _largest_orders(rows):
    """Of all mixes of a family and pair of orders, the one that differs most."""
    largest = {}
    for row in rows:
        key = (row["family"], row["order"], row["context"], row["ring"])
        if row["cycles"] is None:
            continue
        if key not in largest or abs(row["cycles"]) > abs(largest[key]["cycles"]):
            largest[key] = row
    return list(largest.values())


def _says_the_same(direct, solved):
    """Whether a direct cost stands for a solved one: of that item, there, and no finding lost.

    A loop of nothing else has no order and belongs to each context that says more
    (results/solve_mixes.c)."""
    here = all(direct[key] == solved[key] for key in ("family", "ring", "engine"))
    context = set(filter(None, direct["context"].split(";")))
    valued = direct["cycles"] is not None
    return here and direct["method"] == "direct" and "*" not in direct["item"] \
        and "+".join(_mnemonics(direct["item"])) == solved["item"] \
        and context <= set(solved["context"].split(";")) \
        and valued == (solved["cycles"] is not None) \
        and (valued or direct["status"] == solved["status"])


def _without_solved(rows):
    """Drop solved rows that a direct one stands for."""
    return [row for row in rows if row["method"] != "solved"
            or not any(_says_the_same(other, row) for other in rows)]


def _flag_change(row):
    """What a restore changes: None for nothing, else the keys that say it."""
    context = context_of(row)
    change = context.get("if", "")
    ends = change.split("->")
    if context.get("bits", "none") == "none" and len(set(ends)) <= 1:
        return None
    return change, context.get("bits", "")


def figure_for(row, figures):
    """The published row that speaks of the same item, flags and ring, or None."""
    if row["method"] == "difference":
        return None
    return next((figure for figure in figures
                 if figure["general"] == row["general"] and figure["ring"] == row["ring"]
                 and _flag_change(figure) == _flag_change(row)), None)


def _place(found, number, costs, everything, petition):
    """Put one measured column's costs into the rows of their questions.

    Returns the keys of the rows that are not shown, a set for each question."""
    by_question, hidden = [[] for _ in QUESTIONS], []
    for row in costs:
        by_question[question_of(row, petition)].append(row)
    for question, rows in enumerate(by_question):
        shown = rows
        if not everything:
            shown = _largest_orders(rows) if question == ORDERS else _without_solved(rows)
        for row in shown:
            made = found[question].setdefault(_key(row), Row(
                label_of(row, petition, everything), row["item"], row["context"], row["ring"],
                row["family"], row["order"], row["method"]))
            if number not in made.costs or _better(row, made.costs[number]):
                made.costs[number] = row
        hidden.append({_key(row) for row in rows} - {_key(row) for row in shown})
    return hidden


def _rows_for(found, figure):
    """Rows that speak of the figure's item and flags, the plainest context first."""
    rows = [made for rows in found for made in rows.values()
            if figure_for(next(iter(made.costs.values())), [figure]) is not None]
    return sorted(rows, key=lambda made: (
        len(context_of(vars(made)).keys() - {"if", "bits"}), made.method == "solved"))


def _says_more(figure, made):
    """Whether a figure was taken in a special setting that the row was not: one pair a loop."""
    return bool(context_of(figure).keys() - {"if", "bits"} - context_of(vars(made)).keys())


def _place_figures(found, number, figures, only_beside):
    """Put a published column beside what it speaks of; the rest gets rows of its own or none."""
    for figure in figures:
        beside = next((made for made in _rows_for(found, figure) if number not in made.costs), None)
        if beside is None or _says_more(figure, beside):
            if only_beside:
                continue
            beside = found[question_of(figure)].setdefault(_key(figure), Row(
                label_of(figure), figure["item"], figure["context"], figure["ring"], "published",
                "", figure["method"]))
        beside.costs[number] = figure


def _by_family(section):
    """One section a family or loop."""
    families = dict.fromkeys(row.family for row in section.rows)
    return [Section(family or section.title, [row for row in section.rows if row.family == family],
                    {name: count for name, count in section.left_out.items() if name == family})
            for family in families]


def build(columns, everything=False, petition=True):
    """Sections from columns: pairs of (whether published, rows of costs.csv).

    Without the petition: a section a family, and no row that was only published.
    """
    found, hidden = [dict() for _ in QUESTIONS], [set() for _ in QUESTIONS]
    for published in (False, True):
        for number, (kind, costs) in enumerate(columns):
            if kind != published:
                continue
            if published:
                _place_figures(found, number, costs, not petition)
            else:
                more = _place(found, number, costs, everything, petition)
                hidden = [old | new for old, new in zip(hidden, more)]
    sections = []
    for question, (title, _, rules) in enumerate(QUESTIONS):
        rows = sorted(found[question].values(), key=lambda row: row.ring)
        left_out = Counter(key[FAMILY] for key in hidden[question] - found[question].keys())
        made = Section(title, rows, left_out)
        whole = petition or question == ORDERS
        for section in [made] if whole else _by_family(made):
            sections.append(section if everything else brief.shorten(section, rules))
    return sections
