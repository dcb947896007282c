# SPDX-License-Identifier: GPL-3.0-or-later
"""KVM on the emulated CPU's SVM and the guest engine on it (inside/kvm.sh).

Once with the CPU as it is, which the engine must not believe; once with an emulated CPU that
does not say so in CPUID, where the engine has to take every step that it takes on silicon.
"""

import pytest

from harness.run_files import measurements, only_measurement, table

# Instructions an iteration, dec and jnz included.
LOOPS = {"seed.cli27_sti1": 30, "seed.sti28": 30, "seed.cli_push_popf": 44,
         "seed.sti_push_popf": 44, "seed.push_popf": 30, "seed.push_popf_pair": 4,
         "seed.push_pop_pair": 4}
PRIVILEGED = {"seed.cli27_sti1", "seed.sti28", "seed.cli_push_popf", "seed.sti_push_popf"}


def test_kvm_runs_in_the_guest_and_cli_and_sti_really_change_if(nested_kvm):
    probe = nested_kvm.step("kvm_probe")
    assert probe.stderr == ""
    # Bit 1 of the flags is always set; bit 9 is IF.
    assert probe.stdout == "api 12\nflags 0x2\nflags 0x202\nend\n"
    assert probe.status == 0


def test_a_cpu_that_says_it_is_software_makes_nothing_real(nested_kvm):
    lines = nested_kvm.step("rings").stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == ["cpl0 emulated", "cpl3 emulated"]
    assert all("IF follows" in line and "TCGTCGTCGTCG" in line for line in lines)


def test_the_guest_engine_refuses_to_measure_on_an_emulated_cpu(nested_kvm):
    refused = nested_kvm.step("sweep")
    assert refused.status == 3
    assert "CPL0 is emulated" in refused.stderr
    assert "cannot be used: CPL0 is emulated" in nested_kvm.step("doctor").stdout


def test_the_gate_finds_if_real_at_both_rings_on_kvm(hidden_kvm):
    lines = hidden_kvm.step("rings").stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == ["cpl0 real", "cpl3 real"]
    assert all("after each of 8 transitions" in line for line in lines)


@pytest.mark.parametrize("variant, instructions", LOOPS.items())
def test_slices_at_cpl0_on_kvm_are_the_loops_instructions(hidden_kvm, variant, instructions):
    slices = table(hidden_kvm, "sweep", "samples", variant=variant)
    assert len(slices) == 20
    ticks = sorted((int(row["loop_2n"]) - int(row["loop_n"])) / int(row["n_loop"])
                   for row in slices)
    assert ticks[len(ticks) // 2] == pytest.approx(instructions, rel=0.001)


def test_no_emulated_time_becomes_a_cost(hidden_kvm):
    for variant in LOOPS:
        row = only_measurement(hidden_kvm, "sweep", variant=variant)
        assert (row["status"], row["value"]) == ("contended", "")
        assert (row["accel"], row["ring"]) == ("kvm", "0")
        assert row["privilege"] == ("real" if variant in PRIVILEGED else "not_needed")


@pytest.mark.parametrize("variant, status, detail", [
    ("faults", "faulted", "#UD"), ("hangs", "timed_out", "still running"),
    ("killed", "faulted", "system call 39")])
def test_a_bad_end_on_kvm_is_one_variants_status_alone(hidden_kvm, variant, status, detail):
    row = only_measurement(hidden_kvm, "sweep", variant=variant)
    assert (row["status"], row["value"]) == (status, "")
    assert detail in row["detail"]
    assert len(measurements(hidden_kvm, "sweep")) == len(LOOPS) + 3
