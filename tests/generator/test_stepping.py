# SPDX-License-Identifier: GPL-3.0-or-later
"""Built loops, executed one instruction at a time: what is pushed, what is retired."""

import os
import subprocess

import pytest
import stepping
from conftest import PYTHON, ROOT

SWEEP = """summary = "s"
[[family]]
name = "rbx_chain"
[[family]]
name = "flags_chain"
[[family]]
name = "restore_nop"
"""
PUSH_RBX = 0x53


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stepping")
    (folder / "s.toml").write_text(SWEEP)
    subprocess.run([PYTHON, "-B", f"{ROOT}/generator/build.py", "--sweep", str(folder / "s.toml"),
                    "--out", str(folder / "out")], check=True)
    binaries = folder / "out" / "bin"
    try:
        next(stepping.steps(str(binaries / "flags_chain.links0.repeats4"), 1))
    except PermissionError as problem:
        pytest.skip(f"ptrace: {problem.strerror}")
    return binaries


def names(built, family):
    found = sorted(name for name in os.listdir(built) if name.startswith(family + "."))
    assert found
    return found


def pushed(path, iterations):
    """(saved flags, RBX at each PUSH %rbx of the loop)."""
    begin, code = stepping.loop_bytes(path)
    saved, found = None, []
    for registers in stepping.steps(path, iterations):
        saved = registers.rbx if saved is None else saved
        offset = registers.rip - begin
        if 0 <= offset < len(code) and code[offset] == PUSH_RBX:
            found.append(registers.rbx)
    return saved, found


def test_rbx_is_the_saved_flags_at_every_push_of_a_chain(built):
    for name in names(built, "rbx_chain"):
        saved, found = pushed(str(built / name), 2)
        assert saved & 0x202 == 0x202 and not saved & stepping.TF
        assert set(found) <= {saved}, name
        assert len(found) == (0 if ".nothing." in name else 8), name


def test_the_chain_through_the_flags_is_not_cut_by_the_loop(built):
    # The PUSHFQ of a stepped loop shows our TF. dec would leave another PF or ZF each time.
    for name in names(built, "flags_chain"):
        saved, found = pushed(str(built / name), 3)
        assert len(found) == 12
        assert len({value & ~stepping.TF for value in found}) == 1, name
        assert {value & ~(stepping.TF | 0x8d5) for value in found} == {saved & ~0x8d5}, name


def test_a_random_pattern_retires_what_is_claimed(built):
    name = "restore_nop.test.random"
    begin, code = stepping.loop_bytes(str(built / name))
    iteration, retired = 0, 0
    for registers in stepping.steps(str(built / name), 2000):
        iteration += registers.rip == begin
        retired += iteration > 1000 and begin <= registers.rip < begin + len(code)
    assert (iteration, retired / 1000) == (2000, 18.5)


def test_a_link_that_changes_rbx_is_seen(built, tmp_path):
    # The check above has to see what it is there for: add %rdx,%rbx becomes add %rbx,%rbx.
    path = tmp_path / "changed"
    data = (built / "rbx_chain.add.links1.popf.repeats4").read_bytes()
    first = data.index(bytes.fromhex("4801d3539d"))
    path.write_bytes(data[:first] + bytes.fromhex("4801db") + data[first + 3:])
    path.chmod(0o755)
    saved, found = pushed(str(path), 1)
    assert found[0] == 2 * saved
