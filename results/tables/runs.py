# SPDX-License-Identifier: GPL-3.0-or-later
"""Bottom layer of the tables: a run's files as they are, and the CPU they speak of.

Nothing is computed here. Costs come from costs.csv (made by `asmsweep-results
solve`), published ones from results/published/costs.csv.
"""

import csv
import io
import math
import os
import re
import shlex

from common import lists
from common.errors import BadInput
from results.tables import asked

# Columns of costs.csv that make a CPU; two microcodes of one CPU are two columns of a table.
CPU_KEYS = ("cpu_vendor", "cpu_family", "cpu_model", "cpu_stepping", "cpu_name", "microcode",
            "core_type", "hypervisor")
NO_COST = {column.name: None if column.type == "number" else ""
           for column in lists.columns("costs")}
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_MIX = re.compile(r"([0-9.]+\*[^+*]+(\+[0-9.]+\*[^+*]+)*)?")


def _is_number(text):
    # float() would take 1_000, nan and inf as well, which no file of ours means.
    return text == "" or bool(_NUMBER.fullmatch(text)) and math.isfinite(float(text))


# What a cell must be, by its column's type in columns.def: (what a number of it is called, test).
_TYPES = {"number": ("number", _is_number),
          "integer": ("count", lambda text: not text or text.isascii() and text.isdigit())}


def read_csv(path, remedy, file, absent=None):
    """Rows of a CSV file as dictionaries; BadInput names file, line and remedy.

    file: the name it has in columns.def. Columns that older versions did not write are "".
    absent: the remedy where there is no file; else it is the same."""
    try:
        with open(path, newline="", encoding="utf-8") as stream:
            text = stream.read()
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, restkey="")
        former = lists.former_names()
        reader.fieldnames = [former.get(name, name) for name in reader.fieldnames or ()]
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
    columns = lists.columns(file)
    missing = [column.name for column in columns if column.name not in reader.fieldnames]
    for column in columns:
        if column.name in missing and not column.later:
            raise BadInput(f"{path}:1", f"has no column {column.name}", remedy)
    checked = [(column.name, *_TYPES[column.type]) for column in columns
               if column.type in _TYPES and column.name not in missing]
    for line, row in enumerate(rows, 2):
        if None in row.values() or "" in row:
            raise BadInput(f"{path}:{line}", "has not as many fields as the header", remedy)
        for name, what, fits in checked:
            if not fits(row[name]):
                raise BadInput(f"{path}:{line}", f"{name} \"{row[name]}\" is no {what}", remedy)
        row.update(dict.fromkeys(missing, ""))
    return rows


def read_optional(path, file, remedy="remove it or run again"):
    """The same of a file that need not be there."""
    return read_csv(path, remedy, file) if os.path.exists(path) else []


def read_costs(path, remedy, absent=None):
    """Rows of a costs.csv, their numbers as float or None; remedies as read_csv has them."""
    rows = read_csv(path, remedy, "costs", absent)
    numbers = [column.name for column in lists.columns("costs") if column.type == "number"]
    for row in rows:
        row.update({name: float(row[name]) if row[name] else None for name in numbers})
    return rows


def read_plain(path):
    """Rows of a CSV file as they are, none where there is no file."""
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def _read_summary(path, remedy):
    """Rows of a summary.csv; its numbers stay texts, but are numbers."""
    rows = read_csv(path, remedy, "summary")
    for line, row in enumerate(rows, 2):
        if not _MIX.fullmatch(row["mix"]):
            raise BadInput(f"{path}:{line}", f"mix \"{row['mix']}\" is no mix", remedy)
    return rows


def _events(summary):
    """What a loop counts of each of the sweep's events, as rows of costs.csv."""
    return [{**NO_COST, **{name: row[name] for name in NO_COST if name in row},
             "method": "event", "item": row["event"], "variants": row["variant"],
             **{name: float(row[of]) if row[of] else None for name, of in (
                 ("cycles", "value"), ("ci_low", "ci_low"), ("ci_high", "ci_high"))}}
            for row in summary if row["event"]]


def _read_notes(path):
    """notes.csv as a dictionary; what is said of a noise floor is numbers."""
    # Without it alone the costs are there, and the front makes neither anew.
    remedy = "remove it and costs.csv; ./asmsweep table makes both again"
    rows = read_optional(path, "notes", remedy)
    for line, row in enumerate(rows, 2):
        if row["key"].startswith("noise_") and not _is_number(row["value"]):
            raise BadInput(f"{path}:{line}", f"value \"{row['value']}\" is no number", remedy)
    return _keyed(rows)


