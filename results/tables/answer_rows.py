# SPDX-License-Identifier: GPL-3.0-or-later
"""From a run's loops to answers: cycles a copy, with interval, status and reason.

A throughput is the quickest of its loops. A latency is its chain, minus the way back where that
has a chain of its own; a round trip is the sum, and a part of it takes at most 1 cycle less. A
chain counts only if two links more in each copy make it longer.
"""

import json
import math
import os

from common.errors import BadInput
from results.tables import runs

SCHEMA = 1
_REACTS = 1.5   # cycles a copy that two links more must take at least, of 2
_OVERHEAD = 1   # cycles that dec and jnz take an iteration at most
_LINKS = 32     # of a reference chain (CHAIN_LINKS of templates/variant/variant.h)
_REMARKS = {"width_only": "a neighbour that keeps caches or the divider busy would not be seen",
            "not_followed": "no undisturbed run of many iterations: that it stays the same is "
                            "not tested"}


def read(folder):
    """The document of a run: schema, run, sweep, cpu, answers."""
    asked = _json(os.path.join(folder, "sweep.json"))
    if not asked.get("answers"):
        raise BadInput(folder, "no [[instruction]] was asked in this run",
                       "measure one: ./asmsweep cost 'imul %rax, %rbx'")
    summary = runs.read_csv(os.path.join(folder, "summary.csv"), "measure it again", "summary")
    loops = {}
    for row in summary:
        if row["quantity"] == "cycles" and \
                (row["variant"] not in loops or row["source"] == "pmu" and row["value"]):
            loops[row["variant"]] = row
    first = next(iter(loops.values()), {})
    counted = [row for row in summary if row["quantity"] == "event"]
    answers = [_answer(told, loops, folder) for told in asked["answers"]]
    for answer in answers:
        answer["events"] = {row["event"]: float(row["value"]) / loop["copies"]
                            for loop in answer["loops"][:1] for row in counted
                            if row["variant"] == loop["variant"] and row["value"]}
    return {"schema": SCHEMA, "run": os.path.abspath(folder), "sweep": asked["sweep"],
            "cpu": {key: first.get(key, "") for key in runs.CPU_KEYS}, "answers": answers}


def _json(path):
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except (OSError, ValueError) as problem:
        raise BadInput(path, f"cannot be read: {problem}", "give a run's folder") from None


def _answer(told, loops, folder):
    row = {"text": told["text"], "form": told.get("form", ""), "question": told["question"],
           "from": told.get("from"), "to": told.get("to"), "cycles": None,
           "ci_low": None, "ci_high": None, "part_at_most": None,
           "round_trip": bool(told.get("round_trip")), "provisional": None,
           "status": "ok", "detail": "",
           "how": told.get("how", ""), "minus": told.get("minus"),
           "memory": told.get("memory") or None,
           "values": told.get("values", {}), "remarks": [],
           "published": None, "published_source": None, "agrees": None,
           "loops": [loop for loop in [*told.get("loops", ()), told.get("back"),
                                       told.get("linked")] if loop]}
    if told.get("refused"):
        row.update(status="refused", detail=told["refused"])
        return row
    found = [_per_copy(loop, loops, told["question"]) for loop in told["loops"]]
    lacks = [one for one in found if one["cycles"] is None]  # which might be the quickest
    best = lacks[0] if lacks else min(found, key=lambda one: one["cycles"])
    back = told.get("back") and _per_copy(told["back"], loops, "latency")
    linked = told.get("linked") and _per_copy(told["linked"], loops, "latency")
    _fill(row, best, back)
    if told.get("round_trip") and row["cycles"] is not None:
        row["part_at_most"] = max(row["cycles"] - 1, 0)
    if row["cycles"] is None and row["status"] in ("contended", "unstable"):
        row["provisional"] = _provisional(told, folder)
    if linked and row["cycles"] is not None:
        _judge_link(row, best, linked)
    return row


def _per_copy(loop, loops, question):
    """One loop's cycles a copy. What its dec and jnz take is within a throughput's interval;
    beside a chain they take nothing."""
    row = loops.get(loop["variant"])
    if row is None:
        return {"cycles": None, "half": None, "low": None, "status": "unavailable",
                "detail": "was not measured", "remarks": []}
    value, copies = float(row["value"]) if row["value"] else None, loop["copies"]
    half = (float(row["ci_high"]) - float(row["ci_low"])) / 2 / copies \
        if row["ci_low"] and row["ci_high"] else 0
    over = _OVERHEAD / copies if question == "throughput" else 0
    return {"cycles": value / copies if value is not None else None, "half": half, "over": over,
            "status": row["status"], "detail": row["detail"],
            "remarks": [_REMARKS.get(name, name) for name in row["remarks"].split(";") if name]}


def _fill(row, best, back):
    row["remarks"] = sorted({*best["remarks"], *(back["remarks"] if back else ())})
    for part in filter(None, (best, back)):
        if part["cycles"] is None or part["status"] != "ok" and row["status"] == "ok":
            row.update(status=part["status"], detail=part["detail"])
        if part["cycles"] is None:
            return
    cycles = best["cycles"] - (back["cycles"] if back else 0)
    half = math.hypot(best["half"], back["half"] if back else 0)
    row.update(cycles=cycles, ci_low=max(cycles - half - best["over"], 0), ci_high=cycles + half)


def _judge_link(row, best, linked):
    nothing = {"cycles": None, "ci_low": None, "ci_high": None, "part_at_most": None}
    if linked["cycles"] is None:
        row.update(nothing, provisional=row["cycles"], status=linked["status"],
                   detail="whether it is a chain was not seen: the loop with two links more: " +
                   (linked["detail"] or linked["status"]))
    elif linked["cycles"] - best["cycles"] < _REACTS:
        row.update(nothing, status="no_chain",
                   detail=f"{row['to']} does not wait for {row['from']}: two links more take "
                   f"{linked['cycles'] - best['cycles']:.2f} cycles more")


def _provisional(told, folder):
    """About what it takes, from the least disturbed slices of all: no value that may be kept."""
    found = [_least(folder, loop["variant"]) for loop in told["loops"]]
    found = [least / loop["copies"] for least, loop in zip(found, told["loops"]) if least]
    back = told.get("back") and _least(folder, told["back"]["variant"])
    if not found or told.get("back") and not back:
        return None
    return max(min(found) - (back / told["back"]["copies"] if back else 0), 0)


def _least(folder, variant):
    rows = _samples(folder).get(variant, [])
    ratios = []
    for row in rows:
        try:
            unit = (int(row["add_2n"]) - int(row["add_n"])) / (int(row["n_add"]) * _LINKS)
            ratios.append((int(row["loop_2n"]) - int(row["loop_n"])) / int(row["n_loop"]) / unit)
        except (ValueError, ZeroDivisionError):
            continue
    ratios = sorted(ratio for ratio in ratios if ratio > 0)
    return ratios[len(ratios) // 10] if ratios else None


_read = {}


def _samples(folder):
    if folder not in _read:
        found = _read.setdefault(folder, {})
        for row in runs.read_csv(os.path.join(folder, "samples.csv"), "measure it again",
                                 "samples"):
            found.setdefault(row["variant"], []).append(row)
    return _read[folder]
