# SPDX-License-Identifier: GPL-3.0-or-later
"""What the generator's programs have in common on the command line."""

import argparse
import os
import signal
import sys


class Parser(argparse.ArgumentParser):
    """An argparse parser whose complaint is one line with the remedy, exit status 2."""

    def __init__(self, prog, description):
        super().__init__(prog=prog, description=description, allow_abbrev=False)

    def error(self, message):
        said = " ".join(message.removeprefix("argument ").split())
        self.exit(2, f"{self.prog}: {said}; --help lists the options\n")


def end(program, main):
    """Run main(argv) and end with its exit status; with 2 and one line if stdout takes no more.

    What is printed stays in a buffer until then, so that only here it can be seen to fail; and
    the interpreter would try once more on its way out. Where stdout is a pipe that is closed
    (`| head`), end as other programs do: silently.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if sys.stdout is None:  # closed: one that cannot be written, which only who prints notices
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w")
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = 130
    except OSError as problem:
        print(f"{program}: stdout: {problem.strerror}; give it a place with room",
              file=sys.stderr)
        status = 2
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
