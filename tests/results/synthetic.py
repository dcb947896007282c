# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs' directories with known costs, for tests: what a runner would have written.

Columns are those of common/columns.def, so that a new column needs no change here.
"""

import csv
import os
import sys
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEMPLATES = os.path.join(ROOT, "templates")
sys.path.insert(0, ROOT)

from common import lists  # noqa: E402
from generator import shared  # noqa: E402
from generator.tomlfile import TomlFile  # noqa: E402

ZEN4 = {
    "run_id": "run-1", "time_utc": "2026-01-02T03:04:05Z", "host": "box", "cpu_vendor":
    "AuthenticAMD", "cpu_family": "25", "cpu_model": "17", "cpu_stepping": "1", "cpu_name":
    "Synthetic Zen 4", "microcode": "0xa101148", "core_type": "", "hypervisor": "", "kernel":
    "6.1.0-test", "sweep": "synthetic", "engine": "perf", "accel": "", "ring": "3",
    "privilege": "not_needed", "quantity": "cycles", "source": "stopwatch", "per": "iteration",
    "status": "ok", "executions": "5", "samples": "1000",
}


def columns(name):
    return list(lists.names(name))


def loop(variant, mix, value, **more):
    """One row of summary.csv. `half` is the interval's half width; value None: no value."""
    half = more.pop("half", 0.002 * (value or 0))
    row = dict(ZEN4, variant=variant, mix=mix + "+1*dec+1*jnz" if mix else "1*dec+1*jnz",
               family="made", order="fixed", context="", group="", groups="", duplicate_of="",
               loop_sha256="0" * 64)
    if value is not None:
        row.update(value=f"{value:.6f}", ci_low=f"{value - half:.6f}",
                   ci_high=f"{value + half:.6f}")
    row.update({key: str(text) for key, text in more.items()})
    return row


def homogeneous(variant, item, groups, value, **more):
    """A loop of `groups` times `item`."""
    count = {}
    for part in item.split(";"):
        name = part.split()[0]
        count[name] = count.get(name, 0) + groups
    mix = "+".join(f"{times}*{name}" for name, times in count.items())
    return loop(variant, mix, value, group=item, groups=groups, **more)


def one(costs, **wanted):
    """The one row with these cells."""
    found = [row for row in costs if all(row[key] == value for key, value in wanted.items())]
    assert len(found) == 1, (wanted, found)
    return found[0]


def holds(row, truth):
    return float(row["ci_low"]) <= truth <= float(row["ci_high"])


def write_csv(path, names, rows):
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, names, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def told_by(name):
    """What popf_if's TOML says beside its loops; another sweep has its differences, no more."""
    told, _ = shared.read(TomlFile(f"{TEMPLATES}/sweeps/popf_if.toml"), TEMPLATES, [])
    differences = [dict(row, optional=True) for row in told["difference"]]
    return dict(told if name in ("popf_if", "seed") else {"phrases": told["phrases"]},
                difference=differences)


def write_told(folder, loops):
    """sweep.json and differences.csv, as the generator makes them of a sweep's TOML."""
    first = loops[0] if loops else {}
    sweep = types.SimpleNamespace(
        name=first.get("sweep", "synthetic"), summary=first.get("summary", ""),
        toml=first.get("toml", ""), shared=told_by(first.get("sweep", "")), answers=[])
    with open(os.path.join(folder, "sweep.json"), "w", encoding="utf-8") as stream:
        stream.write(shared.sweep_json(sweep))
    variants = [types.SimpleNamespace(row=row) for row in loops]
    write_csv(os.path.join(folder, "differences.csv"), columns("differences"),
              shared.differences(sweep, variants))


def write_run(folder, loops, environment=()):
    """A run's directory; returns its path as text."""
    os.makedirs(folder, exist_ok=True)
    for name in ("summary", "measurements"):
        write_csv(os.path.join(folder, f"{name}.csv"), columns(name), loops)
    write_csv(os.path.join(folder, "environment.csv"), columns("environment"),
              [{"key": key, "value": value} for key, value in environment])
    write_csv(os.path.join(folder, "variants.csv"), columns("variants"),
              [dict(row, source=f"src/{row['variant']}.s") for row in loops])
    write_told(folder, loops)
    write_csv(os.path.join(folder, "proof.csv"), columns("proof"),
              [dict(row, elf_sha256="1" * 64, status="ok") for row in loops])
    return str(folder)


def petition(cli=2.0, sti=4.0, pair=20.5, **more):
    """A run like popf_if's, with costs that are known and add."""
    loops = [loop("overhead", "", 1.0, family="overhead")]
    for k in range(0, 29, 4):
        mix = "+".join(f"{n}*{name}" for n, name in ((28 - k, "cli"), (k, "sti")) if n)
        item = {"group": "cli", "groups": 28} if k == 0 else \
            {"group": "sti", "groups": 28} if k == 28 else {}
        loops.append(loop(f"ratio-{k}", mix, cli * (28 - k) + sti * k, family="ratio",
                          order="spread", **item, **more))
    for bits, cost in (("none", pair), ("cf", pair), ("df", 116.3)):
        loops.append(homogeneous(f"bits-{bits}", "push %rbx; popfq", 14, 14 * cost,
                                 family="flag_bits", context=f"if=1->1;bits={bits}"))
    loops.append(homogeneous("pf", "pushfq; popfq", 16, 16 * 20.6, family="known_answers"))
    loops.append(dict(homogeneous("pf-again", "pushfq; popfq", 16, 16 * 20.62,
                                  family="known_answers"), duplicate_of="pf"))
    loops.append(homogeneous("save", "pushfq; pop %rbx", 16, 16 * 5.0, family="save"))
    for was, branch, cost in (("0", "predicted", 30.0), ("1", "predicted", 34.0),
                              ("0.5", "unpredictable", 44.0)):
        loops.append(homogeneous(f"seq-test-{was}", "pushfq; pop %rbx; cli; test; jz; sti", 1,
                                 cost, family="irqsave", context="sequence=irqsave;"
                                 f"restore=test_sti;was={was};branch={branch}", **more))
        loops.append(homogeneous(f"seq-none-{was}", "pushfq; pop %rbx; cli", 1, 26.0,
                                 family="irqsave",
                                 context=f"sequence=irqsave;restore=none;was={was}", **more))
    return [dict(row, sweep="popf_if") for row in loops]
