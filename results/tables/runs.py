# SPDX-License-Identifier: GPL-3.0-or-later
"""Bottom layer of the tables: a run's files as they are, and the CPU they speak of.

Nothing is computed here. Costs come from costs.csv (made by `asmsweep-results
solve`), published ones from results/published/costs.csv.
"""

import csv
import io
import json
import math
import os
import re
import shlex
from dataclasses import dataclass, field

from common.errors import BadInput

# Columns of costs.csv that make a CPU; two microcodes of one CPU are two columns of a table.
CPU_KEYS = ("cpu_vendor", "cpu_family", "cpu_model", "cpu_stepping", "cpu_name", "microcode",
            "core_type", "hypervisor")
NUMBERS = ("cycles", "ci_low", "ci_high", "published")
# Other columns that the tables read of a file.
COSTS = ("run_id", "kernel", "engine", "ring", "family", "order", "context", "item", "general",
         "method", "additive", "variants", "published_source", "agrees", "status", "detail")
SUMMARY = ("run_id", "time_utc", "sweep", "family", "variant", "parameters", "mix", "loop_sha256",
           "loop_address", "loop_bytes", "jcc_erratum", "engine", "accel", "ring", "privilege",
           "quantity", "source", "value", "status", "detail", "executions", "twin_of", "group",
           "groups", "order", "context")
EXECUTIONS = ("variant", "engine", "block", "slot", "cpu", "quantity", "value", "ci_low",
              "ci_high", "status", "detail")
PROOF = ("variant", "loop_sha256", "status")


def read_csv(path, remedy, needed=(), absent=None):
    """Rows of a CSV file as dictionaries; BadInput names file, line and remedy.

    absent: the remedy where there is no file; else it is the same."""
    try:
        with open(path, newline="", encoding="utf-8") as stream:
            text = stream.read()
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, restkey="")
        rows = list(reader)
    except FileNotFoundError:
        raise BadInput(path, "is not there", absent or remedy) from None
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise BadInput(path, f"cannot be read: {problem}", remedy) from None
    if not text or "\0" in text:
        raise BadInput(path, "is damaged (a NUL byte)" if text else "is empty", remedy)
    if not text.endswith("\n"):
        raise BadInput(path, "its last line is cut off", remedy)
    if text.startswith("\ufeff"):
        raise BadInput(path, "begins with a byte order mark", "save it as UTF-8 without one")
    missing = [name for name in needed if name not in reader.fieldnames]
    if missing:
        raise BadInput(f"{path}:1", f"has no column {missing[0]}", remedy)
    for line, row in enumerate(rows, 2):
        if None in row.values() or "" in row:
            raise BadInput(f"{path}:{line}", "has not as many fields as the header", remedy)
    return rows


def _optional(path, *needed, remedy="remove it or run again"):
    return read_csv(path, remedy, needed) if os.path.exists(path) else []


_PLAIN = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")

_COUNT = re.compile(r"[0-9]*")
_MIX = re.compile(r"([0-9.]+\*[^+*]+(\+[0-9.]+\*[^+*]+)*)?")


def _number(row, name, path, line, remedy):
    text = row[name]
    if text == "":
        return None  # missing stays missing
    # float() would take 1_000, nan and inf as well, which no file of ours means.
    if not _PLAIN.fullmatch(text) or not math.isfinite(float(text)):
        raise BadInput(f"{path}:{line}", f"{name} \"{text}\" is no number", remedy)
    return float(text)


def read_costs(path, remedy, absent=None):
    """Rows of a costs.csv, their numbers as float or None; remedies as read_csv has them."""
    rows = read_csv(path, remedy, CPU_KEYS + NUMBERS + COSTS, absent)
    for line, row in enumerate(rows, 2):
        for name in NUMBERS:
            row[name] = _number(row, name, path, line, remedy)
    return rows


def _read_summary(path, remedy):
    """Rows of a summary.csv; its numbers stay texts, but are numbers."""
    rows = read_csv(path, remedy, SUMMARY)
    for line, row in enumerate(rows, 2):
        for name in ("value", "groups"):
            _number(row, name, path, line, remedy)
        for name, what, form in (("executions", "count", _COUNT), ("mix", "mix", _MIX)):
            if not form.fullmatch(row[name]):
                raise BadInput(f"{path}:{line}", f"{name} \"{row[name]}\" is no {what}", remedy)
    return rows


def _read_notes(path):
    """notes.csv as a dictionary; what is said of a noise floor is numbers."""
    # Without it alone the costs are there, and the front makes neither anew.
    remedy = "remove it and costs.csv; ./asmsweep table makes both again"
    rows = _optional(path, "key", "value", remedy=remedy)
    for line, row in enumerate(rows, 2):
        if row["key"].startswith("noise_"):
            _number(row, "value", path, line, remedy)
    return _keyed(rows, "key", "value")


def _read_told(path):
    try:
        with open(path, encoding="utf-8") as stream:
            return dict(json.load(stream))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as problem:
        raise BadInput(path, f"cannot be read: {problem}", "remove it or run again") from None


