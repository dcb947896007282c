# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body or a setup may do to the places where the time is taken."""

import os
import subprocess

import pytest
from test_build import clone, stamp  # noqa: F401


@pytest.mark.parametrize("setup,body", [("jmp 1f", "nop\n1: nop"),
                                        ("nop", "jmp loop_teardown_end")])
def test_a_jump_past_a_stamp_is_an_error(clone, setup, body):
    clone.build(f"summary = 's'\n[[loop]]\nname = 'x'\nsetup = '{setup}'\nbody = '''{body}'''\n")
    done = subprocess.run([clone.out / "bin/x", "1000"], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout) == (4, "error stamp\n")


def test_a_setup_that_leaves_intels_syntax_on_has_the_same_stamp(clone):
    clone.build("summary = 's'\n[[loop]]\nname = 'x'\n"
                "setup = '''.intel_syntax noprefix\nmov esi, ebx'''\nbody = 'mov esi, ebx'\n")
    assert clone.section("x").startswith("89de" + stamp(0x600000))
    assert clone.section("x").endswith("89deffc875fa" + stamp(0x600008))


def test_a_familys_setup_may_leave_intels_syntax_on(clone):
    folder = clone.root / "templates/families/intel"
    folder.mkdir()
    (folder / "family.toml").write_text("summary = 's'\ngroup = 'x'\n")
    (folder / "loop.s.j2").write_text(
        '<% extends "variant/variant.s.j2" %>\n<% block setup %>\n1: .INTEL_SYNTAX noprefix\n'
        "mov esi, ebx\n<% endblock %>\n<% block body %>\nmov esi, ebx\n<% endblock %>\n"
        "<% block teardown %>\n.intel_syntax noprefix\nmov esi, ebx\n<% endblock %>\n")
    clone.build("summary = 's'\n[[family]]\nname = 'intel'\n")
    assert clone.section("intel").startswith("89de" + stamp(0x600000))
    assert clone.section("intel").endswith("89deffc875fa" + stamp(0x600008) + "89de")


def test_a_loop_that_writes_gs_is_not_taken_for_interrupted(clone):
    clone.build("summary = 's'\n[[loop]]\nname = 'x'\nbody = 'mov %esi, %gs'\n"
                "setup = 'xor %esi, %esi'")
    said = subprocess.check_output([clone.out / "bin/x", "--stopwatch", "1"], text=True)
    assert said.split("\n")[0].endswith(" interrupts 0")


def test_a_loop_that_writes_fs_and_gs_does_not_trap(clone):
    clone.build("summary = 's'\n[[loop]]\nname = 'x'\nbody = 'mov %esi, %fs; mov %esi, %gs'\n"
                "setup = 'xor %esi, %esi'")
    said = subprocess.check_output([clone.out / "bin/x", "--stopwatch", "1"], text=True)
    assert said.split("\n")[0].endswith(" interrupts 0") and "note traps" not in said


def faults(program):
    """Minor page faults of one iteration."""
    with subprocess.Popen([program, "1"], stdout=subprocess.DEVNULL) as running:
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = status
    assert status == 0
    return usage.ru_minflt


@pytest.mark.parametrize("where", [".bss", ".data", ".comm", '.loopdata, "aw", @nobits'])
def test_all_memory_that_a_loop_has_is_touched(clone, where):
    place = (".comm buffer, <{ size }>" if where == ".comm" else
             f".pushsection {where}\nbuffer: .skip <{{ size }}>\n.popsection")
    clone.build(f"summary = 's'\n[[loop]]\nname = 'x'\naxes = {{ size = [4096, 524288] }}\n"
                f"setup = '''{place}'''\nbody = 'mov buffer, %rbx'\n")
    few, many = (faults(clone.out / f"bin/x.size{size}") for size in (4096, 524288))
    assert many - few > 100  # of 127 pages
