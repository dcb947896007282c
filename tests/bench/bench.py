#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed, as ratios of one run on one machine.

    tests/bench/bench.py [--sizes 100,1000,10000] [--budget SECONDS] [--csv FILE] [--markdown FILE]

Needs the programs in build/programs. Every figure is measured by this call; "not reached"
counts as the whole budget. Nothing here passes or fails: speed is reported, not asserted.
"""

import argparse
import csv
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reach  # noqa: E402
from common import BIN, PERCENT, ROOT, run, timed  # noqa: E402

SWEEP = """summary = "bench: {count} loops"
limit = {count}
[[loop]]
name = "bench"
body = '''
<% for _ in range(k % 50 + 1) %>
        imul    %rbx, %rbx
<% endfor %>
        add     $<{{ k }}>, %rcx
'''
groups = 1
group = "imul %rbx,%rbx"
[loop.axes]
k = {{ from = 1, to = {count} }}
[loop.claims]
mix = "<{{ k % 50 + 1 }}>*imul + 1*add"
"""

PAGE = """# Speed

Printed by `tests/bench/bench.py --budget {budget:g}`, revision {revision}, on
{machine}.
Seconds hold for this machine and this hour; the ratios are of the same minutes.

- Building: the same sources, from nothing, by `cmake` and by a bare `xargs -P` loop of `as`
  and `ld`, one behind the other; the middle of the rounds.
- Time to +-0.5 %: from when on a method's 95 % interval stays within +-0.5 %, with the known
  cost inside; of asmsweep the middle of its runs, in each as many calls as it takes. A rival
  that is not there within {budget:g} s counts as if it were then: its ratio is a lower limit.

