# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots of the page: which data go into which, drawn by gnuplot as SVG.

gnuplot's scripts are templates (templates/tables/plots). Names reach them only
through the filter `plain`, in single quotes: gnuplot would run what stands in
backquotes elsewhere.
"""

import re
import shutil
import subprocess
from collections import Counter

from common.errors import BadInput
from results.tables import cells
from results.tables.sections import context_of

MOST_PLOTS = 60  # a page with more is no page
MOST_LINES = 8
COLOURS = ("#2f7ed8", "#d9730d", "#2b9348", "#9d4edd", "#d00000", "#0096a0", "#7f5539", "#6c757d")
# Axes that count something, in the order in which they are preferred.
LENGTHS = ("links", "fillers", "length", "unroll", "groups", "pairs", "offset", "align")


def plain(text):
    """Text that means nothing to gnuplot."""
    return re.sub(r"[^A-Za-z0-9 .,;:=()+*/<>_@#-]", "?", str(text))


def draw(script, number):
    """A script's SVG, ready to stand in a page: no prologue, names of its own."""
    gnuplot = shutil.which("gnuplot")
    if gnuplot is None:
        raise BadInput("gnuplot", "is missing, and the page has plots",
                       "install gnuplot-nox, or choose another format")
    done = subprocess.run([gnuplot, "-d", "-"], input=script, capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode != 0 or "<svg" not in done.stdout:
        raise BadInput("gnuplot", " ".join(done.stderr.split())[:300] or "drew nothing",
                       "report this with the run's directory")
    svg = done.stdout[done.stdout.index("<svg"):]
    svg = re.sub(r"<title>Gnuplot</title>\s*<desc>.*?</desc>", "", svg, flags=re.S)
    svg = re.sub(r"""\b(id=)(["'])""", rf"\1\2p{number}-", svg)
    svg = re.sub(r"""(href=["']#|url\(#)""", rf"\1p{number}-", svg)
    return svg.replace("<svg", '<svg class="plot" role="img"', 1)


def _point(row, x):
    return {"x": x, "y": row["value"], "low": row["ci_low"], "high": row["ci_high"],
            "fit": None, "row": row}


def _valued(summary):
    """Rows of summary.csv that tell cycles and may be drawn."""
    return [row for row in summary if row["quantity"] == "cycles" and row["value"] != ""
            and row["status"] in ("ok", "unstable") and row["engine"] != "hyperfine"
            and row["accel"] != "tcg"]


def _mix(text):
    return {name: float(count) for count, _, name in
            (part.partition("*") for part in text.split("+"))}


def _is_pure(row):
    """Whether a loop holds its group and nothing else."""
    group = Counter()
    for part in row["group"].split(";"):
        run = re.fullmatch(r"\s*(?:(\d+)\*)?\s*(\S+).*", part)
        if run:
            group[run[2]] += int(run[1] or 1) * float(row["groups"] or 0)
    group.update(("dec", "jnz"))
    return group == Counter(_mix(row["mix"]))


def _systems(run):
    """(family, order, context, ring) -> {item: cycles or None} of the solved costs."""
    found = {}
    for row in run.costs:
        if row["method"] == "solved":
            key = (row["family"], row["order"], row["context"], row["ring"])
            found.setdefault(key, {})[row["item"]] = row["cycles"]
    return found


def _in_system(row, key):
    """As results/solve_mixes.c has it: a pure loop belongs to each order and richer context."""
    family, order, context, ring = key
    if (row["family"], row["ring"]) != (family, ring):
        return False
    if row["group"] and _is_pure(row):
        return set(filter(None, row["context"].split(";"))) <= set(context.split(";"))
    return row.get("mix_source") != "found" and (row["order"], row["context"]) == (order, context)


def ratio_plots(run):
    """Cycles against the count of the second item, for each system of two items."""
    for key, costs in _systems(run).items():
        if len(costs) != 2:
            continue
        (first, cost1), (second, cost2) = costs.items()
        points = []
        for row in _valued(run.summary):
            if not _in_system(row, key):
                continue
            mix = _mix(row["mix"])
            counts = [mix.get(name.split("+")[0], 0) for name in (first, second)]
            point = _point(row, counts[1])
            if cost1 is not None and cost2 is not None:
                point["fit"] = counts[0] * cost1 + counts[1] * cost2
            points.append(point)
        if len(points) < 4:
            continue
        points.sort(key=lambda point: point["x"])
        title = f"{key[0]} ({key[1]}{', ' + key[2] if key[2] else ''}), CPL{key[3]}"
        yield "ratio", {
            "title": title, "points": points, "fitted": points[0]["fit"] is not None,
            "x_label": f"{second} in one iteration, the rest {first}",
            "x_low": points[0]["x"] - 0.5, "x_high": points[-1]["x"] + 0.5}


def _parameters(row):
    return dict(part.split("=", 1) for part in row["parameters"].split(";") if "=" in part)


def _is_number(text):
    return re.fullmatch(r"\d+", text or "") is not None


def _length_axis(rows):
    """The axis of a family that counts something and has at least three values, or None."""
    for name in LENGTHS:
        values = {_parameters(row).get(name) for row in rows}
        if len(values) >= 3 and all(_is_number(value) for value in values):
            return name
    return None


def _varying(rows, axis):
    """Names of the parameters, but the axis, that are not the same in all rows."""
    names = {name for row in rows for name in _parameters(row)} - {axis}
    return [name for name in sorted(names)
            if len({_parameters(row).get(name) for row in rows}) > 1]


def _lines(rows, axis):
    """Name and points of each line: one for each setting of the other parameters."""
    names, lines = _varying(rows, axis), {}
    for row in rows:
        parameters = _parameters(row)
        name = " ".join(parameters.get(name, "") for name in names) or row["family"]
        lines.setdefault(name, []).append(_point(row, int(parameters[axis])))
    return [(name, sorted(points, key=lambda point: point["x"]))
            for name, points in lines.items() if len(points) >= 3]


def length_plots(run):
    """Cycles against a chain's length or a count of fillers, a line for each other setting."""
    families = {}
    for row in _valued(run.summary):
        if not row["twin_of"]:
            families.setdefault((row["family"], row["ring"], row["engine"]), []).append(row)
    for (family, ring, _), rows in families.items():
        axis = _length_axis(rows)
        lines = _lines(rows, axis) if axis else []
        for first in range(0, len(lines), MOST_LINES):
            part = lines[first:first + MOST_LINES]
            yield "length", {
                "title": f"{family}, CPL{ring}", "x_label": axis,
                "lines": [{"name": name, "colour": colour, "points": points}
                          for colour, (name, points) in zip(COLOURS, part)]}


def _change(row):
    context = context_of(row)
    ends = context.get("if", "").split("->")
    moves = f"IF {context['if']}" if len(set(ends)) > 1 else ""
    bits = context.get("bits", "none").upper().replace("_", "+")
    return ", ".join(part for part in (moves, "" if bits == "NONE" else bits) if part) or "nothing"


def bits_plot(columns):
    """The map of flag bits: rows what changes, columns CPUs."""
    found, names = {}, []
    for number, column in enumerate(columns):
        for row in column.costs:
            if row["general"] == "push r64;popfq" and row["method"] == "direct" and \
                    row["cycles"] is not None and {"bits", "if"} & context_of(row).keys() and \
                    "groups" not in context_of(row) and row["family"] in ("", "flag_bits"):
                change = _change(row) + (" (CPL0)" if row["ring"] == "0" else "")
                found.setdefault((change, number), row["cycles"])
                names.append(change)
    rows = list(dict.fromkeys(names))
    if len(rows) < 2:
        return
    values = found.values()
    yield "bits", {
        "rows": rows, "columns": [f"{column.letter}: {column.name}" for column in columns],
        "low": min(values) * 0.9, "high": max(values) * 1.1,
        "cells": [{"x": number, "y": rows.index(change), "value": value,
                   "text": cells.number(value)} for (change, number), value in found.items()]}


def all_plots(env, columns, all_runs):
    """Title and SVG of each plot."""
    wanted = list(bits_plot(columns))
    for run in all_runs:
        wanted += [*ratio_plots(run), *length_plots(run)]
    env.filters["plain"] = plain
    made = []
    for number, (kind, values) in enumerate(wanted[:MOST_PLOTS]):
        script = env.get_template(f"plots/{kind}.gp.j2").render(values)
        made.append({"kind": kind, "title": values.get("title", "flag bits by CPU"),
                     "svg": draw(script, number)})
    return {"plots": made, "not_drawn": max(0, len(wanted) - MOST_PLOTS)}
