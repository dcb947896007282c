# SPDX-License-Identifier: GPL-3.0-or-later
"""What the programs in Python have in common on the command line."""

import argparse
import contextlib
import errno
import importlib.util
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


def begin(program, jinja2=True):
    """Before the slow imports: an interruption from here on is one line, not a traceback. The
    front starts us with SIGINT blocked, so that one that came before waits for this, too.
    jinja2: whether the program ends here where that is missing."""
    signal.signal(signal.SIGINT, lambda number, frame: _interrupted(program))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if jinja2 and importlib.util.find_spec("jinja2") is None:
        sys.exit(f"{program}: Jinja2 is missing; install python3-jinja2 and use /usr/bin/python3")


def end(program, main):
    """Run main(argv) and end with its exit status; with 2 and one line if stdout takes no more.

    What is printed stays in a buffer until then, so that only here it can be seen to fail; and
    the interpreter would try once more on its way out. Where stdout is a pipe that is closed
    (`| head`), end as other programs do: silently.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        _open_streams()
        try:
            status = main(sys.argv[1:])
        finally:  # --help ends within main
            sys.stdout.flush()
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # all is done; the way out is silent
    except KeyboardInterrupt:
        _interrupted(program)
    except OSError as problem:
        remedy = "leave it open" if problem.errno == errno.EBADF else "give it a place with room"
        print(f"{program}: stdout: not all could be printed (files are complete); {remedy}: "
              f"{problem.strerror}", file=sys.stderr)
        status = 2
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


@contextlib.contextmanager
def interruption_raises():
    """For what must end a process of its own first. Not around more: KeyboardInterrupt in the
    middle of an import comes out as another exception, and in a destructor as a traceback."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _open_streams():
    """As common/program.c: a closed stream becomes one that cannot be written, which only who
    prints notices; else the next file that is opened would get its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_RDWR)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))


def _interrupted(program):
    """Die of the signal, so that a shell's loop around the program ends, too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.write(2, f"{program}: interrupted\n".encode())
    os.kill(os.getpid(), signal.SIGINT)
