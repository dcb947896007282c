# SPDX-License-Identifier: GPL-3.0-or-later
"""What the generator's programs have in common on the command line."""

import argparse
import signal


class Parser(argparse.ArgumentParser):
    """An argparse parser whose complaint is one line with the remedy, exit status 2."""

    def __init__(self, prog, description):
        super().__init__(prog=prog, description=description, allow_abbrev=False)

    def error(self, message):
        said = " ".join(message.removeprefix("argument ").split())
        self.exit(2, f"{self.prog}: {said}; --help lists the options\n")


def end_with_the_reader():
    """Where stdout is a pipe that is closed (`| head`), end as other programs do: silently."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
