# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of a run that a step left in its folder `run`."""

import csv
import io

from .machine import Outcome


def table(outcome: Outcome, step: str, name: str, **wanted: str) -> list[dict[str, str]]:
    """Rows of the run's NAME.csv whose columns have the wanted values."""
    rows = csv.DictReader(io.StringIO(outcome.step(step).files[f"run/{name}.csv"]))
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def measurements(outcome: Outcome, step: str, **wanted: str) -> list[dict[str, str]]:
    return table(outcome, step, "measurements", **wanted)


def only_measurement(outcome: Outcome, step: str, **wanted: str) -> dict[str, str]:
    """The one row that has the wanted values; fails with what the run said otherwise."""
    rows = measurements(outcome, step, **wanted)
    assert len(rows) == 1, outcome.step(step).stderr
    return rows[0]
