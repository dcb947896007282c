# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run's [[instruction]] questions came to: a line each, or JSON (docs/cost.md).

    answers.py RUN [--json] [--loop] [--published FOLDER]

Exit status 0, or 2 after one line that names file, place and remedy.
"""

import json
import os
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, _ROOT)

from common.commandline import Parser, begin, end  # noqa: E402

if __name__ == "__main__":
    begin("asmsweep cost", jinja2=False)

from common.errors import BadInput  # noqa: E402
from results.tables import answer_rows, expected  # noqa: E402


def _arguments(argv):
    parser = Parser("asmsweep cost", "the answers of a run")
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("--json", action="store_true", help="a JSON document")
    parser.add_argument("--loop", action="store_true", help="the loops' text, too")
    parser.add_argument("--published", metavar="FOLDER",
                        default=os.path.join(_ROOT, "results", "published"))
    parser.add_argument("--build", metavar="DIR", help="where src/ is, for --loop")
    return parser.parse_args(argv)


def _number(value):
    """A value with the digits that tell it."""
    return f"{value:.3f}" if value < 10 else f"{value:.2f}" if value < 100 else f"{value:.1f}"


def _value(row):
    if row["cycles"] is not None:
        text = f"{_number(row['cycles'])} [{_number(row['ci_low'])},{_number(row['ci_high'])}]"
        return text + (f" (a part: at most {_number(row['part_at_most'])})"
                       if row["part_at_most"] is not None else "")
    if row["provisional"] is not None:
        return f"about {_number(row['provisional'])}"
    return "-"


def _short(row):
    """Why, without what else happened in the run, which explain tells."""
    first, _, rest = row["detail"].partition("; ")
    return rest.split("; ")[0] if rest and first.startswith("exit status ") else first


def _what(row):
    return row["question"] if row["question"] == "throughput" else \
        f"{row['from']} -> {row['to']}"


def _expected(row):
    if row["published"] is None:
        return ""
    agrees = {True: "agrees", False: "differs", None: "published"}[row["agrees"]]
    return f"  {agrees}: {row['published']:g} ({row['published_source']})"


def _print_text(document):
    rows = document["answers"]
    wide = max((len(_what(row)) for row in rows), default=0)
    value = max((len(_value(row)) for row in rows), default=0)
    text = None
    for row in rows:
        values = ", ".join(f"{name} = {value}" for name, value in row["values"].items())
        if text != (text := row["text"] + (f"    {values}" if values else "")):
            print(f"{text}    [cycles, 95 %]")
        status = "" if row["status"] == "ok" else \
            f"  {row['status']}" + (f": {_short(row)}" if row["detail"] else "")
        how = f"  {row['how']}" if row["how"] else ""
        how += f", less {row['minus']}" if row["minus"] else ""
        print(f"  {_what(row):{wide}}  {_value(row):{value}}{how}{_expected(row)}{status}")
        for remark in row["remarks"]:
            print(f"  {'':{wide}}  ({remark})")
    print(f"The run: {document['run']}")


def _print_loops(document, build):
    for row in document["answers"]:
        for loop in row["loops"]:
            with open(os.path.join(build, "src", loop["variant"] + ".s"),
                      encoding="utf-8") as stream:
                text = stream.read()
            body = text.partition("loop_begin:\n")[2].partition("loop_end:")[0]
            print(f"\n{loop['variant']}:\n{body}", end="")


def main(argv):
    args = _arguments(argv)
    try:
        document = answer_rows.read(args.run)
        expected.add(document, args.published)
        if args.json:
            print(json.dumps(document, indent=1, allow_nan=False))
        else:
            _print_text(document)
        if args.loop and not args.json:
            _print_loops(document, args.build)
    except (BadInput, OSError) as problem:
        print(f"asmsweep cost: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    end("asmsweep cost", main)
