# SPDX-License-Identifier: GPL-3.0-or-later
"""From the text of an instruction to the text of its loops: operands, registers, chains."""

import os
import re
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)

from generator.instruction import bodies, chains, decode, expand, forms, rules, unit  # noqa: E402

pytestmark = pytest.mark.skipif(
    not os.path.exists(os.path.join(decode.programs(), "asmsweep-operands")),
    reason="asmsweep-operands is not built: no Zydis here")


def read(text, intel=False):
    found, = unit.read([(text, intel)])
    assert not isinstance(found, str), found
    return found


def lines(body, count):
    found = [line.strip() for line in body.text().splitlines()]
    return [line for line in found if not line.startswith(".")][:count]


def slots(text):
    return {slot.name: "".join(letter for letter, has in zip("frwbi", (
        slot.fixed, slot.read, slot.written, slot.base, slot.index)) if has)
        for slot in read(text).slots.values()}


@pytest.mark.parametrize("text, expected", [
    ("imul %rax, %rbx", {"rbx": "rw", "rax": "r"}),
    ("div %rcx", {"rcx": "r", "rax": "frw", "rdx": "frw"}),
    ("mov (%rax,%rcx,8), %rbx", {"rbx": "w", "rax": "b", "rcx": "i"}),
    ("lea 8(%rax,%rcx,8), %rbx", {"rbx": "w", "rax": "r", "rcx": "r"}),
    ("shl %cl, %rax", {"rax": "rw", "rcx": "fr"}),
    ("add $1000, %eax", {"rax": "rw"}),            # a shorter opcode for EAX, no other meaning
    ("xchg %rax, %rbx", {"rbx": "rw", "rax": "rw"}),
    ("mov %al, %bl", {"rbx": "rw", "rax": "r"}),   # Zydis: writes only; it keeps 56 bits
    ("sqrtsd %xmm0, %xmm1", {"xmm1": "rw", "xmm0": "r"}),
    ("movq %rax, %xmm0", {"xmm0": "w", "rax": "r"}),
    ("bsf %rax, %rbx", {"rbx": "rw", "rax": "r"}),
    ("cmovz %rax, %rbx", {"rbx": "rw", "rax": "r"}),
    ("vaddps %ymm0, %ymm1, %ymm2{%k1}", {"xmm2": "rw", "k1": "r", "xmm1": "r", "xmm0": "r"}),
    ("mov %rax, %rbx ; add %rbx, %rcx", {"rbx": "w", "rax": "r", "rcx": "rw"}),
])
def test_operands_are_what_is_read_and_written(text, expected):
    assert slots(text) == expected


def test_a_throughput_has_a_register_of_its_own_for_each_result():
    body = bodies.throughput(bodies.Maker(read("imul %rax, %rbx")))
    assert lines(body, 3) == ["imul %r13, %rax", "imul %r13, %rcx", "imul %r13, %rdx"]
    results = re.findall(r", %(\w+)$", "\n".join(lines(body, 12)), re.M)
    assert len(set(results)) == 12 and not {"rsp", "r13", "r14", "r15"} & set(results)
    assert body.copies % 12 == 0 and body.pure


def test_operands_in_memory_walk_within_one_line():
    body = bodies.throughput(bodies.Maker(read("mov -8(%rax), %ebx")))
    places = re.findall(r"([-+0-9]+)\(%r14\)", body.text())
    assert places[:3] == ["-8", "4+-8", "8+-8"] and places[16] == "-8"


def test_what_an_opcode_carries_on_is_cut_in_a_second_loop():
    maker = bodies.Maker(read("mul %rcx"))
    assert lines(bodies.throughput(maker), 2) == ["mul %r13", "mul %r13"]
    assert lines(bodies.throughput(maker, True), 2) == ["mov %r13, %rax", "mul %r12"]
    assert bodies.throughput(bodies.Maker(read("imul %rax, %rbx")), True) is None
    assert lines(bodies.throughput(bodies.Maker(read("adc %rax, %rbx")), True), 1) == \
        ["test %esp, %esp"]


