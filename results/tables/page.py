# SPDX-License-Identifier: GPL-3.0-or-later
"""What the page shows beyond the tables: each variant's assembly, samples and reason."""

import contextlib
import csv
import os

from common.errors import BadInput
from results.tables import plots, runs

BINS = 48  # of the histogram of a variant's slices
MOST_SOURCE = 20_000  # characters of a source shown


def _source_of(run, name, build, loops):
    """The variant's .s, from the run's directory or an unchanged build; "" if there is none.
    loops: hashes of what the build holds."""
    relative = run.variants.get(name, {}).get("source", "")
    if not relative or relative.startswith("/") or ".." in relative.split("/"):
        return ""
    same = name in run.proof and loops.get(name) == run.proof[name]["loop_sha256"]
    for place in [run.path, build] if same else [run.path]:
        path = os.path.join(place, relative)
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as stream:
                return stream.read(MOST_SOURCE)
    return ""


def _slices(path):
    """Ticks of one iteration in each slice, by variant and engine."""
    found = {}
    try:
        with open(path, newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                # A torn slice is the runner's business; the page shows whole ones.
                with contextlib.suppress(ValueError, ZeroDivisionError, KeyError, TypeError):
                    ticks = (int(row["loop_2n"]) - int(row["loop_n"])) / int(row["n_loop"])
                    found.setdefault((row["variant"], row["engine"]), []).append(ticks)
    except FileNotFoundError:
        pass
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


def _variants(run, builds):
    """What the page shows of each loop, in the order of summary.csv."""
    slices, executions = _slices(run.samples), {}
    for row in runs.read_optional(os.path.join(run.path, "measurements.csv"), "measurements"):
        executions.setdefault((row["variant"], row["engine"]), []).append(row)
    build, made = os.path.join(builds, run.sweep), []
    held = runs.read_optional(os.path.join(build, "proof.csv"), "proof", "build the sweep again")
    loops = {row["variant"]: row["loop_sha256"] for row in held}
    for row in run.summary:
        if row["quantity"] != "cycles":
            continue
        name, key = row["variant"], (row["variant"], row["engine"])
        proof = run.proof.get(name, {})
        sequence = run.variants.get(name, {}).get("sequence") or proof.get("order_found", "")
        made.append({
            "row": row, "listing": "\n".join(part.strip() for part in sequence.split(";")),
            "source": _source_of(run, name, build, loops), "proof": proof,
            "slices": _histogram(slices[key]) if key in slices else None,
            "executions": executions.get(key, []),
            "command": f"./asmsweep run {run.run_again} --only {name}",
            "explain": f"./asmsweep explain {run.path} {name}"})
    return made


def build(env, report, all_runs, builds):
    """The dictionary `page` of the html template. Anchors are r<run>-<variant>-<engine>-<ring>."""
    made = [{"sweep": run.sweep, "date": run.date, "variants": _variants(run, builds)}
            for run in all_runs]
    anchors = {}
    for number, run in enumerate(made):
        for variant in run["variants"]:
            row = variant["row"]
            variant["anchor"] = f"r{number}-{row['variant']}-{row['engine']}-{row['ring']}"
            anchors[(row["run_id"], row["variant"], row["ring"])] = variant["anchor"]
    return {"runs": made, "anchors": anchors, **plots.all_plots(env, report, all_runs)}
