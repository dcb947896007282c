# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of runs; the only place here that prints and exits. --help tells the options.

Exit status 0, or 2 after one line that names file, place and remedy.
"""

import os
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, _ROOT)

from common.commandline import Parser, begin, end  # noqa: E402

if __name__ == "__main__":
    begin("asmsweep table")

import jinja2  # noqa: E402

from common.errors import BadInput  # noqa: E402
from common.replace import replace_text  # noqa: E402
from results.tables import environment, page, report, runs  # noqa: E402


def _arguments(argv, templates):
    formats = sorted(name[:-3] for name in os.listdir(templates) if name.endswith(".j2"))
    parser = Parser("asmsweep table", "tables of runs")
    parser.add_argument("directories", metavar="DIR", nargs="+", help="a run's directory")
    parser.add_argument("--format", default="text", choices=formats)
    parser.add_argument("--out", metavar="FILE", help="write there instead of to stdout")
    parser.add_argument("--beside", metavar="NAME,...", default="",
                        help="published CPUs that get a column (part of their name)")
    parser.add_argument("--labels", metavar="NAME,...", default="",
                        help="a name for each DIR in their order: each gets a column of its own")
    parser.add_argument("--all", action="store_true", help="every row of every family")
    parser.add_argument("--published", metavar="FOLDER",
                        default=os.path.join(_ROOT, "results", "published"))
    parser.add_argument("--builds", metavar="FOLDER", default=os.path.join(_ROOT, "build"),
                        help="where SWEEP/src is, for the page's assembly (default build)")
    return parser.parse_args(argv)


def _figures(folder, names):
    path = os.path.join(folder, "costs.csv")
    figures = runs.read_costs(path, "make it with: build/programs/bin/asmsweep-results published "
                            f"{folder}")
    for name in names:
        if not any(name.lower() in row["cpu_name"].lower() for row in figures):
            known = ", ".join(sorted({row["cpu_name"] for row in figures}))
            raise BadInput("--beside", f"no published CPU is called {name}", f"known: {known}")
    return figures


def _labels(args):
    """{run's directory: its label}, empty without --labels: then a CPU is one column."""
    labels = [name.strip() for name in args.labels.split(",")] if args.labels else []
    if labels and len(labels) != len(args.directories):
        raise BadInput("--labels", f"names {len(labels)} of {len(args.directories)} runs",
                       "give one name for each DIR")
    return dict(zip(args.directories, labels))


def render(args, templates):
    names = [name.strip() for name in args.beside.split(",") if name.strip()]
    figures = _figures(args.published, names)
    labels = _labels(args)
    all_runs = [runs.Run(path.rstrip("/") or path, labels.get(path, ""))
                for path in args.directories]
    for run in all_runs:
        runs.refuse_empty(run)
    runs.refuse_twice(all_runs)
    runs.tell_kernels(all_runs)
    everything = args.all or args.format in ("csv", "html")
    generations = runs.read_plain(os.path.join(args.published, "generations.csv"))
    values = report.build(all_runs, figures, generations, names, everything)
    env = environment.make(templates, html=args.format == "html")
    if args.format == "html":
        values["page"] = page.build(env, values, all_runs, args.builds)
    return env.get_template(f"{args.format}.j2").render(values)


def _complain(words):
    print(f"asmsweep table: {words}", file=sys.stderr)
    return 2


def main(argv):
    templates = os.path.join(_ROOT, "templates", "tables")
    args = _arguments(argv, templates)
    try:
        text = render(args, templates)
    except BadInput as problem:
        return _complain(problem)
    except jinja2.TemplateError as problem:
        place = getattr(problem, "filename", None) or f"{args.format}.j2"
        return _complain(f"{place}: {problem}; mend the template")
    except OSError as problem:
        return _complain(f"{problem.filename or 'a part'}: {problem.strerror}; make it readable")
    if args.out is None:
        sys.stdout.write(text)
        return 0
    try:
        replace_text(args.out, text)
    except OSError as problem:
        return _complain(f"{args.out}: {problem.strerror}; give another place with --out")
    return 0


if __name__ == "__main__":
    end("asmsweep table", main)
