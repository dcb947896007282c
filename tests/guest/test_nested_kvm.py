# SPDX-License-Identifier: GPL-3.0-or-later
"""KVM on the emulated CPU's SVM: real CLI and STI at CPL0, one level down (inside/kvm.sh)."""


def test_kvm_runs_in_the_guest_and_cli_and_sti_really_change_if(nested_kvm):
    probe = nested_kvm.step("kvm_probe")
    assert probe.stderr == ""
    # Bit 1 of the flags is always set; bit 9 is IF.
    assert probe.stdout == "api 12\nflags 0x2\nflags 0x202\nend\n"
    assert probe.status == 0
