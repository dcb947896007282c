# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots of the page: which data go into which, drawn by gnuplot as SVG.

gnuplot's scripts are templates (templates/tables/plots). Names reach them only
through the filter `plain`, in single quotes: gnuplot would run what stands in
backquotes elsewhere.
"""

import re
import shutil
import subprocess

from common import lists
from common.errors import BadInput
from common.questions import takes
from results.tables import cells

KEEPS_VALUE = [status.name for status in lists.statuses() if status.keeps_value]
MOST_PLOTS = 60  # a page with more is no page
MOST_LINES = 8
COLOURS = ("#2f7ed8", "#d9730d", "#2b9348", "#9d4edd", "#d00000", "#0096a0", "#7f5539", "#6c757d")


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
    return {"x": x, "y": row["value"], "low": row["ci_low"], "high": row["ci_high"], "fit": None}


def _valued(summary):
    """Rows of summary.csv that tell cycles and may be drawn."""
    return [row for row in summary if row["quantity"] == "cycles" and row["value"] != ""
            and row["status"] in KEEPS_VALUE and row["engine"] != "hyperfine"
            and row["accel"] != "tcg"]


def _mix(text):
    return {name: float(count) for count, _, name in
            (part.partition("*") for part in text.split("+"))}


def ratio_plots(run):
    """Cycles against the count of the second item, for each system of two solved items."""
    systems = {}
    for cost in run.costs:
        if cost["method"] == "solved":
            key = tuple(cost[name] for name in ("family", "order", "context", "ring"))
            systems.setdefault(key, []).append(cost)
    for (family, order, context, ring), costs in systems.items():
        if len(costs) != 2:
            continue
        points, loops = [], costs[0]["variants"].split()
        for row in _valued(run.summary):
            if row["variant"] not in loops or row["ring"] != ring:
                continue
            mix = _mix(row["mix"])
            counts = [mix.get(cost["item"].split("+")[0], 0) for cost in costs]
            point = _point(row, counts[1])
            if all(cost["cycles"] is not None for cost in costs):
                point["fit"] = sum(count * cost["cycles"] for count, cost in zip(counts, costs))
            points.append(point)
        if len(points) < 4:
            continue
        points.sort(key=lambda point: point["x"])
        yield "ratio", {
            "title": f"{family} ({', '.join(filter(None, (order, context)))}), CPL{ring}",
            "points": points, "fitted": points[0]["fit"] is not None,
            "x_label": f"{costs[1]['item']} in one iteration, the rest {costs[0]['item']}",
            "x_low": points[0]["x"] - 0.5, "x_high": points[-1]["x"] + 0.5}


def _lines(rows):
    """The first parameter that counts something and has at least three values, or None; and name
    and points of each line: one for each setting of the other parameters."""
    settings = [dict(part.split("=", 1) for part in row["parameters"].split(";") if "=" in part)
                for row in rows]
    values = {name: {setting.get(name, "") for setting in settings}
              for name in dict.fromkeys(name for setting in settings for name in setting)}
    axis = next((name for name, found in values.items() if len(found) >= 3
                 and all(re.fullmatch(r"\d+", value) for value in found)), None)
    names = sorted(name for name, found in values.items() if name != axis and len(found) > 1)
    lines = {}
    for setting, row in zip(settings, rows) if axis else ():
        name = " ".join(setting.get(name, "") for name in names) or row["family"]
        lines.setdefault(name, []).append(_point(row, int(setting[axis])))
    return axis, [(name, sorted(points, key=lambda point: point["x"]))
                  for name, points in lines.items() if len(points) >= 3]


def length_plots(run):
    """Cycles against a chain's length or a count of fillers, a line for each other setting."""
    families = {}
    for row in _valued(run.summary):
        if not row["duplicate_of"]:
            families.setdefault((row["family"], row["ring"], row["engine"]), []).append(row)
    for (family, ring, _), rows in families.items():
        axis, lines = _lines(rows)
        for first in range(0, len(lines), MOST_LINES):
            part = lines[first:first + MOST_LINES]
            yield "length", {
                "title": f"{family}, CPL{ring}", "x_label": axis,
                "lines": [{"name": name, "colour": colour, "points": points}
                          for colour, (name, points) in zip(COLOURS, part)]}


def map_plot(plot, report):
    """The rows of the table that the sweep's map takes, by CPU; the colour is the cost."""
    rows = [row for section in report["sections"] for row in section["rows"]
            if takes(plot["take"], row)
            and any(cell.cycles is not None for cell, _ in row["cells"])]
    if len(rows) < 2:
        return
    found = [{"x": x, "y": y, "value": cell.cycles, "text": cells.number(cell.cycles)}
             for y, row in enumerate(rows) for x, (cell, _) in enumerate(row["cells"])
             if cell.cycles is not None]
    yield "map", {
        "title": plot["title"], "cells": found,
        "rows": [row["label"] + (" (CPL0)" if row["ring"] == "0" else "") for row in rows],
        "columns": [f"{column.letter}: {column.name}" for column in report["columns"]],
        "low": min(cell["value"] for cell in found) * 0.9,
        "high": max(cell["value"] for cell in found) * 1.1}


def all_plots(env, report, all_runs):
    """Title and SVG of each plot."""
    wanted = list(map_plot(report["plots"]["map"], report)) if "map" in report["plots"] else []
    for run in all_runs:
        wanted += [*ratio_plots(run), *length_plots(run)]
    env.filters["plain"] = plain
    made = []
    for number, (kind, values) in enumerate(wanted[:MOST_PLOTS]):
        script = env.get_template(f"plots/{kind}.gp.j2").render(values)
        made.append({"kind": kind, "title": values["title"], "svg": draw(script, number)})
    return {"plots": made, "not_drawn": max(0, len(wanted) - MOST_PLOTS)}
