# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs on two kernels of one machine: what the kernels' own functions cost, side by side."""

import re

from synthetic import homogeneous, petition, write_run


def _text(tmp_path, solve, table, *runs):
    folders = []
    for number, loops in enumerate(runs):
        loops = [dict(row, run_id=f"run-{number + 1}") for row in loops]
        folders.append(write_run(tmp_path / f"{loops[0]['engine']}{number}", loops))
        solve(folders[-1])
    done = table(*folders)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def _pair(kernel, cycles, restores):
    return [homogeneous("irq", "bpf_spin_lock; bpf_spin_unlock", 8, 8 * cycles, engine="bpf",
                        ring="0", kernel=kernel, calls="bpf_spin_unlock: 1*sti+1*ret",
                        restores=restores)]


def test_kernels_whose_functions_were_called_are_a_column_each(tmp_path, solve, table):
    text = _text(tmp_path, solve, table, _pair("5.10.0-30-amd64", 60.0, "popf"),
                 _pair("6.18.5", 35.0, "sti"))
    assert "labelled kernel 5.10.0-30-amd64" in text and "labelled kernel 6.18.5" in text
    assert "kernel 5.10.0-30-amd64, which restores IF by POPF:" in text
    assert "kernel 6.18.5, which restores IF by a test, a branch and STI:" in text
    assert re.search(r"60\.00 \[.*35\.00 \[", text)


def test_one_kernel_and_loops_that_call_none_are_one_column(tmp_path, solve, table):
    for runs in ((_pair("6.18.5", 35.0, "sti"), _pair("6.18.5", 35.1, "sti")),
                 (petition(kernel="5.10.0-30-amd64"), petition(kernel="6.18.5"))):
        assert "labelled" not in _text(tmp_path, solve, table, *runs)