@dataclass
class Run:
    """One run's directory."""

    path: str
    costs: list
    summary: list
    label: str  # names its column apart from others of the same CPU, "" does not
    samples: str  # path, "" if there are none: read only by those who plot them
    variants: dict = field(default_factory=dict)  # variants.csv by variant
    proof: dict = field(default_factory=dict)  # proof.csv by variant
    environment: dict = field(default_factory=dict)
    notes: dict = field(default_factory=dict)
    told: dict = field(default_factory=dict)  # sweep.json

    @property
    def sweep(self):
        return self.summary[0]["sweep"] if self.summary else ""

    def _of_sweep(self, column):
        """What sweep.json says; before there was one, what each row of variants.csv did."""
        rows = self.variants.values()
        return self.told.get(column) or next((row.get(column, "") for row in rows), "")

    @property
    def summary_of_sweep(self):
        return self._of_sweep("summary") or (f"Costs of the sweep {self.sweep}" if self.sweep
                                             else "")

    @property
    def is_given_by_path(self):
        """Whether the sweep is a user's own file and none of the project's."""
        return self._of_sweep("toml") != ""

    @property
    def run_again(self):
        """What `./asmsweep run` takes to find the sweep: its name, or the user's own file."""
        toml = self._of_sweep("toml")
        return shlex.quote(toml) if toml.startswith("/") else self.sweep

    @property
    def unfinished(self):
        """What a run lacks that was broken off or ended by its budget, in words; else ""."""
        return self.notes.get("unfinished", "")

    @property
    def resume(self):
        """The command that goes on with an unfinished run; "" for others, and for a copy."""
        here = self.unfinished and os.path.exists(os.path.join(self.path, "journal"))
        return f"./asmsweep run --resume -o {shlex.quote(self.path)}" if here else ""

    @property
    def date(self):
        """UTC time of the first row, as it stands there."""
        return min((row["time_utc"] for row in self.summary), default="")


def _keyed(rows, key, value):
    return {row[key]: row[value] for row in rows}


def read_run(path, label=""):
    """Everything a table needs of a run's directory."""
    here = shlex.quote(path)
    resume = f"give a run's directory; ./asmsweep run --resume -o {here} ends one broken off"
    if not os.path.isdir(path):
        raise BadInput(path, "is no directory", "give a run's directory")
    files = {name: os.path.join(path, f"{name}.csv") for name in
             ("costs", "summary", "samples", "variants", "proof", "environment", "notes")}
    return Run(
        path=path,
        label=label,
        summary=_read_summary(files["summary"], resume),
        costs=read_costs(files["costs"], "remove it; ./asmsweep table makes it again",
                         f"./asmsweep table {here} makes it"),
        samples=files["samples"] if os.path.exists(files["samples"]) else "",
        variants={row["variant"]: row for row in _optional(files["variants"], "variant")},
        proof={row["variant"]: row for row in _optional(files["proof"], *PROOF)},
        environment=_keyed(_optional(files["environment"], "key", "value"), "key", "value"),
        notes=_read_notes(files["notes"]),
        told=_read_told(os.path.join(path, "sweep.json")))


def refuse_empty(run):
    """A run without one row has no table."""
    if run.costs:
        return
    if _is_broken_off(run):
        raise BadInput(run.path, _NO_ROW,
                       f"./asmsweep run --resume -o {shlex.quote(run.path)} goes on with it")
    if not run.summary:  # a run that came to its end has a row for each variant
        raise BadInput(os.path.join(run.path, "summary.csv"), "has no rows",
                       "the run is damaged: take a whole copy of it, or measure again")
    if {row.get("engine") for row in run.summary} == {"hyperfine"}:
        raise BadInput(run.path, "was measured by hyperfine alone, a witness that gives no costs",
                       "measure with --engine perf or guest; --witness sets hyperfine beside them")
    raise BadInput(run.path, _NO_ROW, "measure with an engine that tells cycles: doctor names them")


_NO_ROW = "has no row of cycles to make a table of"


def _is_broken_off(run):
    journal = os.path.join(run.path, "journal")
    if not os.path.exists(journal):
        return False
    with open(journal, encoding="utf-8", errors="replace") as stream:
        lines = stream.read().splitlines() or [""]
    return not lines[-1].startswith("end ")


def refuse_twins(all_runs):
    """A run that is given twice would be two columns that agree with themselves."""
    seen = {}
    for run in all_runs:
        for key in {(row.get("run_id"), cpu_of(row)) for row in run.costs}:
            if key in seen:
                raise BadInput(run.path, f"is the same run as {seen[key]} (run_id {key[0]})",
                               "give each run once")
        seen.update({(row.get("run_id"), cpu_of(row)): run.path for row in run.costs})


def cpu_of(row):
    """What makes a column of a table, from any row with CPU_KEYS."""
    return tuple(row[name] for name in CPU_KEYS)
