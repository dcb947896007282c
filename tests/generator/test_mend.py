# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sweep's own file has wrong and only its binaries show: one line, status 2, its place.

What is right is built, and the proof has each group as the disassembly spells it.
"""

import csv
import os
import shutil
import subprocess

import pytest
from conftest import PYTHON, ROOT


@pytest.fixture
def build(tmp_path, prove):
    """Build TOML text; gives (exit status, stderr, rows of proof.csv by variant)."""
    def run(text, **environment):
        (tmp_path / "s.toml").write_text('summary = "s"\n' + text)
        done = subprocess.run(
            [PYTHON, "-B", f"{ROOT}/generator/build.py", "--sweep", "s.toml", "--out", "out",
             "--prove", prove, "-j", "2"], capture_output=True, text=True, cwd=tmp_path,
            env={**os.environ, **environment}, timeout=300, check=False)
        rows = {}
        if (tmp_path / "out/proof.csv").exists():
            with open(tmp_path / "out/proof.csv", newline="") as stream:
                rows = {row["variant"]: row for row in csv.DictReader(stream)}
        return done.returncode, done.stderr, rows
    return run


def loop(name, body, **keys):
    lines = "".join(f"{key} = '''{value}'''\n" for key, value in keys.items())
    return f"[[loop]]\nname = '{name}'\n{lines}body = '''\n{body}'''\n"


SPELLINGS = {  # name: (group, body, how the proof spells it)
    "movzx": ("movzx %bl, %edx", "movzx %bl, %edx\n" * 4, "movzbl %bl,%edx"),
    "alone": ("movzx", "movzx %bl, %edx\n" * 4, "movzbl"),
    "lock": ("lock inc", "lock incq scratch(%rip)\n" * 4, "lock incq"),
    "locked": ("lock incq scratch(%rip)", "lock incq scratch(%rip)\n" * 4,
               "lock incq scratch(%rip)"),
    "intel": ("add rdx, 1", ".intel_syntax noprefix\n" + "add rdx, 1\n" * 4, "add $0x1,%rdx"),
    "memory": ("inc qword ptr [rsp]", ".intel_syntax noprefix\n" + "inc qword ptr [rsp]\n" * 4 +
               ".att_syntax\n", "incq (%rsp)"),
    "suffix": ("addq $1, %rdx", "add $1, %rdx\n" * 4, "add $0x1,%rdx"),
    "cmov": ("cmove %rbx, %rdx", "cmovz %rbx, %rdx\n" * 4, "cmovz %rbx,%rdx"),
    "flags": ("pushf; popf", "pushfq\npopfq\n" * 4, "pushfq; popfq"),
    "pair": ("sal %rdx; nop", "shl $1, %rdx\nnop\n" * 4, "shl %rdx; nop"),
    "string": ("rep stosq", "rep stosq\n" * 4, "rep stos %rax,%es:(%rdi)"),
    "label": ("lea 1f(%rip), %rdx", "lea 1f(%rip), %rdx\n" * 4 + "1:\n", "lea 1f(%rip), %rdx"),
    "both": ("mov; mov", "mov scratch, %rdx\nmov %rdx, scratch+8\n" * 4, "mov; mov"),
}


def test_any_spelling_that_the_assembler_takes_is_the_bodys(build):
    status, said, rows = build("".join(loop(name, body, group=group, groups=4)
                                       for name, (group, body, _) in SPELLINGS.items()))
    assert (status, said) == (0, "")
    assert {name: row["group"] for name, row in rows.items()} == {
        name: spelt for name, (_, _, spelt) in SPELLINGS.items()}


@pytest.mark.skipif(shutil.which("bpf-as") is None, reason="no bpf-as makes programs of the kernel")
@pytest.mark.parametrize("group,said", [
    ("bpf_rcu_read_lock; bpf_rcu_read_unlock", ""),
    ("bpf_rcu_read_lock; add %r14,%r14", "'add %r14,%r14' stands 0 times in the body, and not 4 "
     "times (groups = 4)"),
    ("bpf_rcu_read_lock", ""),
    ("2*bpf_rcu_read_lock", "stands 4 times in the body, and not 8"),
])
def test_a_program_of_the_kernel_holds_its_group(build, group, said):
    body = "call bpf_rcu_read_lock\ncall bpf_rcu_read_unlock\n" * 4
    status, told, rows = build(loop("x", body, group=group, groups=4, target="bpf")
                               .replace("groups = '''4'''", "groups = 4"))
    if said:
        assert status == 2 and said in told
    else:
        assert (status, told) == (0, "")
        assert rows["x"]["group"] == group


REMEDY = "; write instructions of the body, and in groups how often they stand there; variant x\n"


@pytest.mark.parametrize("group,body,said", [
    ("addq $1,%rdx", "add $1,%rdx\n" * 3, "'addq $1,%rdx' stands 3 times in the body, and not 4 "
     "times (groups = 4)"),
    ("imul %rbx,%rdx", "add $1,%rdx\n" * 4, "'imul %rbx,%rdx' stands 0 times in the body, and not "
     "4 times (groups = 4)"),
    ("the whole", "nop\n" * 4, "'the whole' is no instruction that the assembler takes and the "
     "body holds"),
    ("2*(nop", "nop\n" * 4, "'2*(nop' is no list of instructions"),
    ("mov", "mov %rbx,%rdx\nmov %rdx,scratch\n" * 2, "'mov' stands for operands of several kinds: "
     "2*mov %rbx,%rdx, 2*mov %rdx,0xa00000"),
])
def test_a_group_that_its_body_does_not_hold_is_one_line_with_its_place(build, group, body, said):
    status, stderr, _ = build(loop("x", body, group=group, groups=4))
    assert (status, stderr) == (2, f"build: s.toml:4: loop x: group: {said}{REMEDY}")


@pytest.mark.parametrize("key,place,said", [
    ("group", "templates/families/calibrator/family.toml:3: family calibrator: group: ", "2 times"),
    ("body", "templates/families/calibrator/loop.s.j2: family calibrator: counter: ", "'cltq'")])
def test_a_familys_mistake_is_named_in_its_own_files(tmp_path, prove, key, place, said):
    for folder in ("common", "generator", "templates"):
        shutil.copytree(f"{ROOT}/{folder}", tmp_path / folder)
    shutil.copy(f"{ROOT}/CMakeLists.txt", tmp_path)
    family = tmp_path / "templates/families/calibrator"
    loop, toml = family / "loop.s.j2", family / "family.toml"
    if key == "body":
        loop.write_text(loop.read_text().replace("<% block body %>\n",
                                                 "<% block body %>\n        cltq\n"))
    else:
        toml.write_text(toml.read_text().replace('group = "add %rbx,%rbx"',
                                                 'group = "2*add %rbx,%rbx"'))
    (tmp_path / "s.toml").write_text('summary = "s"\n[[family]]\nname = "calibrator"\n')
    done = subprocess.run([PYTHON, "-B", "generator/build.py", "--sweep", "s.toml", "--out", "out",
                           "--prove", prove], capture_output=True, text=True, cwd=tmp_path,
                          check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"build: {place}") and said in done.stderr


COUNTER = ("counter: '{}' writes what the loop counts in (dec {}), and the body does not put it "
           "back; put it back from a register that the body leaves alone, or count elsewhere: "
           'counter = "%r15" or "memory"; variant x\n')


@pytest.mark.parametrize("keys,body,writer,counter", [
    ({}, "mul %rbx\n", "mul %rbx", "%eax"), ({}, "rdtsc\n", "rdtsc", "%eax"),
    ({}, "mov %eax,%ebx\ncpuid\nmov %ebx,%eax\n", "cpuid", "%eax"),
    ({"counter": "%r15"}, "nop\nxor %r15d,%r15d\n", "xor %r15d,%r15d", "%r15")])
def test_a_body_that_takes_the_count_away_is_one_line(build, keys, body, writer, counter):
    status, stderr, _ = build(loop("x", body, **keys))
    assert status == 2 and stderr.count("\n") == 1
    assert stderr.endswith(": loop x: " + COUNTER.format(writer, counter))
    assert stderr.startswith(f"build: s.toml:{4 + len(keys)}: ")


FREED = {"mul": ("mul %rbx", 0), "div": ("div %rbx", 0), "rdtsc": ("rdtsc", 2),
         "cmpxchg": ("lock cmpxchg %rdx,(%rsi)", 5), "lahf": ("lahf", 1)}


def test_elsewhere_counted_loops_hold_what_writes_eax_and_end_at_their_count(build, tmp_path):
    text = "".join(loop(f"{name}-{where.strip('%')}", f"{one}\n", group=one, counter=where,
                        setup="xor %edx,%edx\nmov $3,%ebx\nmov $scratch,%esi\nmov $7,%eax\n")
                   for name, (one, _) in FREED.items() for where in ("%r15", "memory"))
    status, said, rows = build(text + loop("claimed", "nop\n", counter="memory", groups=1,
                                           group="nop") +
                               "claims = { sequence = 'nop', bytes = 1 }\n")
    assert (status, said) == (0, "")
    assert rows["mul-r15"]["order_found"] == "mul %rbx; dec %r15; jnz"
    assert rows["mul-memory"]["order_found"] == "mul %rbx; decq 0xa01040; jnz"
    assert {row["mix_found"].split("+", 1)[1] for row in rows.values()} == {"1*dec+1*jnz"}
    for name in rows:
        done = subprocess.run([tmp_path / "out/bin" / name, "12345"], capture_output=True,
                              text=True, check=False)
        assert (name, done.returncode, done.stdout) == (name, 0, "end 12345\n")


@pytest.mark.parametrize("setup,body,said", [
    ("", ".skip 2200000, 0x90", "loop too long: more than 2 MiB; take fewer copies"),
    ('.pushsection .loopdata,"aw",@nobits\nbig: .skip 3<<30\nfar: .skip 64\n.popsection',
     "mov far,%rbx", "relocation truncated to fit: R_X86_64_32S against `.loopdata'; what lies "
     "2 GiB away is reached by a register: movabs $NAME, %rsi"),
    (".lcomm big, 0x400000", "mov big,%rbx", 'section *; large data belongs into .pushsection '
     '.loopdata, "aw", @nobits'),
    ('.pushsection .loopdata,"aw"\nfive: .quad 5\n.popsection', "mov five,%rbx", "warning: "
     "section `.loopdata' type changed to PROGBITS; it holds no values: .pushsection .loopdata, "
     '"aw", @nobits, filled by setup')])
def test_what_the_linker_refuses_is_one_line_with_its_words(build, tmp_path, setup, body, said):
    status, stderr, _ = build(loop("x", body, setup=setup))
    first, _, last = said.partition("*")
    assert status == 2 and stderr.count("\n") == 1
    assert stderr.startswith("build: s.toml:3: loop x: out/src/x.s: the linker says: " + first)
    assert stderr.endswith(f"{last}; all is in {tmp_path}/out/build.log\n")


def test_data_of_gigabytes_is_built_and_reached_by_movabs(build):
    big = '.pushsection .loopdata,"aw",@nobits\nbig: .skip 3<<30\nfar: .skip 64\n.popsection\n'
    status, said, rows = build(loop("x", "mov (%rsi),%rbx\n", setup=big + "movabs $far,%rsi"))
    assert (status, said, rows["x"]["status"]) == (0, "", "ok")


def test_bytes_that_objdump_does_not_know_are_one_line(build):
    status, stderr, _ = build(loop("x", "nop\n.byte 0x06\n"))
    assert (status, stderr) == (
        2, "build: s.toml:4: loop x: bytes: objdump says (bad) at byte 1 of the loop; they are "
        "no instruction, or this objdump is too old for them: install newer binutils; variant x\n")


@pytest.mark.parametrize("name,version,said", [
    ("ld", "GNU gold (GNU Binutils for Debian 2.40) 1.16", "is not GNU ld"),
    ("ld", "Debian LLD 14.0.6 (compatible with GNU linkers)", "is not GNU ld"),
    ("objdump", "Debian LLVM version 14.0.6", "is not GNU objdump"),
    ("as", "GNU assembler (GNU Binutils) 2.30", "is too old")])
def test_tools_that_are_not_gnu_binutils_are_named(build, tmp_path, name, version, said):
    tool = tmp_path / "bin" / name
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\necho '{version}'\n")
    tool.chmod(0o755)
    status, stderr, _ = build(loop("x", "nop\n"), PATH=f"{tool.parent}:{os.environ['PATH']}")
    assert (status, stderr) == (
        3, f"build: {tool} ({version}) {said}; install GNU binutils 2.35 or newer, or name its "
        f"{name} by -DASMSWEEP_{name.upper()}=PATH of cmake\n")


def test_a_section_of_ones_own_is_none_that_is_touched(build):
    status, said, _ = build(loop("x", 'mov mine,%rbx\n.pushsection .mine,"aw",@nobits\n'
                                      "mine: .skip 65536\n.popsection"))
    assert status == 2 and said.count("\n") == 1
    assert said.startswith("build: s.toml:")
    assert ("loop x: section: .mine is writable, and no page of it is touched before the loop is "
            'timed; its data belongs into .pushsection .loopdata, "aw", @nobits') in said
