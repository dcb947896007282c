# SPDX-License-Identifier: GPL-3.0-or-later
"""One cell of a table: value, interval, mark, source; and how numbers are written."""

import math

from common import lists
from results.tables.runs import NO_COST

_MARKS = {status.name: status.mark for status in lists.statuses()}
_LETTERS = {method.name: method.letter for method in lists.methods()}


class Cell:
    """What stands for one item and one CPU: the columns of a row of costs.csv, or nothing where
    the CPU has no such row. Missing numbers are None, never 0."""

    def __init__(self, cost=None, note=None):
        self.cost = cost or NO_COST
        self.note = note  # number of the note that gives the reason

    def __getattr__(self, name):
        if name in self.cost:
            return self.cost[name]
        raise AttributeError(name)

    @property
    def present(self):
        return self.cost is not NO_COST

    @property
    def mark(self):
        return _MARKS.get(self.status, "?")

    @property
    def source(self):
        """Method and engine in two letters: dp, sg; empty for published figures."""
        return "" if self.engine in ("", "published") else \
            _LETTERS.get(self.method, "?") + self.engine[:1]

    @property
    def agreement(self):
        return {"yes": "=", "no": "!"}.get(self.agrees, "")


def decimals(value, low=None, high=None):
    """How many decimals a value deserves: as many as its interval knows, at most two."""
    size = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2
    if low is None or high is None or high <= low:
        return size
    known = 1 - math.floor(math.log10((high - low) / 2))
    return max(0, min(size, known))


def fixed(value, places):
    """A number with so many decimals; what rounds to 0 has no sign."""
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def number(value, low=None, high=None, places=None):
    """A number of cycles, or "" for a missing one."""
    if value is None:
        return ""
    most = decimals(value, low, high)
    return fixed(value, most if places is None else min(places, most))


def interval(low, high, value=None, places=None):
    """"[low,high]" with the value's decimals, or "" where there is none."""
    if low is None or high is None:
        return ""
    most = decimals(value if value is not None else high, low, high)
    places = most if places is None else min(places, most)
    return f"[{fixed(low, places)},{fixed(high, places)}]"


def value_text(cell, places=None):
    """Value and interval: "18.21 [18.10,18.33]", "" where there is none."""
    if cell.cycles is None:
        return ""
    span = interval(cell.ci_low, cell.ci_high, cell.cycles, places)
    return number(cell.cycles, cell.ci_low, cell.ci_high, places) + (
        (cell.mark or " ") + span if span else cell.mark)


def short_text(cell, places=None):
    """What a cell of plain text holds: the value, or the status with its note, or nothing."""
    if not cell.present:
        return ""
    if cell.cycles is not None:
        return value_text(cell, places)
    return cell.status + (f" ({cell.note})" if cell.note else "")


def whole_text(cell):
    """The same with the two letters and the note of a value."""
    if cell.cycles is None:
        return short_text(cell)
    parts = (value_text(cell), cell.source, cell.note and f"({cell.note})")
    return " ".join(part for part in parts if part)


def figure_text(cell):
    """The published figure beside a cell, and whether it agrees."""
    return number(cell.published) + cell.agreement if cell.present else ""


def _list(rows, used):
    """"d (a loop of nothing else), s ..." of those rows of a list that are used."""
    return ", ".join(f"{sign} ({meaning})" for sign, name, meaning in rows if name in used)


def legend(cells):
    """Sentences that say how to read these cells: of the letters and marks that occur."""
    valued = [cell for cell in cells if cell.cycles is not None]
    measured = [cell for cell in valued if cell.source]
    found = []
    if measured:
        methods = _list([(row.letter, row.name, row.meaning) for row in lists.methods()],
                        {cell.method for cell in measured})
        engines = ", ".join(f"{name[:1]} ({name})" for name in
                            sorted({cell.engine for cell in measured}))
        found.append("A measured cell holds the cycles, their 95 % interval and two letters. "
                     f"The first letter tells how the cost was found: {methods}. "
                     f"The second letter is the engine: {engines}.")
    marks = _list([(row.mark, row.name, f"{row.name}: {row.meaning}") for row in lists.statuses()],
                  {cell.status for cell in valued if cell.mark})
    if marks:
        found.append(f"Marks before the interval: {marks}.")
    signs = _list([("=", "=", "the interval agrees with it"), ("!", "!", "it does not")],
                  {cell.agreement for cell in cells})
    if signs:
        found.append(f"Beside a published figure: {signs}.")
    if any(cell.engine == "published" for cell in valued):
        found.append("A published cell has bounds where the source was rounded, and the figure "
                     "alone where the source gives no error.")
    return found
