# SPDX-License-Identifier: GPL-3.0-or-later
"""What the page shows beyond the tables: each variant's assembly, samples and reason."""

import csv
import os

from common.errors import BadInput
from results.tables import plots, runs

BINS = 48  # of the histogram of a variant's slices
MOST_SOURCE = 20_000  # characters of a source shown


def _proved_same(run, build, name):
    """Whether build/SWEEP still holds the loop that this run measured."""
    path = os.path.join(build, "proof.csv")
    if name not in run.proof or not os.path.exists(path):
        return False
    rows = runs.read_csv(path, "build the sweep again", "proof")
    return any(row["variant"] == name and row["loop_sha256"] == run.proof[name]["loop_sha256"]
               for row in rows)


def _source_of(run, name, builds):
    """The variant's .s, from the run's directory or an unchanged build; "" if there is none."""
    relative = run.variants.get(name, {}).get("source", "")
    if not relative or relative.startswith("/") or ".." in relative.split("/"):
        return ""
    places = [run.path]
    build = os.path.join(builds, run.sweep)
    if _proved_same(run, build, name):
        places.append(build)
    for place in places:
        path = os.path.join(place, relative)
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as stream:
                return stream.read(MOST_SOURCE)
    return ""


def _listing(sequence):
    """One instruction a line."""
    return "\n".join(part.strip() for part in sequence.split(";"))


def _add_slice(row, found):
    try:
        ticks = (int(row["loop_2n"]) - int(row["loop_n"])) / int(row["n_loop"])
        key = (row["variant"], row["engine"])
    except (ValueError, ZeroDivisionError, KeyError, TypeError):
        return  # a torn slice is the runner's business; the page shows whole ones
    found.setdefault(key, []).append(ticks)


def _slices(path):
    """Ticks of one iteration in each slice, by variant and engine."""
    found = {}
    if not path:
        return found
    try:
        with open(path, newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                _add_slice(row, found)
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise BadInput(path, f"cannot be read: {problem}", "remove it or run again") from None
    return found


def _histogram(ticks):
    """Quantiles and an outline of the slices: heights 0 to 100 of BINS bins from q02 to q98."""
    ticks = sorted(ticks)

    def quantile(part):
        return ticks[min(len(ticks) - 1, int(part * len(ticks)))]

    low, high = quantile(0.02), quantile(0.98)
    counts = [0] * BINS
    for value in ticks:
        if low <= value <= high and high > low:
            counts[min(BINS - 1, int((value - low) / (high - low) * BINS))] += 1
    top = max(counts) or 1
    return {"count": len(ticks), "low": low, "high": high, "median": quantile(0.5),
            "q10": quantile(0.1), "q90": quantile(0.9),
            "heights": [round(100 * count / top) for count in counts]}


def _executions(path):
    """Rows of measurements.csv by variant; none if the file is not there."""
    found = {}
    if os.path.exists(path):
        for row in runs.read_csv(path, "remove it or run again", "measurements"):
            found.setdefault((row["variant"], row["engine"]), []).append(row)
    return found


def _variant(run, row, builds, slices, executions):
    name, key = row["variant"], (row["variant"], row["engine"])
    plan, proof = run.variants.get(name, {}), run.proof.get(name, {})
    return {
        "row": row, "listing": _listing(plan.get("sequence") or proof.get("order_found", "")),
        "source": _source_of(run, name, builds), "proof": proof,
        "slices": _histogram(slices[key]) if slices.get(key) else None,
        "executions": executions.get(key, []),
        "command": f"./asmsweep run {run.run_again} --only {name}",
        "explain": f"./asmsweep explain {run.path} {name}"}


def _of_run(run, builds):
    slices = _slices(run.samples)
    executions = _executions(os.path.join(run.path, "measurements.csv"))
    return [_variant(run, row, builds, slices, executions) for row in run.summary
            if row["quantity"] == "cycles"]


def build(env, report, all_runs, builds):
    """The dictionary `page` of the html template. Anchors are r<run>-<variant>-<ring>."""
    made = []
    for number, run in enumerate(all_runs):
        made.append({"number": number, "sweep": run.sweep, "date": run.date, "path": run.path,
                     "variants": _of_run(run, builds)})
    anchors = {}
    for run in made:
        for variant in run["variants"]:
            row = variant["row"]
            variant["anchor"] = f"r{run['number']}-{row['variant']}-{row['engine']}-{row['ring']}"
            anchors[(row["run_id"], row["variant"], row["ring"])] = variant["anchor"]
    return {"runs": made, "anchors": anchors, **plots.all_plots(env, report, all_runs)}
