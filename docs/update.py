#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renew what the documents quote from the programs.

    docs/update.py            renew in place
    docs/update.py --check    change nothing; status 1 and a line for each that differs
    docs/update.py --measure  run the studies of docs/cookbook, into build/cookbook, and show those

A document holds `<!-- begin: COMMAND -->` ... `<!-- end -->`; what stands between is what COMMAND
prints, run in the project's folder. What a program prints as Markdown goes in as it is, all else
into a block. A command with DIR in it needs a run and is renewed only with `--run DIR`, one with
RUNS/NAME the run NAME of the folder that `--runs FOLDER` names. After COMMAND may stand
`(first N lines)`, or `(up to LINE)`.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ["README.md", "docs/reference.md", "docs/example.md", "docs/cookbook.md"]
_SECTION = re.compile(r"(<!-- begin: ([^\n]*?)"
                      r"(?: \((?:first (\d+) lines|up to ([^\n]*?))\))? -->\n)"
                      r"(.*?)(<!-- end -->\n)", re.S)


def word_for(word, args):
    """A word of a command, with the run that it stands for; None where that is not at hand."""
    if word == "DIR":
        return args.run and os.path.abspath(args.run)
    if not word.startswith("RUNS/"):
        return word
    path = os.path.join(os.path.abspath(args.runs), word[5:]) if args.runs else ""
    return path if os.path.exists(os.path.join(path, "summary.csv")) else None


def printed(command, lines, last, args):
    """The section's new text, or None where it is not available."""
    words = [word_for(word, args) for word in shlex.split(command)]
    if None in words:
        return None
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"docs/update.py: {command}: {done.stderr.strip()}")
    text = "\n".join(done.stdout.strip("\n").split("\n")[:lines])
    if last:
        text = text.split(f"\n{last}\n")[0].strip("\n")
    return f"{text}\n" if text.startswith("|") else f"```\n{text}\n```\n"


def measure():
    """The folder with a run of each study; one that is there is not made again."""
    folder = os.path.join(ROOT, "build", "cookbook")
    for name in sorted(os.listdir(os.path.join(ROOT, "docs", "cookbook"))):
        out = os.path.join(folder, name.removesuffix(".toml"))
        if not os.path.exists(os.path.join(out, "summary.csv")):
            subprocess.run([f"{ROOT}/asmsweep", "run", f"docs/cookbook/{name}", "-o", out],
                           cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
    return folder


def renew(page, args):
    """(old text, new text) of a page."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as stream:
        old = stream.read()

    def replace(section):
        text = printed(section[2], int(section[3]) if section[3] else None, section[4], args)
        return section[0] if text is None else section[1] + text + section[6]
    return old, _SECTION.sub(replace, old)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--run", metavar="DIR", help="the run whose table the README shows")
    parser.add_argument("--runs", metavar="FOLDER", help="runs of docs/cookbook, by their names")
    parser.add_argument("--measure", action="store_true", help="make those runs")
    args = parser.parse_args()
    if args.measure:
        args.runs = measure()
    status = 0
    for page in PAGES:
        old, new = renew(page, args)
        if old == new:
            continue
        if args.check:
            print(f"{page}: differs from what the programs print; run docs/update.py")
            status = 1
            continue
        with open(os.path.join(ROOT, page), "w", encoding="utf-8") as stream:
            stream.write(new)
    return status


if __name__ == "__main__":
    sys.exit(main())
