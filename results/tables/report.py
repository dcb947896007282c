# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything a table's template shows, as one dictionary: columns, sections, notes, machines."""

from dataclasses import dataclass

from results.tables import asked, cells, runs, sections

ENVIRONMENT_SHOWN = ("governor", "boost", "smt", "clocksource", "isolated_cpus", "pmu",
                     "perf_version", "project_revision", "schedule_seed")


@dataclass
class Column:
    """One CPU of the table."""

    letter: str
    name: str
    published: bool
    cpu: tuple
    costs: list
    runs: list
    label: str = ""
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
        for row in run.costs:
            cpu = runs.cpu_of(row)
            key = (cpu, run.label)
            if key not in columns:
                columns[key] = Column("", _clean_name(row["cpu_name"]), False, cpu, [], [],
                                      run.label)
            columns[key].costs.append(row)
            if run not in columns[key].runs:
                columns[key].runs.append(run)
    return list(columns.values())


def _published_columns(figures, ask, names):
    """CPUs of the sources that the sweep sets beside, and those whose name holds one of `names`."""
    groups = {}
    for row in figures:
        heading = next((heading for source, heading in ask.beside.items()
                        if source in row["published_source"]), None)
        if heading is not None or any(name.lower() in row["cpu_name"].lower() for name in names):
            key = runs.cpu_of(row)
            name = heading or row["cpu_name"]
            groups.setdefault(key, Column("", name, True, key, [], [])).costs.append(row)
    return list(groups.values())


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


class Notes:
    """Numbered reasons; the same reason has one number."""

    def __init__(self):
        self.texts = []

    def number(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1


def _note_for(cell, notes):
    if cell.value is None:
        reason = cell.detail or "no reason was recorded"
        cell.note = notes.number(f"{cell.status}: {reason}")
    elif cell.additive == "no":
        cell.note = notes.number(f"not additive: {cell.detail}")
    elif cell.engine == "published" and cell.detail:
        cell.note = notes.number(cell.detail)


def _cells_of(row, columns, notes):
    made = []
    for number, column in enumerate(columns):
        if number not in row.costs:
            made.append(cells.ABSENT)
            continue
        cell = cells.from_cost(row.costs[number])
        _note_for(cell, notes)
        column.figures |= not column.published and cell.published is not None
        made.append(cell)
    return made


def _two_loops(row, columns):
    """What the two loops of an order took: " (48.0 and 32.0)".

    No other row of the table may have their cycles. With several measured CPUs, each by its
    letter."""
    if row.method != "difference" or not row.order:
        return ""
    measured = [number for number, column in enumerate(columns) if not column.published]
    found = []
    for number in measured:
        took = [row.costs.get(number, {}).get(name) for name in ("minuend", "subtrahend")]
        if None not in took:
            values = " and ".join(map(cells.number, took))
            found.append(f"{columns[number].letter}: {values}" if len(measured) > 1 else values)
    return f" ({'; '.join(found)})" if found else ""


def _section(section, columns, notes):
    sentences = []
    rows = [{**vars(row), "label": row.label + _two_loops(row, columns),
             "cells": _cells_of(row, columns, notes)} for row in section.rows]
    if rows and section.none:  # a column without a single value says so in words
        for number, column in enumerate(columns):
            valued = any(row["cells"][number].value is not None for row in rows)
            if not column.published and not valued:
                sentences.append((column.letter, f"{column.letter}: {section.none}"))
        rows = [row for row in rows if any(cell.value is not None for cell in row["cells"])]
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


def _generations(columns, figures, ask, known):
    """A few items over all CPUs: measured ones first, then published ones.

    The items are those that the sweep names, else those `known` that were measured. No row at all
    where nothing of it was measured."""
    default = {item["general"]: item for item in known}
    items = [{**default.get(item["general"], {}), **item} for item in ask.generations] or known
    groups = {}
    for row in figures:
        groups.setdefault(row["cpu_name"], []).append(row)
    rows = [_generation_row(", ".join(filter(None, (column.name, column.label))) + " *",
                            column.costs, items, True)
            for column in columns if not column.published]
    measured = {place for row in rows for place, text in enumerate(row) if place and text}
    rows += [_generation_row(name, costs, items, False) for name, costs in groups.items()]
    shown = [place for place in range(1, len(items) + 1)
             if measured and (ask.generations or place in measured)]
    rows = [[row[0], *(row[place] for place in shown)] for row in rows]
    return {"head": ["", *(items[place - 1].get("heading", items[place - 1]["general"])
                           for place in shown)],
            "rows": [row for row in rows if any(row[1:])]}


def _noise(run):
    pairs, rms, largest = (run.notes.get(f"noise_{name}") for name in
                           ("pairs", "rms_percent", "largest_percent"))
    if pairs in (None, "", "0"):
        return "noise floor not measured: the sweep has no A/A pairs"
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


def _machine(column):
    vendor, family, model, stepping, name, microcode, core, hypervisor = column.cpu
    facts = [f"{vendor} family {family} model {model} stepping {stepping}"]
    facts += [f"{word} {value}" for word, value in (
        ("microcode", microcode), ("core type", core), ("under hypervisor", hypervisor),
        ("labelled", column.label)) if value]
    lines = [(", ".join(facts), "")]
    for run in column.runs:
        kernel = run.costs[0]["kernel"]
        lines.append((f"{run.sweep}, {run.date}, kernel {kernel}: {_method(run)}; {_noise(run)}",
                      ""))
        extra = [f"{key} {run.environment[key]}" for key in ENVIRONMENT_SHOWN
                 if run.environment.get(key)]
        if extra:
            lines.append(("; ".join(extra), ""))
        if run.unfinished:
            lines.append((run.unfinished + ("; go on with" if run.resume else ""), run.resume))
    return {"name": f"{column.letter}: {name}", "lines": lines}


def _commands(columns):
    """The one command a run that measures a cell again; VARIANT is what explain names."""
    found = []
    for column in columns:
        for run in column.runs:
            found.append(f"./asmsweep run {run.run_again} --only VARIANT")
    return list(dict.fromkeys(found))


def _without_idle(columns, found):
    """The columns that have a cell, with the sections numbered anew."""
    used = {number for section in found for row in section.rows for number in row.costs}
    kept = [number for number, column in enumerate(columns)
            if number in used or not column.published]
    for row in (row for section in found for row in section.rows):
        row.costs = {kept.index(number): cost for number, cost in row.costs.items()}
    return [columns[number] for number in kept]


def build(all_runs, figures, known, beside=(), everything=False):
    """The dictionary for the templates. known: results/published/generations.csv; beside: names
    of published CPUs that get a column."""
    ask = asked.together(all_runs)
    columns = _measured_columns(all_runs) + _published_columns(figures, ask, beside)
    found = sections.build([(column.published, column.costs) for column in columns], ask,
                           everything)
    columns = _without_idle(columns, found)
    _tell_apart(columns)
    notes = Notes()
    made = [_section(section, columns, notes) for section in found]
    shown = [cell for section in made for row in section["rows"] for cell in row["cells"]]
    return {
        "title": ask.title,
        "columns": columns,
        "sections": [part for part in made
                     if part["rows"] or part["sentences"] or part["left_out"]],
        "generations": _generations(columns, figures, ask, known),
        "notes": notes.texts,
        "legend": cells.legend(shown),
        "machines": [_machine(column) for column in columns if not column.published],
        "sources": sorted({cell.published_source for cell in shown if cell.published_source}),
        "commands": _commands(columns),
        "plots": ask.plots,
    }