"""


def write_sweep(folder, count):
    path = os.path.join(folder, f"bench{count}.toml")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(SWEEP.format(count=count))
    return path


def configure(sweep, out):
    run(["cmake", "-S", ROOT, "-B", out, "-G", "Ninja", f"-DASMSWEEP_SWEEP={sweep}",
         f"-DASMSWEEP_PROVE={BIN}/asmsweep-prove"])


def bare_loop(source, out):
    """The same .s files through a bare xargs -P loop of as and ld: the yardstick."""
    os.makedirs(os.path.join(out, "bin"))
    names = sorted(name[:-2] for name in os.listdir(os.path.join(source, "src")))
    script = ('as -o "$1/$3.o" "$2/src/$3.s" && ld -static -no-pie -nostdlib --build-id=none '
              '-z noexecstack -z max-page-size=4096 -T "$LD_SCRIPT" -o "$1/bin/$3" '
              '"$2/run-time/all.o" "$1/$3.o"')
    environment = dict(os.environ, LD_SCRIPT=os.path.join(ROOT, "templates/variant/variant.ld"))
    command = ["xargs", "-P", str(os.cpu_count()), "-I", "{}", "sh", "-c", script, "sh", out,
               source, "{}"]
    subprocess.run(command, input="\n".join(names).encode(), env=environment, check=True)
    built = len(os.listdir(os.path.join(out, "bin")))
    if built != len(names):
        raise SystemExit(f"bench: the bare loop made {built} of {len(names)} binaries")


def build_once(folder, count, number):
    """Seconds of one round: generate and configure, build, the bare loop. All from nothing."""
    sweep, out = write_sweep(folder, count), build_folder(folder, count, number)
    generate = timed(lambda: configure(sweep, out))
    build = timed(lambda: run(["cmake", "--build", out]))
    bare = timed(lambda: bare_loop(out, os.path.join(folder, f"bare{count}-{number}")))
    return generate, build, bare


def build_folder(folder, count, number=0):
    return os.path.join(folder, f"build{count}-{number}")


def bench_build(folder, count):
    """Rows for one size: the middle of some rounds, and a build that has nothing to do. The bare
    loop runs right behind each build, so that both meet the same neighbours."""
    rounds = [build_once(folder, count, number) for number in range(9 if count <= 1000 else 3)]
    generate, build, bare = (statistics.median(times) for times in zip(*rounds))
    ratios = sorted((one + two) / yardstick for one, two, yardstick in rounds)
    out = build_folder(folder, count)
    wanted = "at most 1.3 is wanted; " if count >= 1000 else ""
    noop = min(timed(lambda: run(["cmake", "--build", out])) for _ in range(3))
    yield f"{count} variants: generate and configure", generate, "s", ""
    yield f"{count} variants: build with proof", build, "s", ""
    yield f"{count} variants: bare xargs -P loop of as and ld", bare, "s", ""
    yield (f"{count} variants: generate+build / bare loop", statistics.median(ratios), "ratio",
           f"{wanted}{len(ratios)} rounds, {ratios[0]:.3g} to {ratios[-1]:.3g}")
    yield f"{count} variants: build that has nothing to do", noop, "s", ""


def runner_memory(build, out, blocks):
    """Seconds and peak resident MiB of a run of all variants."""
    began = time.monotonic()
    pid = os.posix_spawn(f"{BIN}/asmsweep-run",
                         ["asmsweep-run", "run", build, "-o", out, "--blocks", str(blocks)],
                         os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, 1, 0),
                                                   (os.POSIX_SPAWN_OPEN, 2, os.devnull, 1, 0)])
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"bench: a run of {build} ended with {status}")
    return time.monotonic() - began, usage.ru_maxrss / 1024


def bench_runner(folder, count):
    build = build_folder(folder, count)
    few_seconds, few = runner_memory(build, os.path.join(folder, "few"), 2)
    many_seconds, many = runner_memory(build, os.path.join(folder, "many"), 10)
    yield (f"{count} variants: runner's time an execution", 1000 * (many_seconds - few_seconds)
           / (8 * count), "ms", "with statistics and syncing")
    yield f"{count} variants: runner's peak memory, 2 blocks", few, "MiB", ""
    yield f"{count} variants: runner's peak memory, 10 blocks", many, "MiB", ""


def bench_reach(folder, budget):
    """Time to a 95 % interval of +-0.5 % for fixed loops, three ways."""
    build = os.path.join(folder, "reach")
    configure("known_answers", build)
    run(["cmake", "--build", build])
    for variant in reach.VARIANTS:
        found = {name: method(build, variant, folder, budget)
                 for name, method in reach.METHODS.items()}
        ours = found["asmsweep"][0]
        for name, (seconds, note) in found.items():
            yield f"{variant}: time to +-{PERCENT} %, {name}", seconds, "s", note
        for name in reach.RIVALS:
            yield (f"{variant}: {name} / asmsweep", found[name][0] / ours, "ratio",
                   "at least 50 is wanted")


def machine():
    with open("/proc/cpuinfo", encoding="ascii") as stream:
        facts = dict(re.findall(r"^(.*\S)\s*: (.*)$", stream.read(), re.M))
    return (f"{facts['model name']} ({facts['vendor_id']} family {facts['cpu family']} model "
            f"{facts['model']} stepping {facts['stepping']}), {os.cpu_count()} CPUs")


def revision():
    """The commit, with a plus sign behind it if the tree differs."""
    return run(["git", "-C", ROOT, "describe", "--always", "--match=-", "--dirty=+"]).strip()


def write_markdown(path, rows, budget):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(PAGE.format(machine=machine(), revision=revision(), budget=budget))
        stream.write("| what | value | unit | note |\n|---|---:|---|---|\n")
        for what, value, unit, note in rows:
            stream.write(f"| {what} | {value:.3g} | {unit} | {note} |\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="100,1000,10000")
    parser.add_argument("--budget", type=float, default=60, help="seconds for each rival and loop")
    parser.add_argument("--csv")
    parser.add_argument("--markdown")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    folder, rows = tempfile.mkdtemp(prefix="asmsweep-bench-"), []

    def report(found):
        for row in found:
            rows.append(row)
            print(f"{row[0]}: {row[1]:.3g} {row[2]}{' (' + row[3] + ')' if row[3] else ''}",
                  flush=True)
    try:
        print(machine())
        for size in sizes:
            report(bench_build(folder, size))
        report(bench_runner(folder, sizes[0]))
        report(bench_reach(folder, options.budget))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.csv:
        with open(options.csv, "w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(("what", "value", "unit", "note"))
            writer.writerow(("machine and revision", "", "", f"{machine()}, {revision()}"))
            writer.writerows(rows)
    if options.markdown:
        write_markdown(options.markdown, rows, options.budget)
    ratios = [row[1] for row in rows if row[3].startswith("at least")]
    print(f"median of the time ratios: {statistics.median(ratios):.0f}")


if __name__ == "__main__":
    main()
