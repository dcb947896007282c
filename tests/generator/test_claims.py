# SPDX-License-Identifier: GPL-3.0-or-later
import pytest

from generator import claims


@pytest.mark.parametrize("text, whole", [
    ("27*cli + 1*sti", "27*cli+1*sti+1*dec+1*jnz"),
    ("0*cli + 2*sti +", "2*sti+1*dec+1*jnz"),
    ("1*push + 1*popfq + 1*push", "2*push+1*popfq+1*dec+1*jnz"),
    ("1*dec", "2*dec+1*jnz"),
    ("2*lock addl", "2*lock addl+1*dec+1*jnz"),
    ("", "1*dec+1*jnz"),
])
def test_mix_is_merged_and_gets_dec_and_jnz(text, whole):
    assert claims.mix_text(claims.mix(text)) == whole


@pytest.mark.parametrize("text, whole", [
    ("27*cli; sti", "27*cli; sti; dec %eax; jnz"),
    ("2*(push %rbx; popfq)", "push %rbx; popfq; push %rbx; popfq; dec %eax; jnz"),
    ("2*(cli; 2*nop)", "cli; 2*nop; cli; 2*nop; dec %eax; jnz"),
    ("2*nop; nop", "3*nop; dec %eax; jnz"),
    ("lea  (%rbx, %rdx,1),%rbx", "lea (%rbx,%rdx,1),%rbx; dec %eax; jnz"),
    ("jmp *(%rax)", "jmp *(%rax); dec %eax; jnz"),
    ("0*(nop); sti", "sti; dec %eax; jnz"),
])
def test_sequence_is_written_out_in_runs(text, whole):
    assert claims.sequence_text(claims.sequence(text)) == whole


@pytest.mark.parametrize("body, whole", [(0, 4), (28, 32), (124, 128), (125, 133)])
def test_the_jump_back_is_near_once_short_does_not_reach(body, whole):
    assert claims.loop_bytes(body) == whole


@pytest.mark.parametrize("text", ["nop", "x*nop", "2*", "-1*nop", "2*NOP"])
def test_a_mix_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="COUNT"):
        claims.mix(text)


def test_unbalanced_and_huge_sequences_are_refused():
    with pytest.raises(ValueError, match="parentheses"):
        claims.sequence("2*(nop")
    with pytest.raises(ValueError, match="over 100000"):
        claims.sequence("999999999*nop")
