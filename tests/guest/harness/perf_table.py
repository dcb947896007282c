# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests' own reader of `perf stat -x ';'`, apart from the runner's parser."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    value: str  # a number, or perf's words for none
    event: str
    running_ns: int
    running_percent: float

    @property
    def count(self) -> int:
        return int(self.value)


def rows(text: str) -> list[Row]:
    """Every row of a table without -r and -I, in perf's order."""
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            value, _, event, running, percent = line.split(";")[:5]
            found.append(Row(value, event, int(running), float(percent)))
    return found


def values(text: str) -> dict[str, str]:
    """The values by event name."""
    return {row.event: row.value for row in rows(text)}


def counts(text: str) -> dict[str, int]:
    """The values as numbers by event name; ValueError where one is not a number."""
    return {row.event: row.count for row in rows(text)}
