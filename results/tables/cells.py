# SPDX-License-Identifier: GPL-3.0-or-later
"""One cell of a table: value, interval, mark, source; and how numbers are written."""

import math
from dataclasses import dataclass

# Status marks. Every status but ok has one, so that a reader never takes a cell on trust.
MARKS = {
    "ok": "", "unstable": "~", "implausible": "?", "invalid_reference": "?",
    "multiplexed": "-", "not_counted": "-", "not_supported": "-", "faulted": "x",
    "timed_out": "x", "unavailable": "-", "emulated": "E", "refused": "R", "unproved": "U",
}
MARK_MEANINGS = {
    "~": "unstable: interval wider than asked, or two modes",
    "?": "implausible, or no valid unit",
    "-": "not to be had", "x": "ran and died, or ran into the time limit",
    "E": "emulated, not a cost", "R": "refused: privileged and not real here",
    "U": "unproved binary, not executed",
}
METHODS = {"direct": "d", "solved": "s", "difference": "x", "iteration": "i"}


@dataclass
class Cell:
    """What stands for one item and one CPU. Missing numbers are None, never 0."""

    value: float = None
    low: float = None
    high: float = None
    status: str = "ok"
    method: str = ""
    engine: str = ""
    ring: str = ""
    additive: str = ""
    published: float = None
    published_source: str = ""
    agrees: str = ""
    detail: str = ""
    variants: str = ""
    run_id: str = ""
    note: int = None  # number of the note that gives the reason
    present: bool = True  # False: this CPU has no such row at all

    @property
    def mark(self):
        return MARKS.get(self.status, "?")

    @property
    def source(self):
        """Method and engine in two letters: dp, sg; empty for published figures."""
        if not self.present or self.engine in ("", "published"):
            return ""
        return METHODS.get(self.method, "?") + self.engine[:1]

    @property
    def agreement(self):
        return {"yes": "=", "no": "!"}.get(self.agrees, "")


ABSENT = Cell(present=False)


def from_cost(row):
    return Cell(
        value=row["cycles"], low=row["ci_low"], high=row["ci_high"], status=row["status"],
        method=row["method"], engine=row["engine"], ring=row["ring"], additive=row["additive"],
        published=row["published"], published_source=row["published_source"],
        agrees=row["agrees"], detail=row["detail"], variants=row["variants"],
        run_id=row["run_id"])


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
    if cell.value is None:
        return ""
    span = interval(cell.low, cell.high, cell.value, places)
    return number(cell.value, cell.low, cell.high, places) + (
        (cell.mark or " ") + span if span else cell.mark)


def short_text(cell, places=None):
    """What a cell of plain text holds: the value, or the status with its note, or nothing."""
    if not cell.present:
        return ""
    if cell.value is not None:
        return value_text(cell, places)
    return cell.status + (f" ({cell.note})" if cell.note else "")
