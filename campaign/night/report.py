# SPDX-License-Identifier: GPL-3.0-or-later
"""The one-page report of a night, as text and HTML.

    report.py NIGHT
Reads night.csv (asmsweep-night verdict) and `failed` (a line "SWEEP<TAB>why") in the night's
folder; writes report.txt and report.html there. No night.csv: nothing came to an end.
Exit status 0, or 2 after one line that names file, place and remedy.
"""

import os
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, _ROOT)

from common.commandline import Parser, begin, end  # noqa: E402

if __name__ == "__main__":
    begin("night")

import jinja2  # noqa: E402
from common import lists  # noqa: E402
from common.replace import replace_text  # noqa: E402
from results.tables import environment, runs  # noqa: E402

_REPORTS = ("report.txt", "report.html")


def _failed(night):
    """(sweep, why) of sweeps that gave nothing."""
    with open(os.path.join(night, "failed"), encoding="utf-8") as stream:
        return [line.rstrip("\n").split("\t", 1) for line in stream]


def when(run_id):
    """A run's or night's time: 20261130T094036Z-5473 is 2026-11-30 09:40."""
    if not run_id[:8].isdigit():
        return run_id or "-"
    return f"{run_id[:4]}-{run_id[4:6]}-{run_id[6:8]} {run_id[9:11]}:{run_id[11:13]}"


def percent(part, digits=2):
    """A part as signed per cent; empty is "-"."""
    return f"{100 * float(part):+.{digits}f}" if part else "-"


def where(row):
    """Engine, ring and core type of a row, as a person reads them."""
    return ", ".join(text for text in (row["engine"], f"CPL{row['ring']}", row["core_type"])
                     if text)


def missing_groups(rows):
    """Rows without a value that share sweep, status and since: a group each, with one reason."""
    groups = {}
    for row in rows:
        groups.setdefault((row["sweep"], row["status"], row["since"]), []).append(row)
    return [{"sweep": sweep, "status": status, "since": since, "detail": some[0]["detail"],
             "same": len({row["detail"] for row in some}) == 1,
             "variants": [row["variant"] for row in some]}
            for (sweep, status, since), some in groups.items()]


def context(night):
    """What the templates get."""
    rows = runs.read_plain(os.path.join(night, "night.csv"))
    kinds = {kind: [row for row in rows if row["kind"] == kind] for _, (kind, _) in
             lists.rows(os.path.join(_ROOT, "campaign", "night", "night_kinds.def"))}
    return {"night": os.path.basename(os.path.abspath(night)), "failed": _failed(night), **kinds,
            "missing": missing_groups(kinds["missing"])}


def write(night):
    values = context(night)
    templates = os.path.join(_ROOT, "templates", "night")
    for name in _REPORTS:
        env = environment.make(templates, html=name.endswith(".html"))
        env.filters.update(when=when, percent=percent, where=where)
        text = env.get_template(f"{name}.j2").render(values)
        replace_text(os.path.join(night, name), text)


def main(argv):
    parser = Parser("night", __doc__.split("\n")[0])
    parser.add_argument("night", metavar="NIGHT", help="the night's folder")
    night = parser.parse_args(argv).night
    try:
        write(night)
    except OSError as problem:
        print(f"night: {problem.filename}: {problem.strerror}; is it a night's folder?",
              file=sys.stderr)
        return 2
    except (jinja2.TemplateError, KeyError, ValueError) as problem:
        print(f"night: {night}/night.csv: {problem!r}; was it made by another version?",
              file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    end("night", main)
