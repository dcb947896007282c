# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine bpf on a newer kernel than Debian 12's (inside/bpf.sh): 6.12 has functions for
preemption and none for interrupts."""

from harness.run_files import only_measurement, table


def test_preemption_is_proved_and_run(newer_bpf):
    variant = "kernel_pair.preempt.count4.work0"
    row = table(newer_bpf, "as_root", "proof", variant=variant)[0]
    assert (row["native"], row["restores"]) == ("proved", "")
    assert row["calls"].startswith("bpf_preempt_disable: 1*incl+1*ret; bpf_preempt_enable: 1*decl")
    assert table(newer_bpf, "as_root", "samples", variant=variant) != []


def test_saving_interrupts_is_refused_by_name(newer_bpf):
    row = only_measurement(newer_bpf, "as_root", variant="kernel_pair.irq.count4.work0")
    assert row["status"] == "refused"
    assert "this kernel has no function bpf_local_irq_save" in row["detail"]


def test_its_functions_begin_with_endbr64(newer_bpf):
    variant = "kernel_pair.spin.count4.work0"
    row = table(newer_bpf, "as_root", "proof", variant=variant)[0]
    assert (row["native"], row["restores"]) == ("proved", "sti")
    assert row["calls"].startswith("bpf_spin_lock: 1*endbr64+1*call __bpf_spin_lock_irqsave")
