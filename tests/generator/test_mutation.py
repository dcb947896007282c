# SPDX-License-Identifier: GPL-3.0-or-later
"""Built variants that are not what they claim: the proof names each difference."""

import csv
import os
import subprocess

import pytest
from conftest import PYTHON, ROOT

SWEEP = """summary = "s"
duplicates = ["m"]
[[loop]]
name = "m"
iterations = 1000
body = '''
        cld
        stc
        {disp8} mov (%rsp), %rcx
'''
claims = { mix = "1*cld + 1*stc + 1*mov", sequence = "cld; stc; mov 0x0(%rsp),%rcx", bytes = 7 }
"""

# what is changed: (text of the .s, its replacement, the detail that the proof must give)
MUTATIONS = {
    "mix": ("stc\n", "cmc\n", "mix: claimed 1*stc, found none, found 1*cmc, not claimed; "
            "order: instruction 2: claimed stc, found cmc"),
    "order": ("cld\n        stc\n", "stc\n        cld\n",
              "order: instruction 1: claimed cld, found stc"),
    "size": ("{disp8}", "{disp32}", "size: claimed 11, found 14"),
    "address": ("loop_begin:\n", ".nops 5\nloop_begin:\n", "address: claimed 0, found 5"),
    "count": (".long 1000\n", ".long 1001\n", "count: claimed 1000, found 1001"),
    "needs": ("variant_needs:  .long 0", "variant_needs:  .long 1",
              "needs: claimed none, found iopl"),
    "name": ('"m"', '"n"', "name: claimed m, found n"),
    "loop": ("        jnz     loop_begin\n", "        jz      loop_begin\n",
             "loop: it does not run from loop_begin to dec %eax; jnz; mix: claimed 1*jnz, "
             "found none, found 1*jz, not claimed; order: instruction 5: claimed jnz, found jz"),
    "target": ("        jnz     loop_begin\n", "        jnz     loop_begin + 1\n",
               "target: jnz goes to 0x800041, not to loop_begin 0x800040"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    prove = os.environ.get("ASMSWEEP_PROVE",
                           os.path.join(ROOT, "build/programs/bin/asmsweep-prove"))
    if not os.path.exists(prove):
        pytest.skip(f"{prove} is not built")
    folder = tmp_path_factory.mktemp("mutation")
    (folder / "m.toml").write_text(SWEEP)
    subprocess.run([PYTHON, "-B", f"{ROOT}/generator/build.py", "--sweep", str(folder / "m.toml"),
                    "--out", str(folder / "out"), "--prove", prove], check=True)
    return folder / "out"


def proof(built):
    done = subprocess.run(["ninja", "-C", str(built)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    with open(built / "proof.csv", newline="") as stream:
        return {row["variant"]: row for row in csv.DictReader(stream)}, done.stdout


def test_unchanged_it_is_ok(built):
    rows, _ = proof(built)
    assert [(r["status"], r["detail"]) for r in rows.values()] == [("ok", ""), ("ok", "")]
    assert rows["m"]["loop_sha256"] == rows["m.duplicate"]["loop_sha256"]
    assert rows["m"]["elf_sha256"] != rows["m.duplicate"]["elf_sha256"]


@pytest.mark.parametrize("what", MUTATIONS)
def test_the_proof_names_the_change(what, built):
    old, new, detail = MUTATIONS[what]
    source = built / "src/m.s"
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))
    rows, output = proof(built)
    source.write_text(text)
    assert (rows["m"]["status"], rows["m"]["detail"]) == ("mismatch", detail)
    assert f"m: mismatch: {detail}\n" in output
    duplicate = rows["m.duplicate"]["detail"]
    same_loop = rows["m"]["loop_sha256"] == rows["m.duplicate"]["loop_sha256"]
    assert duplicate == ("" if same_loop else "duplicate: its loop is not that of m")


@pytest.mark.parametrize("content", [b"", b"not an ELF file", None])
def test_a_damaged_binary_is_not_proved(content, built, prove):
    binary = built / "bin/m"
    good = binary.read_bytes()
    binary.write_bytes(good[:300] if content is None else content)
    done = subprocess.run([prove, "disassemble", "--strict", str(built)], capture_output=True,
                          text=True, check=False)
    binary.write_bytes(good)
    with open(built / "proof.csv", newline="") as stream:
        row = next(csv.DictReader(stream))
    assert done.returncode == 1 and "2 of 2 are not proved" in done.stderr
    assert "m.duplicate: mismatch: duplicate: there is no proof for its original m\n" in done.stderr
    assert row["status"] == "not_proved" and "bin/m: " in row["detail"]
    assert row["elf_sha256"] == row["loop_sha256"] == row["mix_found"] == ""


def test_a_file_that_objdump_refuses_costs_no_other_its_proof(built, prove):
    proof(built)
    binary = built / "bin/m"
    good = binary.read_bytes()
    assert good.count(b"\0.loop\0") == 1
    binary.write_bytes(good.replace(b"\0.loop\0", b"\0.looq\0"))
    subprocess.run([prove, "disassemble", str(built)], check=True, capture_output=True)
    binary.write_bytes(good)
    with open(built / "proof.csv", newline="") as stream:
        rows = {row["variant"]: row for row in csv.DictReader(stream)}
    assert rows["m"]["status"] == "not_proved"
    assert "bin/m: objdump cannot read it" in rows["m"]["detail"]
    assert rows["m.duplicate"]["mix_found"] == "1*cld+1*stc+1*mov+1*dec+1*jnz"


def test_without_objdump_the_old_proof_stays(built, prove):
    subprocess.run([prove, "disassemble", str(built)], check=True)
    before = (built / "proof.csv").read_text()
    done = subprocess.run([prove, "disassemble", "--objdump", "/nowhere/objdump", str(built)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "/nowhere/objdump: cannot be started" in done.stderr
    assert "install binutils" in done.stderr
    assert (built / "proof.csv").read_text() == before


def test_what_a_guest_counted_stays_with_the_binary(built, prove):
    rows, _ = proof(built)
    subprocess.run([prove, "disassemble", str(built)], check=True)
    path = built / "proof.csv"
    text = path.read_text().replace(",5,,,ok,", ",5,5,5,ok,")
    assert text.count(",5,5,5,ok,") == 2
    path.write_text(text)
    subprocess.run([prove, "disassemble", str(built)], check=True)
    assert path.read_text() == text