class Run:
    """One run's directory: everything that a table needs of it."""

    def __init__(self, path, label=""):
        if not os.path.isdir(path):
            raise BadInput(path, "is no directory", "give a run's directory")
        here, file = shlex.quote(path), lambda name: os.path.join(path, f"{name}.csv")
        resume = f"./asmsweep run --resume -o {here}"
        self.path = path
        self.label = label  # names its column apart from others of the same CPU, "" does not
        self.summary = _read_summary(file("summary"),
                                     f"give a run's directory; {resume} resumes an interrupted one")
        self.costs = read_costs(file("costs"), "remove it; ./asmsweep table makes it again",
                                f"./asmsweep table {here} makes it")
        self.events = _events(self.summary)
        self.samples = file("samples")  # its path: read only by those who plot them
        self.variants, self.proof = (
            {row["variant"]: row for row in read_optional(file(name), name)}
            for name in ("variants", "proof"))
        self.environment = _keyed(read_optional(file("environment"), "environment"))
        self.notes = _read_notes(file("notes"))
        self.asked = asked.read(os.path.join(path, "sweep.json"))
        self.sweep = self.summary[0]["sweep"] if self.summary else ""
        self.title = self._of_sweep("title") or self._of_sweep("summary") or (
            f"Costs of the sweep {self.sweep}" if self.sweep else "")
        # What `./asmsweep run` takes to find the sweep: its name, or the user's own file.
        toml = self._of_sweep("toml")
        self.run_again = shlex.quote(toml) if toml.startswith("/") else self.sweep
        # What it lacks if it was interrupted or ended by its budget, in words; and the command that
        # resumes it, which a copy has not.
        self.unfinished = self.notes.get("unfinished", "")
        self.resume = resume if self.unfinished and os.path.exists(
            os.path.join(path, "journal")) else ""
        # How the kernel's functions restored IF that the run called, by their live bytes.
        self.restores = sorted({row["restores"] for row in self.proof.values() if row["restores"]})
        self.date = min((row["time_utc"] for row in self.summary), default="")

    def _of_sweep(self, key):
        """What sweep.json says; before there was one, what each row of variants.csv did; or ""."""
        return self.asked.get(key) or next(
            (row.get(key, "") for row in self.variants.values()), "")


def _keyed(rows):
    return {row["key"]: row["value"] for row in rows}


def refuse_empty(run):
    """A run without one row has no table."""
    no_row = "has no row of cycles to make a table of"
    if run.costs:
        return
    if run.resume:
        raise BadInput(run.path, no_row, f"{run.resume} resumes it")
    if not run.summary:  # a run that came to its end has a row for each variant
        raise BadInput(os.path.join(run.path, "summary.csv"), "has no rows",
                       "the run is damaged: take a whole copy of it, or measure again")
    if {row["engine"] for row in run.summary} == {"hyperfine"}:
        raise BadInput(run.path, "was measured by hyperfine alone, which only cross-checks",
                       "measure with --engine perf or guest; --cross-check adds hyperfine")
    raise BadInput(run.path, no_row, "measure with an engine that tells cycles: doctor names them")


def tell_kernels(all_runs):
    """What a kernel's own functions cost is another thing on another kernel: runs of one CPU that
    called some get a column for each kernel."""
    called = [run for run in all_runs
              if not run.label and any(row["calls"] for row in run.proof.values())]
    kernels = {}
    for run in called:
        kernels.setdefault(cpu_of(run.costs[0]), set()).add(run.costs[0]["kernel"])
    for run in called:
        if len(kernels[cpu_of(run.costs[0])]) > 1:
            run.label = f"kernel {run.costs[0]['kernel']}"


def refuse_twice(all_runs):
    """A run that is given twice would be two columns that agree with themselves."""
    seen = {}
    for run in all_runs:
        for key in {(row["run_id"], cpu_of(row)) for row in run.costs}:
            first = seen.setdefault(key, run)
            if first is not run:
                raise BadInput(run.path, f"is the same run as {first.path} (run_id {key[0]})",
                               "give each run once")


def cpu_of(row):
    """What makes a column of a table, from any row with CPU_KEYS."""
    return tuple(row[name] for name in CPU_KEYS)
