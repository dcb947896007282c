# SPDX-License-Identifier: GPL-3.0-or-later
"""Command line of the generator; the only place that prints and exits.

    main.py --sweep NAME|FILE --out DIR [--templates DIR]    write a sweep's files
    main.py --list [--sweep NAME|FILE]                       what sweeps hold
    main.py --names --sweep NAME|FILE                        its variants' names, one a line
    main.py --families [--sweep NAME|FILE]                   what each family asks
    main.py --render FAMILY [VARIANT]                        one variant's .s, to stdout
Exit status 0, or 2 after one line that names file, place and remedy.
"""

import os
import resource
import sys
from collections import Counter

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, _ROOT)

from common.commandline import Parser, begin, end  # noqa: E402

if __name__ == "__main__":
    begin("generator")

from generator import emit, environment, expand, spec  # noqa: E402
from common.errors import BadInput, known  # noqa: E402
from generator.tomlfile import sweep_names  # noqa: E402

_MOST_MEMORY = 4 << 30  # bytes


def _arguments(argv):
    parser = Parser("generator", __doc__.split("\n")[0])
    parser.add_argument("--sweep", metavar="NAME|FILE", help="a sweep's name or TOML file")
    parser.add_argument("--out", metavar="DIR", help="where src/ and variants.csv go")
    parser.add_argument("--templates", metavar="DIR", default=os.path.join(_ROOT, "templates"))
    parser.add_argument("--list", action="store_true", help="counts and needs of each sweep")
    parser.add_argument("--names", action="store_true", help="the names of a sweep's variants")
    parser.add_argument("--families", action="store_true", help="one sentence for each family")
    parser.add_argument("--render", metavar="NAME", nargs="+", help="a family, and which variant")
    args = parser.parse_args(argv)
    if not (args.list or args.families or args.render or
            (args.sweep and (args.out or args.names))):
        parser.error("give --sweep and --out or --names, or --list, --families or --render")
    return args


def _read(args, name):
    env = environment.make(args.templates)
    return spec.load_sweep(env, spec.sweep_path(name, args.templates), args.templates), env


def _load(args, name):
    sweep, env = _read(args, name)
    return sweep, expand.expand(env, sweep), env


def _inputs(sweep, env):
    """Every file whose change may change a sweep: TOML, templates, and this program."""
    found = {sweep.file.path, *sweep.files, *env.loader.loaded}
    for loop in sweep.loops:
        found |= {loop.file.path, *loop.file.bases}
    for folder in (os.path.join(_ROOT, "generator"), os.path.join(_ROOT, "common")):
        found |= {os.path.join(folder, name) for name in os.listdir(folder)
                  if name.endswith(".py")}
    return sorted(map(os.path.abspath, found))


def _generate(args):
    sweep, variants, env = _load(args, args.sweep)
    written, removed = emit.emit(args.out, sweep, variants, _inputs(sweep, env))
    print(f"{len(variants)} variants, {written} sources written, {removed} removed")


def _list(args):
    names = sweep_names(args.templates) if args.sweep is None else [args.sweep]
    loaded = [_load(args, name)[:2] for name in names]
    print(f"{'sweep':16} {'variants':>8} {'none':>6} {'iopl':>6} {'cpl0':>6}  what it asks")
    for sweep, variants in loaded:
        needs = Counter(v.row["needs"] for v in variants)
        print(f"{sweep.name:16} {len(variants):8}", *(f"{needs[n]:6}" for n in expand.NEEDS),
              f" {sweep.summary}")


def _names(args):
    """The names that globs of --only and duplicates are compared with, also where none matches."""
    sweep, env = _read(args, args.sweep)
    variants = expand.originals(env, sweep)
    sys.stdout.writelines(f"{variant.name}\n" for variant in variants)
    sys.stdout.writelines(f"{copy.name}\n" for copy in expand.duplicates(sweep, variants))


def _families(args):
    """All families, or those of one sweep with counts; docs/popf_if.md holds this text."""
    counts = args.sweep and Counter(v.row["family"] for v in _load(args, args.sweep)[1])
    print(f"{'family':16} " + ("variants " if counts else "") + "what it asks")
    for name in counts or spec.families(args.templates):
        loops = f"{counts[name]:8} " if counts else ""
        summary = "a loop of the sweep's own"  # which may have no sentence
        if name in spec.families(args.templates):
            summary = spec.load_family(name, args.templates).data["summary"]
        print(f"{name:16} {loops}{summary}")


def _render(args):
    """A family alone with its own values; golden renders are made by this."""
    env = environment.make(args.templates)
    sweep = spec.family_alone(env, args.render[0], args.templates)
    variants = expand.expand(env, sweep)
    wanted = args.render[1] if len(args.render) > 1 else variants[0].name
    for variant in variants:
        if variant.name == wanted:
            sys.stdout.write(variant.text)
            return
    raise BadInput(args.render[0], f"no variant '{wanted}'",
                   known(wanted, [v.name for v in variants[:20]]))


def _limit_memory():
    """A template that asks for all memory gets an error instead. Returns the bytes it may have:
    ours, or fewer where whoever started us allows fewer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    least = min(limit for limit in (_MOST_MEMORY, soft, hard) if limit != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_AS, (least, hard))
    return least


def main(argv):
    args = _arguments(argv)
    memory = _limit_memory()
    try:
        if args.list:
            _list(args)
        elif args.names:
            _names(args)
        elif args.families:
            _families(args)
        elif args.render:
            _render(args)
        else:
            _generate(args)
    except BadInput as problem:
        print(f"generator: {problem}", file=sys.stderr)
        return 2
    except MemoryError:
        more = "" if memory == _MOST_MEMORY else ", or allow more (ulimit -v)"
        print(f"generator: {args.sweep}: needs over {memory / 2**30:.3g} GiB; narrow an axis{more}",
              file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    end("generator", main)
