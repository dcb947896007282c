# SPDX-License-Identifier: GPL-3.0-or-later
"""A store as years of nights leave it, with known values.

    year.py STORE [NIGHTS CPUS VARIANTS]        default 365 20 350

Variant vK of CPU number C costs 10 + K + C / 100 cycles, half a per cent of half width, with a
little noise; from the middle night on v5 costs 4 % more, and the microcode changes two thirds on.
Every tenth variant is refused. costs.csv has one item for every sixth variant, `group K`.
"""

import datetime
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "results")]

from synthetic import ZEN4, columns  # noqa: E402

STEP = 0.04
FIRST = datetime.datetime(2025, 1, 1, 3)


def run_name(night):
    return (FIRST + datetime.timedelta(days=night)).strftime("%Y%m%dT%H%M%SZ-0000")


def cpu_name(cpu):
    return f"Synthetic CPU {cpu:02d}"


def truth(variant, cpu, night, nights):
    """Cycles per iteration."""
    return (10 + variant + cpu / 100) * (1 + (STEP if variant == 5 and night >= nights // 2 else 0))


def _line(names, row):
    return ",".join(f'"{cell}"' if "," in cell else cell
                    for cell in (str(row.get(name, "")) for name in names)) + "\r\n"


def _templates(names, base, rows):
    """A line for each row with places for what differs between runs."""
    return [_line(names, {**base, **row}) for row in rows]


def _rows(variants):
    summary, costs = [], []
    common = {"loop_sha256": "0" * 64, "mix": "28*cli+1*dec+1*jnz", "family": "made",
              "order": "fixed", "group": "cli", "groups": "28", "loop_address": "0x800040",
              "loop_bytes": "32", "jcc_erratum": "no", "parameters": "axis=value;other=value"}
    for k in range(variants):
        if k % 10 == 9:
            summary.append({**common, "variant": f"made.variant.v{k}", "status": "refused",
                            "detail": "not executed: privilege unavailable at CPL3"})
            continue
        value = {"ci_low": f"@L{k}@", "ci_high": f"@H{k}@"}
        summary.append({**common, **value, "variant": f"made.variant.v{k}", "value": f"@V{k}@"})
        if k % 6 == 0:
            costs.append({**common, **value, "item": f"group {k}", "general": f"general {k}",
                          "cycles": f"@V{k}@", "method": "direct", "additive": "untested",
                          "variants": f"made.variant.v{k}"})
    return summary, costs


def _write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as stream:
        stream.write(text)


def make(store, nights=365, cpus=20, variants=350):
    """Write the store; the folder of the newest run of CPU 0."""
    rng = random.Random(7)
    files = {}
    rows = dict(zip(("summary", "costs"), _rows(variants)))
    for name, made in rows.items():
        names = columns(name)
        base = {**ZEN4, "run_id": "@RUN@", "cpu_name": "@CPU@", "microcode": "@CODE@"}
        text = ",".join(names) + "\r\n" + "".join(_templates(names, base, made))
        files[name] = text.split("@")
    for cpu in range(cpus):
        for night in range(nights):
            folder = os.path.join(store, "made", f"cpu-{cpu:02d}", run_name(night))
            os.makedirs(folder)
            cells = {"RUN": run_name(night), "CPU": cpu_name(cpu),
                     "CODE": "0x2" if night >= 2 * nights // 3 else "0x1"}
            for k in range(variants):
                value = truth(k, cpu, night, nights) * rng.gauss(1, 0.0005)
                cells[f"V{k}"] = f"{value:.6f}"
                cells[f"L{k}"] = f"{value * 0.995:.6f}"
                cells[f"H{k}"] = f"{value * 1.005:.6f}"
            for name, pieces in files.items():
                # Every second piece is the name of a cell.
                text = [cells[piece] if n % 2 else piece for n, piece in enumerate(pieces)]
                _write(os.path.join(folder, f"{name}.csv"), "".join(text))
            _write(os.path.join(folder, "environment.csv"), "key,value\r\n")
            _write(os.path.join(folder, "journal"), "asmsweep-journal 1\nbegin\nend complete\n")
    return os.path.join(store, "made", "cpu-00", run_name(nights - 1))


if __name__ == "__main__":
    make(sys.argv[1], *(int(number) for number in sys.argv[2:]))
