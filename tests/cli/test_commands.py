# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that is a list of commands: it lists them, and names one that it does not have."""

import subprocess

import pytest

from conftest import PROVE, RUN

LISTS = {
    RUN: "usage: asmsweep-run COMMAND ...; --help after a command says more\n"
         "  run          measure the variants of a build directory\n"
         "  doctor       what can be measured here, and why not, each by trying\n"
         "  pack         write the variants of a build as a pack for the guest\n"
         "  lists        print the statuses, columns and quantities\n",
    PROVE: "usage: asmsweep-prove COMMAND ...; --help after a command says more\n"
           "  disassemble  write BUILD_DIR/proof.csv from BUILD_DIR/bin\n"
           "  guest        execute every variant in QEMU, count into BUILD_DIR/proof.csv\n",
}


def call(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("program", LISTS)
def test_help_lists_the_commands(program):
    for word in ("--help", "-h"):
        assert call(program, word) == (0, LISTS[program], "")


@pytest.mark.parametrize("program", LISTS)
def test_an_unknown_command_is_named_above_the_list(program):
    name = program.rsplit("/", 1)[1]
    assert call(program, "frob") == (2, "", f"{name}: no command 'frob'\n{LISTS[program]}")
    assert call(program) == (2, "", LISTS[program])


@pytest.mark.parametrize("program", LISTS)
def test_the_help_of_a_command_is_the_commands_own(program):
    command = LISTS[program].split("\n")[1].split()[0]
    status, printed, errors = call(program, command, "--help")
    assert (status, errors) == (0, "")
    assert printed.startswith(f"usage: {program.rsplit('/', 1)[1]} {command} ")