@pytest.mark.parametrize("text, source, target, expected, back", [
    ("imul %rax, %rbx", "rbx", "rbx", ["imul %r13, %rax"] * 3, None),
    ("imul %rax, %rbx", "rax", "rbx",
     ["imul %rax, %rcx", "imul %rcx, %rdx", "imul %rdx, %rbx", "imul %rbx, %rax"], None),
    ("cmp %rax, %rbx", "rbx", "cf", ["cmp %r13, %rax", "adc $0, %rax"], ["adc $0, %rax"] * 2),
    ("setc %al", "cf", "rax",
     ["test %rdx, %rdx", "setc %al", "test %rax, %rax", "setc %cl"], None),
    ("movq %rax, %xmm0", "rax", "xmm0", ["movq %rax, %xmm0", "movq %xmm0, %rax"], None),
    ("mov (%rax), %rbx", "rax", "rbx",
     ["mov (%rax), %rcx", "mov (%rcx), %rdx", "mov (%rdx), %rbx"], None),
    ("add (%rax), %rbx", "rax", "rbx",
     ["add (%rbx), %rax", "xor %rax, %rbx", "xor %rax, %rbx", "add (%rbx), %rcx"],
     ["xor %r13, %rbx", "xor %r13, %rbx"]),
    ("mov %eax, 8(%rbx)", "rax", "memory", ["mov %eax, 8(%r14)", "mov 8(%r14), %eax"], None),
    ("mul %rcx", "rcx", "rdx", ["mov %r13, %rax", "mul %rcx", "lea (%rdx,%r12), %rcx"],
     ["lea (%rcx,%r13), %rcx"]),
    ("div %rcx", "rax", "rax",
     ["mov %r12, %rdx", "div %r13", "and %r11, %rax", "or %r10, %rax"],
     ["and %r12, %rax", "or %r11, %rax"]),
    ("vaddps %ymm0, %ymm1, %ymm2", "xmm1", "xmm2",
     ["vaddps %ymm15, %ymm0, %ymm1", "vaddps %ymm15, %ymm1, %ymm2"], None),
    ("adc %rax, %rbx", "cf", "cf", ["adc %r13, %rax", "adc %r13, %rcx"], None),
    ("lock incl (%rax)", "memory", "memory", ["lock incl (%r14)"] * 3, None),
])
def test_a_latency_is_a_chain_between_two_operands(text, source, target, expected, back):
    one = read(text)
    names = {slot.name: slot.key for slot in one.slots.values()}
    names.update({flag: ("flag", flag) for flag in bodies.FLAGS}, memory=("memory", ""))
    pair = names[source], names[target]
    assert pair in bodies.pairs(one)
    build = chains.Build(bodies.Maker(one), *pair)
    assert [re.sub(r",\s*(?![^(]*\))", ", ", line)
            for line in lines(build.chain(), len(expected))] == expected
    alone = build.back()
    assert (alone and lines(alone, len(back or ()))) == back


def test_a_chain_has_a_second_loop_with_two_links_more():
    build = chains.Build(bodies.Maker(read("imul %rax, %rbx")), ("gpr", 3), ("gpr", 3))
    assert lines(build.chain(link=True), 3) == \
        ["lea (%rax,%r12), %rax", "lea (%rax,%r12), %rax", "imul %r13, %rax"]
    memory = chains.Build(bodies.Maker(read("lock incl (%rax)")), ("memory", ""), ("memory", ""))
    assert memory.chain(link=True) is None


def test_what_moves_the_stack_gets_it_back_in_each_iteration():
    body = bodies.throughput(bodies.Maker(read("pop %rax")))
    assert body.setup[-2:] == ["lea -8192(%rsp), %r13", "mov %r13, %rsp"]
    assert lines(body, 2) == ["pop %rax", "pop %rcx"]
    assert lines(body, body.copies + 1)[-1] == "mov %r13, %rsp"
    assert body.teardown == ["lea 8192(%r13), %rsp"] and not body.pure


def test_intel_and_att_make_the_same_loop_in_their_spelling():
    intel = bodies.throughput(bodies.Maker(read("imul rbx, [rax+8]", intel=True)))
    assert intel.text().split() == [".intel_syntax", "noprefix", *" ".join(
        f"imul {name}, [{place}r14+8]" for place, name in zip(
            [f"{8 * k % 64}+" if k % 8 else "" for k in range(intel.copies)],
            ["rax", "rcx", "rdx", "rbx", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12",
             "r13"] * intel.copies)).split(), ".att_syntax", "prefix"]


