# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything a table's template shows, as one dictionary: columns, sections, notes, machines."""

from dataclasses import dataclass, field

from common import lists
from results.tables import asked, cells, runs, sections

ENVIRONMENT_SHOWN = ("governor", "boost", "smt", "clocksource", "isolated_cpus", "pmu",
                     "perf_version", "project_revision", "schedule_seed")
MUCH = 10  # one loop in so many that came out badly is told
_REMARKS = {fields[0]: fields[1] for _, fields in lists.rows("remarks")}
_RETRY = [status.name for status in lists.statuses() if status.retry]


@dataclass(eq=False)
class Column:
    """One CPU of the table."""

    name: str
    published: bool
    cpu: tuple
    label: str = ""
    letter: str = ""
    costs: list = field(default_factory=list)
    runs: list = field(default_factory=list)
    figures: bool = False  # whether any cell of it has a published figure beside it
    subtitle: str = ""  # what sets it apart from a column of the same name

    @property
    def heading(self):
        return f"{self.letter}: {self.name}" + (f", {self.subtitle}" if self.subtitle else "")


def _clean_name(name):
    """A CPU's name without marks that say nothing."""
    for word in ("(R)", "(TM)", "(tm)", "CPU ", " Processor"):
        name = name.replace(word, "")
    return " ".join(name.split())


def _measured_columns(all_runs):
    columns = {}
    for run in sorted(all_runs, key=lambda run: "" if run.label else run.date):
        for row in run.costs + run.events:
            cpu = runs.cpu_of(row)
            column = columns.setdefault((cpu, run.label), Column(
                _clean_name(row["cpu_name"]), False, cpu, run.label))
            column.costs.append(row)
            if run not in column.runs:
                column.runs.append(run)
    return list(columns.values())


def _published_columns(figures, ask, names):
    """CPUs of the sources that the sweep sets beside, and those whose name holds one of `names`."""
    columns = {}
    for row in figures:
        heading = next((heading for source, heading in ask.beside.items()
                        if source in row["published_source"]), None)
        if heading is not None or any(name.lower() in row["cpu_name"].lower() for name in names):
            cpu = runs.cpu_of(row)
            columns.setdefault(cpu, Column(heading or row["cpu_name"], True, cpu)).costs.append(row)
    return list(columns.values())


def _tell_apart(columns):
    """Letters, and for columns of one name what differs between them."""
    for number, column in enumerate(columns):
        column.letter = chr(ord("A") + number) if number < 26 else f"A{number - 25}"
        same = [other for other in columns if other.name == column.name]
        words = [column.label] if column.label else []
        for place, name in enumerate(runs.CPU_KEYS):
            if len({other.cpu[place] for other in same}) > 1:
                words.append(f"{name.removeprefix('cpu_').replace('_', ' ')} "
                             f"{column.cpu[place] or 'none'}")
        column.subtitle = ", ".join(words)


def _note_of(cost):
    """Why a cell has no value, or what a reader must know of it; "" for nothing."""
    if cost["cycles"] is None:
        return f"{cost['status']}: {cost['detail'] or 'no reason was recorded'}"
    if cost["additive"] == "no":
        return f"not additive: {cost['detail']}"
    if remarks := [_REMARKS.get(name, name) for name in cost["remarks"].split(";") if name]:
        return "provisional: " + "; ".join(remarks)
    return cost["detail"] if cost["engine"] == "published" else ""


def _cell(row, column, notes):
    """notes: {text: number}; the same reason has one number."""
    cost = row.costs.get(column)
    text = _note_of(cost) if cost else ""
    cell = cells.Cell(cost, notes.setdefault(text, len(notes) + 1) if text else None)
    column.figures |= not column.published and cell.published is not None
    return cell, column


def _two_loops(row, columns):
    """What the two loops of an order took: " (48.0 and 32.0)".

    No other row of the table may have their cycles. With several measured CPUs, each by its
    letter."""
    if row.method != "difference" or not row.order:
        return ""
    measured = [column for column in columns if not column.published]
    found = []
    for column in measured:
        took = [row.costs.get(column, {}).get(name) for name in ("minuend", "subtrahend")]
        if None not in took:
            values = " and ".join(map(cells.number, took))
            found.append(f"{column.letter}: {values}" if len(measured) > 1 else values)
    return f" ({'; '.join(found)})" if found else ""


def _is_valued(row, column=None):
    return any(cell.cycles is not None for cell, of in row["cells"] if column in (None, of))


def _section(section, columns, notes):
    sentences = []
    rows = [{**vars(row), "label": row.label + _two_loops(row, columns),
             "cells": [_cell(row, column, notes) for column in columns]} for row in section.rows]
    if rows and section.none:  # a column without a single value says so in words
        sentences = [(column, f"{column.letter}: {section.none}") for column in columns if not
                     column.published and not any(_is_valued(row, column) for row in rows)]
        rows = [row for row in rows if _is_valued(row)]
    return {"title": section.title, "rows": rows, "sentences": sentences,
            "left_out": section.left_out}


def _generation_row(name, costs, items, measured):
    """A CPU's cycles of the items, as texts."""
    found = [name]
    for item in items:
        wanted = {"general": item["general"], "method": "direct", "context": "", "ring": "3"}
        row = sections.figure_for(wanted, [
            row for row in costs if row["method"] == "direct"
            and (measured or item.get("source", "") in row["published_source"])])
        found.append(cells.number(row["cycles"]) if row else "")
    return found


