# SPDX-License-Identifier: GPL-3.0-or-later
"""A group is spelt as the claimed mix is."""

import pytest

from generator import spelling


@pytest.mark.parametrize("group,mix,found", [
    ("addq $1, %rdx", "8*add", ("addq", "add")),
    ("incq %rdx", "8*inc", ("incq", "inc")),
    ("xorl %eax,%eax", "8*xor", ("xorl", "xor")),
    ("crc32q %rdx,%rdx", "8*crc32", ("crc32q", "crc32")),
    ("sal $1,%rdx", "8*shl", ("sal", "shl")),
    ("salq $1,%rdx", "8*shl", ("salq", "shl")),
    ("add $1,(%rbx)", "8*addq", ("add", "addq")),
    ("pushf; popf", "8*pushfq+8*popfq", ("pushf", "pushfq")),
    ("pushq %rbx; popfq", "8*push+8*popfq", ("pushq", "push")),
    ("cli; 4*lock addq $1,%rdx", "8*cli+32*lock add", ("lock addq", "lock add")),
    ("2*(rol $7,%rbx; rorq $7,%rbx)", "2*rol+2*ror", ("rorq", "ror"))])
def test_another_spelling_is_named_with_the_one_that_is_claimed(group, mix, found):
    assert spelling.misspelt(group, mix + "+1*dec+1*jnz") == found


@pytest.mark.parametrize("group,mix", [
    ("add $1,%rdx", "8*add"), ("lock incq (%rbx)", "8*lock incq"), ("27*cli; sti", "27*cli+1*sti"),
    ("rep movsb", "1*rep movsb"), ("4*(rol $7,%rbx; ror $7,%rbx)", "4*rol+4*ror"),
    ("nothing", ""), ("one step | of 100 % <b>", "8*add"), ("imul %rdx,%rdx", "8*add"),
    ("", "1*nop")])
def test_the_claimed_spelling_and_plain_words_are_left_alone(group, mix):
    assert spelling.misspelt(group, (mix + "+1*dec+1*jnz").lstrip("+")) is None