def test_a_users_values_go_to_all_that_stands_for_their_registers():
    maker = bodies.Maker(read("imul %rax, %rbx"), init="mov $7, %eax ; mov $9, %ebx")
    body = bodies.throughput(maker)
    text = body.setup
    init = text.index("mov $7, %eax ; mov $9, %ebx")
    saved = {line.split(", ")[0].split()[1]: line.split(", ")[1] for line in text[init:]
             if re.fullmatch(r"mov %r[ab]x, \d+\(%r14\)", line)}
    assert f"mov {saved['%rax']}, %r13" in text[init:]
    assert f"mov {saved['%rbx']}, %r12" in text[init:]


def test_forms_are_spelt_as_published_lists_do():
    assert [forms.of(read(text)) for text in (
        "imul %rax, %rbx", "shl %cl, %eax", "vaddps (%rax), %ymm1, %ymm2", "add $1, %ax",
        "lock incl (%rax)")] == ["IMUL r64, r64", "SHL r32, cl", "VADDPS ymm, ymm, [m256]",
                                 "ADD r16, imm8", "LOCK INC [m32]"]


@pytest.mark.parametrize("form, text", [
    ("IMUL r64, r64", "imul rbx, rax"), ("ADD r1_32, r1_32", "add ebx, ebx"),
    ("VPSUBQ xmm1, xmm1, xmm2", "vpsubq xmm1, xmm1, xmm2"), ("SHL r32, cl", "shl ebx, cl"),
    ("ADD r64, [m64 + 4]", "add rbx, qword ptr [rdx + 4]"), ("MOV r16, imm16", "mov bx, 300"),
    ("VADDPS xmm {k}, xmm, xmm", "vaddps xmm1{k1}, xmm2, xmm3"), ("SHR r8, 1", "shr bl, 1"),
    ("CVTPD2DQ xmm, xmm + CVTDQ2PD xmm, xmm", "cvtpd2dq xmm1, xmm2; cvtdq2pd xmm3, xmm4"),
    ("imul %rax, %rbx", None), ("MOVUPS LS pair", None), ("add rax, rbx", None)])
def test_a_form_becomes_a_text(form, text):
    assert forms.text_of(form) == text


def test_what_cannot_be_measured_is_refused_with_its_class():
    assert rules.refusal(read("wrmsr").instructions) == "wrmsr is privileged"
    assert "I/O privilege" in rules.refusal(read("cli").instructions)
    assert "enters the kernel" in rules.refusal(read("syscall").instructions)
    wide = read("vpaddq %ymm0, %ymm1, %ymm17").instructions
    assert rules.lacking(wide, {"avx512f"}) == ["avx512vl"]
    assert rules.lacking(wide, {"avx512f", "avx512vl"}) == []


def test_wrong_text_is_told_for_each():
    found = unit.read([("foo %rax", False), ("nop", False), ("imul %rax, %xmm1", False)])
    assert found[0] == "no such instruction: `foo %rax'"
    assert found[1].mnemonics == ["nop"]
    assert "operand" in found[2]


def test_a_group_is_told_where_the_proof_can_count_it(expand_text):
    variants = expand_text(
        'summary = "i"\n[[instruction]]\nform = ["mov %rax,(%rbx); mov (%rbx),%rcx", '
        '"pushfq; popfq", "nop"]\nminus = "nop"\nask = ["throughput"]\n')
    assert {v.name: v.row["group"] for v in variants if v.name.endswith(("throughput", "minus"))} \
        == {"mov_rax_rbx_mov_rbx_rcx-throughput": "mov_rax_rbx_mov_rbx_rcx-throughput",
            "mov_rax_rbx_mov_rbx_rcx-minus": "mov_rax_rbx_mov_rbx_rcx-minus",
            "pushfq_popfq-throughput": "pushfq_popfq-throughput",
            "pushfq_popfq-minus": "pushfq_popfq-minus", "nop-throughput": "nop",
            "nop-minus": "nop-minus"}


def test_values_of_a_register_are_an_axis(expand_text):
    variants = expand_text('summary = "i"\n[[instruction]]\nform = "div %rcx"\n'
                           'ask = ["throughput"]\nvalues = { rcx = [3, 70000] }\n')
    assert [v.name for v in variants] == ["div_rcx-independent.rcx3",
                                          "div_rcx-independent.rcx70000"]
    assert "mov $70000, %rcx" in variants[1].text and "mov $3, %rcx" in variants[0].text
    found = expand.expand([expand.Asked(["div %rcx"], values={"rcx": [3, 70000]},
                                        questions=("throughput",))])
    assert [(row["values"], row["loops"][0]["variant"]) for row in found.answers] == \
        [({"rcx": 3}, "div_rcx-independent.rcx3"), ({"rcx": 70000}, "div_rcx-independent.rcx70000")]


