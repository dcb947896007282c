# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine bpf on Debian 12's 6.1 (inside/bpf.sh). Times under emulation mean nothing; what was
loaded, refused and seen does."""

from harness.run_files import only_measurement, table

SPIN = "kernel_pair.spin.count4.work0"


def test_the_probe_loads_a_program_and_says_so(bpf):
    told = bpf.step("doctor").stdout.split("engine bpf: ")[1].split("engine ")[0]
    assert told.splitlines()[1] == "  usable"


def test_what_this_kernel_lacks_is_refused_by_name(bpf):
    for pair, function in (("irq", "bpf_local_irq_save"), ("preempt", "bpf_preempt_disable")):
        row = only_measurement(bpf, "as_root", variant=f"kernel_pair.{pair}.count4.work0")
        assert (row["status"], row["value"]) == ("refused", "")
        assert row["detail"].endswith(f"this kernel has no function {function} for programs")


def test_a_lock_of_this_kernel_saves_with_pushf_and_cli_and_restores_with_sti(bpf):
    row = table(bpf, "as_root", "proof", variant=SPIN)[0]
    assert (row["native"], row["restores"]) == ("proved", "sti")
    assert row["native_mix"] == ("8*mov+4*call bpf_spin_lock+4*call bpf_spin_unlock"
                                 "+1*sub+1*test+1*jnz")
    parts = dict(part.split(": ") for part in row["calls"].split("; "))
    assert parts["bpf_spin_lock"] == "1*call __bpf_spin_lock_irqsave+1*xor+1*ret"
    assert "1*pushfq" in parts["__bpf_spin_lock_irqsave"]
    assert "1*cli" in parts["__bpf_spin_lock_irqsave"]
    # One CPU: the kernel patched the lock prefix away.
    assert "1*ds cmpxchg" in parts["__bpf_spin_lock_irqsave"]
    assert "1*sti" in parts["__bpf_spin_unlock_irqrestore"]


def test_the_listing_has_the_live_bytes(bpf):
    listing = bpf.step("as_root").files[f"run/code/{SPIN}.txt"]
    shown = listing.split("\nFurther: ")[0]
    assert "The loop as the kernel's JIT made it\n\nloop at 0xffffffffc" in shown
    assert shown.count(" call bpf_spin_lock\n") == 4
    assert "  fa                                  cli\n" in shown
    assert "  fb                                  sti\n" in shown


def test_a_program_was_loaded_and_run(bpf):
    row = only_measurement(bpf, "as_root", variant=SPIN)
    assert (row["engine"], row["ring"], row["privilege"]) == ("bpf", "0", "real")
    assert (row["status"], row["value"]) == ("contended", "")  # an emulated core has no width
    assert int(row["loop_address"], 16) >= 0xffffffffc0000000
    assert row["restores"] == table(bpf, "as_root", "summary", variant=SPIN)[0]["restores"] == "sti"
    assert table(bpf, "as_root", "samples", variant=SPIN) != []


def test_an_ordinary_user_is_told_what_it_needs(bpf):
    step = bpf.step("ordinary")
    assert step.status == 3
    assert "CAP_BPF" in step.stderr and step.stderr.count("\n") == 1


def test_a_locked_down_kernel_says_so(bpf):
    step = bpf.step("locked")
    assert step.status == 3
    assert "locked down" in step.stderr and step.stderr.count("\n") == 1
