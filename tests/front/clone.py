# SPDX-License-Identifier: GPL-3.0-or-later
"""The project's folder, and a clone of it to run the front in."""

import os
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLAIN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "dumb"}


def tree(folder):
    """Every file below a folder, relative to it."""
    return {os.path.relpath(os.path.join(where, name), folder)
            for where, _, names in os.walk(folder) for name in names}


def _not_of_the_project(folder, names):
    """What .gitignore names."""
    hidden = {"__pycache__", ".pytest_cache", ".git"} & set(names)
    if folder == ROOT:
        hidden |= {"build"} & set(names)
    return hidden | ({"data"} & set(names) if folder == os.path.join(ROOT, "results") else set())


class Clone:
    """A committed copy of the project in a folder whose path has spaces, and an empty home."""

    def __init__(self, folder):
        self.root = folder / "a clone of" / "asm sweep"
        self.home, self.cwd = folder / "home", folder / "user's place"
        shutil.copytree(ROOT, self.root, ignore=_not_of_the_project)
        self.home.mkdir()
        self.cwd.mkdir()
        for words in (["init", "-q"], ["add", "-A"],
                      ["-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-q",
                       "-m", "copy"]):
            subprocess.run(["git", "-C", self.root, *words], check=True, stdout=subprocess.DEVNULL)
        self.files = tree(self.root)

    def __call__(self, *arguments, redirect="", **environment):
        """Run the front as a careful user's script would: no terminal, umask 077. `redirect`
        is what a shell is to do with the standard streams."""
        return subprocess.run(["sh", "-c", f'exec "$@" {redirect}', "sh",
                               self.root / "asmsweep", *arguments], cwd=self.cwd, text=True,
                              env={**PLAIN, "HOME": str(self.home), **environment}, umask=0o077,
                              timeout=300, stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)

    def start(self, *arguments):
        """The same in the background, as a process group of its own."""
        return subprocess.Popen([self.root / "asmsweep", *arguments], cwd=self.cwd, text=True,
                                env={**PLAIN, "HOME": str(self.home)}, umask=0o077,
                                start_new_session=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
