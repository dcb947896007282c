# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of the kernel: who may run them, what is refused by name, and a known chain."""

import os
import shutil

import pytest

from conftest import is_root, rows, run

CHAIN, QUICK = "kernel_chain.imul.count16", ("--blocks", "1", "--slices", "60")
# What the moment may say of it: no test judges how quiet the core is.
EXECUTED = {"ok", "unstable", "contended", "invalid_reference"}

pytestmark = pytest.mark.skipif(not shutil.which("bpf-as"), reason="bpf-as is not installed")


@pytest.fixture(scope="module")
def measured(builds, place):
    """Rows of summary.csv by variant, and those of measurements.csv."""
    folder = os.path.join(place, "kernel")
    run(builds("kernel_few"), "-o", folder, *QUICK)
    return ({row["variant"]: row for row in rows(folder, "summary.csv")},
            {row["variant"]: row for row in rows(folder, "measurements.csv")})


def needs_the_kernel(measured):
    """The row of the chain, where this machine lets us load programs at all."""
    row = measured[0][CHAIN]
    if row["status"] == "refused":
        assert "net.core.bpf_jit" in row["detail"] or "CAP_BPF" in row["detail"] or \
            "libbpf" in row["detail"] or "kernel" in row["detail"]
        pytest.skip(f"programs cannot be loaded here: {row['detail']}")
    return row


def test_a_known_chain_takes_its_cycles_at_cpl0(measured):
    row = needs_the_kernel(measured)
    assert (row["engine"], row["ring"], row["privilege"]) == ("bpf", "0", "real")
    assert row["mix"] == "16*imul+1*dec+1*jnz" and row["status"] in EXECUTED
    if row["status"] == "ok":
        assert float(row["value"]) == pytest.approx(48, rel=0.01)


def test_each_execution_says_where_its_loop_was(measured):
    needs_the_kernel(measured)
    row = measured[1][CHAIN]
    assert row["loop_address"].startswith("0xffff") and int(row["loop_bytes"]) > 64


def test_the_other_kind_goes_through_its_own_engine(measured):
    row = measured[0]["calibrator"]
    assert (row["engine"], row["ring"]) == ("perf", "3") and row["status"] in EXECUTED


def test_what_the_kernel_does_not_have_is_refused_by_name(measured):
    needs_the_kernel(measured)
    row = measured[0]["unknown"]
    assert (row["status"], row["value"]) == ("refused", "")
    assert "this kernel has no function bpf_no_such_function for programs" in row["detail"]


def test_what_would_keep_a_lock_is_refused_by_the_kernels_verifier(measured):
    needs_the_kernel(measured)
    row = measured[0]["unbalanced"]
    assert (row["status"], row["value"]) == ("refused", "")
    assert "not executed: the kernel's verifier: " in row["detail"]


def test_engine_bpf_executes_no_programs_of_processes(measured, builds, out):
    needs_the_kernel(measured)
    run(builds("kernel_few"), "-o", out, *QUICK, "--engine", "bpf", "--only", "calibrator")
    (row,) = rows(out, "summary.csv")
    assert (row["engine"], row["status"]) == ("bpf", "refused")
    assert row["detail"] == "not executed: no program of the kernel"


def test_without_the_right_each_row_names_what_it_needs(builds, out):
    if not is_root():
        pytest.skip("not root: cannot give up rights")
    before = ["setpriv", "--bounding-set=-all"]
    done = run(builds("kernel_few"), "-o", out, *QUICK, "--only", "kernel*,un*", before=before)
    found = rows(out, "summary.csv")
    assert {row["status"] for row in found} == {"refused"} and len(found) == 3
    assert all("needs root, or CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN" in row["detail"] or
               "net.core.bpf_jit" in row["detail"] for row in found)
    assert done.returncode == 3 and "predicted to have none here" in done.stderr