def test_a_ring_through_memory_goes_on_where_it_ended(expand_text):
    variants = expand_text('summary = "i"\n[[instruction]]\nform = "mov (%rax), %rbx"\n'
                           'memory = "64K:random"\n')
    assert [v.name for v in variants] == ["mov_rax_rbx-rax-rbx", "mov_rax_rbx-rax-rbx-link"]
    text = variants[0].text
    assert "chase: .skip 65536" in text and "and $1023, %rax" in text
    setup, rest = text.split("loop_begin:")
    assert "mov chase_position, %rax" in setup and "mov %rax, chase_position" in rest
    first, last = re.findall(r"mov \(%(\w+)\), %(\w+)", rest)[::len(re.findall(
        r"mov \(%", rest)) - 1]
    assert first[0] == last[1] == "rax" and variants[0].row["watch"] == "cache"


@pytest.mark.parametrize("text, memory", [
    ("64K", ((65536, ""), False)), ("1M:cold", ((1 << 20, ""), True)),
    ("4096:random", ((4096, "random"), False)), ("", (None, False))])
def test_sizes_of_memory(text, memory):
    assert expand.memory_of(text) == memory


@pytest.mark.parametrize("text", ["63M", "2G", "1K", "64M:warm", "M", "64 M"])
def test_other_sizes_are_refused(text):
    with pytest.raises(ValueError, match="no size of memory"):
        expand.memory_of(text)


def test_the_random_ring_reaches_every_line():
    from generator.instruction import setup
    for count in (64, 1024, 65536):
        seen, at = set(), 0
        while at not in seen:
            seen.add(at)
            at = (at * setup._FACTOR + 1) & (count - 1)
        assert len(seen) == count


def test_a_sweep_has_the_loops_and_the_answers(expand_text):
    variants = expand_text('summary = "i"\n[[instruction]]\nform = "imul %rax, %rbx"\n'
                           'ask = ["throughput"]\nunroll = 24\n')
    assert [v.name for v in variants] == ["imul_rax_rbx-throughput"]
    assert variants[0].row["groups"] == 24 and variants[0].row["group"] == "imul %rax, %rbx"
    assert variants[0].text.count("imul") == 24 + 1  # and its name
    assert [v.row["group"] for v in expand_text(
        'summary = "i"\n[[instruction]]\nform = ["imul r64, r64", "ADD r8, [m8]"]\n'
        'ask = ["throughput"]\n')] == ["imul rbx, rax", "add bl, byte ptr [rdx]"]
    found = expand.expand([expand.Asked(["cli"])])
    assert found.entries == {} and "privileged" in found.answers[0]["refused"]


def test_a_high_byte_keeps_its_register():
    found = expand.expand([expand.Asked(["mov %ah, %bl", "add %ch, %dh"])])
    assert not found.wrong and len(found.entries) > 2
    for name, entry in found.entries.items():
        if not name.endswith("-back"):
            assert ("%ah, %bl" if name.startswith("mov") else "%ch, %dh") in entry["body"]


def test_a_percent_sign_before_a_register_is_taken_in_intel_syntax_too():
    unit_ = read("mov %rax, %rbx", intel=True)
    assert unit_.rendered({("gpr", 0): 8}) == "mov %r8, %rbx"


@pytest.mark.parametrize("text", [".byte 0x90", "nop; .include \"/dev/zero\"", "1: .rept 1 << 40",
                                  "nop\n .incbin \"/etc/passwd\""])
def test_a_directive_never_reaches_the_assembler(text):
    said, = decode.decode([(text, False)])
    assert said.endswith(" is a directive, no instruction")
    rows, = decode.decode([(".L1: dec %rax ; jz .L1", False)])
    assert [row["mnemonic"] for row in rows] == ["dec", "jz"]


def test_what_is_taken_off_may_be_refused_too():
    answer, *_ = expand.expand([expand.Asked(["nop"], minus="cli")]).answers
    assert answer["refused"].startswith("cli: privileged")
