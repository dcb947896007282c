# SPDX-License-Identifier: GPL-3.0-or-later
"""What `cost` measures: turns its words into a sweep of one [[instruction]] and builds it.

Prints for the front, a line each: the build directory; the run's CPU, folder and time; the options
of what prints the answers. Exit status 0; 2 after one line that says what is wrong; 3 if a needed
part is missing.
"""

import hashlib
import json
import os
import re
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, _ROOT)

from common.commandline import Parser, begin, end  # noqa: E402

if __name__ == "__main__":
    begin("cost")

from common.errors import BadInput, place  # noqa: E402
from common.replace import replace_text  # noqa: E402
from generator import quick  # noqa: E402
from generator.instruction import decode, expand, rules, unit  # noqa: E402

# Sections of the run's table.
_QUESTIONS = """
[[question]]
title = "Reciprocal throughput"
take = [{ family = ["*-throughput", "*-independent", "*-minus"] }]

[[question]]
title = "Latency, and what it is made of"
take = [{ family = ["*"] }]
"""


def _parser():
    parser = Parser("asmsweep cost", "What an instruction, or a few with ; between, costs: "
                    "latency from each input to each output, and reciprocal throughput.")
    parser.add_argument("instructions", metavar="INSTRUCTION", nargs="*",
                        help="as GNU as takes it; each is asked for itself")
    parser.add_argument("--init", metavar="TEXT", default="",
                        help="instructions before the loop: values of the registers named")
    parser.add_argument("--latency", action="store_true", help="nothing but latencies")
    parser.add_argument("--throughput", action="store_true", help="nothing but throughput")
    parser.add_argument("--both", action="store_true", help="both (default)")
    parser.add_argument("--unroll", metavar="N", type=int, help="copies an iteration")
    parser.add_argument("--memory", metavar="SIZE[:cold|random]", default="",
                        help="loads go around a ring in so much memory: 32K, 64M:random")
    parser.add_argument("--intel", action="store_true", help="the syntax is Intel's")
    parser.add_argument("--event", metavar="E", action="append", default=[],
                        help="count this event of perf, too")
    parser.add_argument("--minus", metavar="INSTRUCTIONS", default="",
                        help="take the throughput of these off")
    parser.add_argument("--file", metavar="LIST", help="a file with an instruction a line")
    parser.add_argument("--loop", action="store_true", help="print the loops' text, too")
    parser.add_argument("--json", action="store_true", help="print JSON (docs/cost.md)")
    parser.add_argument("--cpu", metavar="N", type=int, help="the CPU to run on")
    parser.add_argument("-o", "--out", metavar="DIR", help="the run's folder")
    parser.add_argument("--into", metavar="FOLDER", help="(the front's) where builds are")
    parser.add_argument("--programs", metavar="FOLDER", help="(the front's) the programs' build")
    return parser


def _texts(args):
    """(text, where it stands) of all that is asked."""
    found = [(text, "cost") for text in args.instructions]
    if args.file:
        try:
            with open(args.file, encoding="utf-8") as stream:
                for number, line in enumerate(stream, 1):
                    text = line.partition("#")[0].strip()
                    if text:
                        found.append((text, place(args.file, number)))
        except (OSError, UnicodeDecodeError) as problem:
            raise BadInput(place(args.file), getattr(problem, "strerror", None) or "is not UTF-8",
                           "give a text file with an instruction a line")
    for text, where in found:
        if not text.isprintable() or not text.strip():
            raise BadInput(where, f"{text!r} is no instruction", "give instructions as text")
    return found


def _check(texts, args):
    """One line for the first text that is none; what cannot run here is told by the rest."""
    read = unit.read([(text, args.intel) for text, _ in texts])
    runs = []
    for (text, where), one in zip(texts, read):
        if isinstance(one, str):
            raise BadInput(where, f"'{text}': {one}", "write it as GNU as takes it" +
                           ("" if args.intel else "; --intel for Intel's syntax"))
        why = rules.refusal(one.instructions) or \
            "".join(f"this CPU has no {', '.join(lacking)}" for lacking in
                    [rules.lacking(one.instructions)] if lacking)
        runs.append(why)
        if why and len(texts) == 1:
            raise BadInput(where, f"'{text}' is refused: {why}", "nothing was measured")
    if all(runs):
        raise BadInput("cost", f"all of them are refused: {runs[0]}", "nothing was measured")


def _toml(args, texts):
    """The text of the sweep, and its name."""
    ask = [name for name in expand.QUESTIONS if getattr(args, name)]
    lines = ["[[instruction]]", f"form = {json.dumps([text for text, _ in texts])}"]
    for key, value in (("init", args.init), ("minus", args.minus), ("unroll", args.unroll),
                       ("memory", args.memory)):
        if value:
            lines.append(f"{key} = {json.dumps(value)}")
    if args.intel:
        lines.append('syntax = "intel"')
    if ask and not args.both:
        lines.append(f"ask = {json.dumps(ask)}")
    head = [f"events = {json.dumps(args.event)}", ""] if args.event else []
    text = "\n".join(head + lines) + "\n" + _QUESTIONS
    slug = re.sub(r"[^a-z0-9]+", "_", texts[0][0].lower()).strip("_")[:30].strip("_") or "unit"
    name = f"cost-{slug}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    about = f"What {texts[0][0]}"[:60] + (f" and {len(texts) - 1} others cost" if len(texts) > 1
                                          else " costs")
    return f"summary = {json.dumps(about)}\nname = {json.dumps(name)}\n{text}", name


def _for_the_front(args, out):
    """The answer to one line comes at once, if only a provisional one."""
    show = " ".join(f"--{name}" for name in ("json", "loop") if getattr(args, name))
    cpu = "" if args.cpu is None else args.cpu
    return f"{out}\n{cpu}\n{args.out or ''}\n{'50s' if args.file else '2s'}\n{show}"


def main(argv):
    parser = _parser()
    args = parser.parse_args(argv)
    try:
        texts = _texts(args)
        if not texts:
            parser.error("give an instruction, or --file LIST")
        if args.unroll is not None and not 1 <= args.unroll <= 10_000:
            parser.error("--unroll takes 1 to 10000")
        if decode.directive(args.init):
            parser.error(f"--init: {decode.directive(args.init)}")
        if "\n" in (args.out or ""):
            parser.error("--out: a folder's name is one line")
        try:
            expand.memory_of(args.memory)
        except ValueError as problem:
            parser.error(f"--memory {problem}")
        _check(texts, args)
        text, name = _toml(args, texts)
        out = os.path.join(os.path.abspath(args.into), name)
        os.makedirs(out, exist_ok=True)
        path = os.path.join(out, "cost.toml")
        if not os.path.exists(path):
            replace_text(path, text)
        if not quick.build(path, out, args.programs):
            with open(os.path.join(out, "sweep.json"), encoding="utf-8") as stream:
                why = json.load(stream)["answers"][0]["refused"]
            raise BadInput(texts[0][1], f"'{texts[0][0]}' is refused: {why}",
                           "nothing was measured")
    except BadInput as problem:
        print(str(problem) if problem.place == "cost" else f"cost: {problem}", file=sys.stderr)
        return 2
    print(_for_the_front(args, out))
    return 0


if __name__ == "__main__":
    end("cost", main)