def _generations(measured, figures, ask, known):
    """A few items over all CPUs: measured ones first, then published ones.

    The items are those that the sweep names, else those `known` that were measured. No row at all
    where nothing of it was measured."""
    default = {item["general"]: item for item in known}
    items = [{**default.get(item["general"], {}), **item} for item in ask.generations] or known
    rows = [_generation_row(", ".join(filter(None, (column.name, column.label))) + " *",
                            column.costs, items, True) for column in measured]
    valued = {place for row in rows for place, text in enumerate(row) if place and text}
    groups = {}
    for row in figures:
        groups.setdefault(row["cpu_name"], []).append(row)
    rows += [_generation_row(name, costs, items, False) for name, costs in groups.items()]
    rows.insert(0, ["", *(item.get("heading", item["general"]) for item in items)])
    shown = [place for place in range(1, len(items) + 1)
             if valued and (ask.generations or place in valued)]
    head, *rows = [[row[0], *(row[place] for place in shown)] for row in rows]
    return {"head": head, "rows": [row for row in rows if any(row[1:])]}


def _noise(run):
    pairs, rms, largest = (run.notes.get(f"noise_{name}") for name in
                           ("pairs", "rms_percent", "largest_percent"))
    if pairs in (None, "", "0"):
        return "noise floor not measured: the sweep has no A/A duplicates"
    if not rms or not largest:
        return f"noise floor not known (A/A, {pairs} pairs)"
    return (f"noise floor (A/A, {pairs} pairs): {float(rms):.2f} % rms, "
            f"{float(largest):.2f} % largest")


def _method(run):
    engines = sorted({(row["engine"], row["accel"], row["ring"], row["source"])
                      for row in run.summary if row["value"]})
    texts = [f"engine {engine}{f' ({accel})' if accel else ''} at CPL{ring}, by {source}"
             for engine, accel, ring, source in engines]
    blocks = max((int(row["executions"] or 0) for row in run.summary), default=0)
    return "; ".join(texts) + f"; {blocks} executions a variant" if texts else "nothing measured"


def _remedy(run):
    """What disturbed a run in which much came out badly for the moment, and what helps; or ""."""
    loops = [row["status"] for row in run.summary if row["quantity"] == "cycles"]
    counts = {status: loops.count(status) for status in _RETRY if status in loops}
    if sum(counts.values()) * MUCH < max(1, len(loops)):
        return ""
    told = ", ".join(f"{count} {status}" for status, count in counts.items())
    parts = [float(row["quiet"]) for row in run.summary
             if row["quantity"] == "cycles" and row["quiet"]]
    quiet = f" ({100 * sum(parts) / len(parts):.0f} % of the slices were quiet)" if parts else ""
    return (f"disturbed: of {len(loops)} loops {told}{quiet}; run again at a quieter time, on "
            "another CPU (--cpu) or with more executions (--blocks)")


# proof.csv's word for what stands in the live bytes of the kernel's functions.
_RESTORES = {"popf": "POPF", "sti": "a test, a branch and STI"}


def _machine(column):
    vendor, family, model, stepping, name, microcode, core, hypervisor = column.cpu
    facts = [f"{vendor} family {family} model {model} stepping {stepping}"]
    facts += [f"{word} {value}" for word, value in (
        ("microcode", microcode), ("core type", core), ("under hypervisor", hypervisor),
        ("labelled", column.label)) if value]
    lines = [(", ".join(facts), "")]
    for run in column.runs:
        kernel = run.costs[0]["kernel"]
        restores = "".join(f", which restores IF by {_RESTORES[how]}" for how in run.restores)
        lines.append((f"{run.sweep}, {run.date}, kernel {kernel}{restores}: {_method(run)}; "
                      f"{_noise(run)}",
                      ""))
        extra = [f"{key} {run.environment[key]}" for key in ENVIRONMENT_SHOWN
                 if run.environment.get(key)]
        if extra:
            lines.append(("; ".join(extra), ""))
        if disturbed := _remedy(run):
            lines.append((disturbed, ""))
        if run.unfinished:
            lines.append((run.unfinished + ("; resume it with" if run.resume else ""), run.resume))
    return {"name": f"{column.letter}: {name}", "lines": lines}


def build(all_runs, figures, known, beside=(), everything=False):
    """The dictionary for the templates. known: results/published/generations.csv; beside: names
    of published CPUs that get a column."""
    ask = asked.together(all_runs)
    columns = _measured_columns(all_runs) + _published_columns(figures, ask, beside)
    found = sections.build(columns, ask, everything)
    used = {column for section in found for row in section.rows for column in row.costs}
    columns = [column for column in columns if column in used or not column.published]
    _tell_apart(columns)
    notes = {}
    made = [_section(section, columns, notes) for section in found]
    shown = [cell for section in made for row in section["rows"] for cell, _ in row["cells"]]
    measured = [column for column in columns if not column.published]
    return {
        "title": ask.title,
        "columns": columns,
        "sections": made,
        "generations": _generations(measured, figures, ask, known),
        "notes": list(notes),
        "legend": cells.legend(shown),
        "machines": [_machine(column) for column in measured],
        "sources": sorted({cell.published_source for cell in shown if cell.published_source}),
        "commands": list(dict.fromkeys(f"./asmsweep run {run.run_again} --only VARIANT"
                                       for column in measured for run in column.runs)),
        "plots": ask.plots,
    }
