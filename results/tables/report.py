# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything a table's template shows, as one dictionary: columns, sections, notes, machines."""

import re
from dataclasses import dataclass

from results.tables import cells, runs, sections

# Items that stand in the table of CPU generations, in general form, with their short headings.
GENERATION_ITEMS = (("pushfq;popfq", "pushfq;popfq"), ("pushfq", "pushfq"),
                    ("push r64;pop r64", "push;pop"), ("imul r64,r64", "imul chain"))
PETITION_TITLE = "What saving, disabling, enabling and restoring interrupts cost"
# The project's sweeps that ask the petition's questions: also where nothing is privileged, and
# every answer is refused, their table is the petition's.
PETITION_SWEEPS = ("popf_if", "seed")
PETITION_SOURCE = "RFC: Petition"  # how the mail's own figures name their source
NOT_HERE = "not measurable here: needs CPL0 on silicon"
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


def _published_columns(figures, names, petition):
    """The mail's Skylake beside the petition, and those CPUs whose name holds one of `names`."""
    groups = {}
    for row in figures:
        mail = PETITION_SOURCE in row["published_source"] or "opening mail" in \
            row["published_source"]
        key = runs.cpu_of(row)
        wanted = (mail and petition) or any(name.lower() in row["cpu_name"].lower()
                                            for name in names)
        if wanted:
            name = row["cpu_name"].replace("Skylake (client)", "Skylake, 2016 mail")
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
    """What the two loops of an order took, as the row's detail has it: " (48.0 and 32.0)".

    No other row of the table may have their cycles. With several measured CPUs, each by its
    letter."""
    if row.method != "difference" or not row.order:
        return ""
    measured = [number for number, column in enumerate(columns) if not column.published]
    found = []
    for number in measured:
        took = re.match(r"(\S+) minus (\S+) cycles", row.costs.get(number, {}).get("detail", ""))
        if took is not None:
            values = " and ".join(cells.number(float(cycles)) for cycles in took.groups())
            found.append(f"{columns[number].letter}: {values}" if len(measured) > 1 else values)
    return f" ({'; '.join(found)})" if found else ""


def _section(section, columns, notes):
    # A section of break-evens without a single value says so in words, once a CPU.
    sentences = []
    rows = [{"label": row.label + _two_loops(row, columns), "item": row.item,
             "context": row.context, "ring": row.ring, "family": row.family,
             "cells": _cells_of(row, columns, notes)}
            for row in section.rows]
    if rows and section.title == sections.QUESTIONS[0][0]:
        for number, column in enumerate(columns):
            valued = any(row["cells"][number].value is not None for row in rows)
            if not column.published and not valued:
                sentences.append((column.letter, f"{column.letter}: {NOT_HERE}"))
        rows = [row for row in rows if any(cell.value is not None for cell in row["cells"])]
    return {"title": section.title, "rows": rows, "sentences": sentences,
            "left_out": section.left_out}


def _generation_row(name, measured, costs):
    found = []
    for general, _ in GENERATION_ITEMS:
        wanted = {"general": general, "method": "direct", "context": "", "ring": "3"}
        row = sections.figure_for(wanted, [row for row in costs if row["method"] == "direct"])
        found.append(cells.from_cost(row) if row is not None else cells.ABSENT)
    return {"name": name, "measured": measured, "cells": found}


def _generations(columns, figures, petition):
    """PUSHFQ+POPFQ and kin over all CPUs: measured ones first, then published ones.

    No row at all where nothing of it was measured; without the petition only what was."""
    rows = [_generation_row(f"{column.name}, {column.label}" if column.label else column.name,
                            True, column.costs)
            for column in columns if not column.published]
    groups = {}
    for row in figures:
        if "InstLatx64" in row["published_source"]:
            groups.setdefault(row["cpu_name"], []).append(row)
    rows += [_generation_row(name, False, costs) for name, costs in groups.items()]
    measured = {place for row in rows if row["measured"]
                for place, cell in enumerate(row["cells"]) if cell.value is not None}
    if not measured:
        return {"items": [], "rows": []}
    shown = [place for place in range(len(GENERATION_ITEMS)) if petition or place in measured]
    for row in rows:
        row["cells"] = [row["cells"][place] for place in shown]
    return {"items": [GENERATION_ITEMS[place][1] for place in shown],
            "rows": [row for row in rows if any(cell.present for cell in row["cells"])]}


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
    of_runs = []
    for run in column.runs:
        kernel = run.costs[0]["kernel"]
        lines = [f"{run.sweep}, {run.date}, kernel {kernel}: {_method(run)}; {_noise(run)}"]
        extra = [f"{key} {run.environment[key]}" for key in ENVIRONMENT_SHOWN
                 if run.environment.get(key)]
        if extra:
            lines.append("; ".join(extra))
        if run.unfinished:
            lines.append(run.unfinished + ("; go on with" if run.resume else ""))
        of_runs.append({"lines": lines, "resume": run.resume})
    return {"letter": column.letter, "name": name, "facts": ", ".join(facts), "runs": of_runs}


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


def _sources(columns, made, petition):
    """Where the published figures are from: those of the columns, or those beside a cell."""
    if petition:
        return sorted({row["published_source"] for column in columns if column.published
                       for row in column.costs})
    shown = [cell for section in made for row in section["rows"] for cell in row["cells"]]
    return sorted({cell.published_source for cell in shown if cell.published_source})


def _is_the_petitions(run):
    """Whether a run asks what the petition asks: one of its sweeps, or a break-even was found."""
    return not run.is_given_by_path and (run.sweep in PETITION_SWEEPS or any(
        row["item"] == sections.BREAK_EVEN and row["cycles"] is not None for row in run.costs))


def _titled(all_runs):
    """What sweeps that are not about the petition ask, each once."""
    return "; ".join(dict.fromkeys(run.summary_of_sweep for run in all_runs))


def build(all_runs, figures, beside=(), everything=False):
    """The dictionary for the templates."""
    petition = any(_is_the_petitions(run) for run in all_runs)
    columns = _measured_columns(all_runs) + _published_columns(figures, beside, petition)
    found = sections.build([(column.published, column.costs) for column in columns], everything,
                           petition)
    if not petition:
        columns = _without_idle(columns, found)
    _tell_apart(columns)
    notes = Notes()
    made = [_section(section, columns, notes) for section in found]
    return {
        "title": PETITION_TITLE if petition else _titled(all_runs),
        "columns": columns,
        "sections": [part for part in made
                     if part["rows"] or part["sentences"] or part["left_out"]],
        "generations": _generations(columns, figures, petition),
        "notes": notes.texts,
        "machines": [_machine(column) for column in columns if not column.published],
        "sources": _sources(columns, made, petition),
        "commands": _commands(columns),
        "mark_meanings": cells.MARK_MEANINGS,
    }
