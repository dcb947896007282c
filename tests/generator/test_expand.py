# SPDX-License-Identifier: GPL-3.0-or-later
import csv
import io
import json
import os

import pytest
from conftest import ROOT, TEMPLATES
from generator import emit, environment, expand, shared, spec, surroundings

HEAD = 'summary = "s"\n[[loop]]\nname = "x"\nbody = "<{ repeat(\'nop\', a) }>"\n'


def loaded(name):
    return spec.load_sweep(environment.make(TEMPLATES), spec.sweep_path(name, TEMPLATES),
                           TEMPLATES)


def names(variants):
    return [v.name for v in variants]


def test_names_are_family_then_values(expand_text):
    variants = expand_text(HEAD + 'axes = { a = [1, 2], way = ["up", "down"] }\n')
    assert names(variants) == ["x.a1.up", "x.a1.down", "x.a2.up", "x.a2.down"]
    assert variants[1].row["parameters"] == "a=1;way=down;align_offset=0"


def test_ranges_hold_both_ends_and_mix_with_values(expand_text):
    assert names(expand_text(HEAD + "axes.a = [1, { from = 4, to = 12, step = 4 }]\n")) == [
        "x.a1", "x.a4", "x.a8", "x.a12"]


def test_values_compute_negative_numbers_and_such_with_a_point(expand_text):
    text = expand_text('summary = "s"\n[[loop]]\nname = "x"\nbody = "# <{ b }> <{ c }>"\n'
                       'axes.a = 5\nvalues = { b = "<{ -a }>", c = "<{ a / 10 }>" }\n')[0].text
    assert "# -5 0.5\n" in text


def test_a_program_of_the_kernel_claims_nothing_that_its_jit_decides(expand_text):
    (variant,) = expand_text(HEAD.replace('"<{ repeat(\'nop\', a) }>"', '"mul %r8, %r8"') +
                             'target = "bpf"\nprogram = "tc"\n'
                             'claims = { sequence = "imul %r14,%r14" }\n')
    assert {key: variant.row[key] for key in ("target", "sequence", "mix", "bytes_claimed", "watch",
                                              "address_claimed", "retired_expected")} == {
        "target": "bpf", "sequence": "imul %r14,%r14; dec %rbx; jnz", "watch": "",
        "mix": "1*imul+1*dec+1*jnz", "bytes_claimed": "", "address_claimed": "",
        "retired_expected": ""}
    assert '.section tc, "ax"' in variant.text and "mul %r8, %r8" in variant.text


def test_declared_calls_of_loop_and_sweep_stand_in_the_binary(expand_text):
    text = expand_text('syscalls = ["getpid", "getppid"]\n' + HEAD +
                       'syscalls = ["getpid", "read"]\naxes.a = 1\n')[0].text
    assert "variant_syscalls: .long 0, 39, 110, -1\n" in text
    assert "variant_syscalls" not in expand_text(HEAD + "axes.a = 1\n")[0].text


def test_a_mark_at_the_begin_of_a_file_is_no_text(expand_text):
    assert names(expand_text("\ufeff" + HEAD + "axes.a = 3\n")) == ["x.a3"]


def test_conditions_leave_combinations_out(expand_text):
    assert names(expand_text(HEAD + 'axes = { a = { from = 1, to = 9 } }\n'
                             'conditions = ["a % 2 == 0", "a > 4"]\n')) == ["x.a6", "x.a8"]


def test_an_offset_moves_the_loop_and_the_claim(expand_text):
    first, second = expand_text(HEAD + "axes = { a = 1, align_offset = [0, 17] }\n")
    assert (first.name, second.name) == ("x.a1", "x.a1.align_offset17")
    assert (first.row["address_claimed"], second.row["address_claimed"]) == (0, 17)
    assert ".nops" not in first.text and ".nops   17\n" in second.text


def test_a_duplicate_has_the_same_loop_and_another_name(expand_text):
    original, duplicate = expand_text('duplicates = ["x.*"]\n' + HEAD + "axes.a = 3\n")
    assert (duplicate.name, duplicate.row["duplicate_of"]) == ("x.a3.duplicate", "x.a3")
    assert duplicate.text == original.text.replace('"x.a3"', '"x.a3.duplicate"')
    assert original.row["duplicate_of"] == ""


def test_a_sweep_narrows_a_family_and_keeps_its_other_axes(expand_text):
    variants = expand_text('summary = "s"\n[[family]]\nname = "flag_bits"\n'
                           'axes = { bits = ["df"], pairs = [2] }\n')
    assert names(variants) == ["flag_bits.df.pairs2"]
    row = variants[0].row
    assert row["mix"] == "2*push+2*popfq+1*dec+1*jnz"
    assert row["sequence"] == "push %rbx; popfq; push %rcx; popfq; dec %eax; jnz"
    assert (row["bytes_claimed"], row["retired_expected"], row["groups"]) == (8, "6", 2)
    assert row["context"] == "if=1->1;bits=df"


def test_a_sweep_may_raise_the_limit(expand_text):
    text = HEAD.replace("a) }>", "1) }>") + "axes.a = { from = 1, to = 20001 }\n"
    assert len(expand_text("limit = 20001\n" + text)) == 20001


def test_what_is_not_claimed_is_empty(expand_text):
    row = expand_text('summary = "s"\n[[loop]]\nname = "x"\nbody = "nop"\n')[0].row
    assert [row[k] for k in ("mix", "sequence", "retired_expected", "bytes_claimed")] == [""] * 4


def test_evex_masks_and_comments_pass_through(expand_text):
    body = "vaddpd %zmm0, %zmm1, %zmm2{%k1}{z} # if {{ this }} {% stays %}"
    text = expand_text(f'summary = "s"\n[[loop]]\nname = "x"\nbody = """\n{body}\n"""\n')[0].text
    assert body in text


def test_a_key_of_the_context_without_value_is_left_out(expand_text):
    text = HEAD + "axes.a = [1, 2]\ncontext = { b = \"<{ 'x' if a > 1 else '' }>\", c = \"y\" }\n"
    assert [v.row["context"] for v in expand_text(text)] == ["c=y", "b=x;c=y"]


def test_retired_of_a_pattern_is_a_decimal_without_idle_zeros(expand_text):
    for claim, whole in (("14.50", "16.5"), ("14.0", "16"), ("14.503", "16.503")):
        row = expand_text(HEAD + f'axes.a = 1\nclaims.retired = "{claim}"\n')[0].row
        assert row["retired_expected"] == whole


def test_only_what_changed_is_written_and_stale_sources_go(expand_text, tmp_path):
    out = str(tmp_path / "b")
    variants = expand_text(HEAD + "axes.a = [1, 2, 3]\n")
    sweep = loaded(str(tmp_path / "sweep.toml"))
    assert emit.emit(out, sweep, variants, []) == (3, 0)
    (tmp_path / "b/src/notes.s").write_text("# mine\n")
    times = {v.name: os.stat(f"{out}/src/{v.name}.s").st_mtime_ns for v in variants}
    plan_time = os.stat(f"{out}/variants.csv").st_mtime_ns
    assert emit.emit(out, sweep, variants, []) == (0, 0)
    assert os.stat(f"{out}/variants.csv").st_mtime_ns == plan_time
    fewer = expand_text(HEAD.replace("nop", "cld") + "axes.a = [1, 2]\n")
    fewer = [variants[0], fewer[1]]
    assert emit.emit(out, sweep, fewer, []) == (1, 1)
    assert sorted(os.listdir(f"{out}/src")) == ["notes.s", "x.a1.s", "x.a2.s"]
    assert os.stat(f"{out}/src/x.a1.s").st_mtime_ns == times["x.a1"]
    assert os.stat(f"{out}/src/x.a2.s").st_mtime_ns != times["x.a2"]


def test_sweep_json_says_what_the_sweep_asks_and_where_a_users_own_file_is(tmp_path):
    (tmp_path / "sweep.toml").write_text(HEAD)
    found = [json.loads(shared.sweep_json(loaded(name)))
             for name in ("seed", str(tmp_path / "sweep.toml"))]
    assert [(told["sweep"], told["toml"]) for told in found] == \
        [("seed", ""), ("sweep", str(tmp_path / "sweep.toml"))]
    assert found[0]["summary"].startswith("The seven loops of the 2016")
    assert (found[1]["summary"], found[1]["title"], found[1]["questions"]) == ("s", "s", [])


def test_the_plan_is_rfc_4180_in_the_documented_columns(expand_text):
    text = emit.plan(expand_text(HEAD + 'axes.a = 1\ngroup = "a, \\"b\\""\n'))
    assert text.count("\r\n") == text.count("\n") == 2
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0]["group"] == 'a, "b"'
    page = open(os.path.join(os.path.dirname(__file__), "../../docs/interfaces.md")).read()
    section = page.split("## variants.csv")[1].split("##")[0]
    documented = [name for line in section.splitlines()[2:] if line.startswith("| ")
                  for name in line.split("|")[1].strip().split(", ")]
    assert list(rows[0]) == [name for name in documented if name not in ("column",)]


NOPS = 'summary = "s"\n[[loop]]\nname = "x"\nbody = "nop"\n'


def contexts(variants):
    return {v.name: v.row["context"] for v in variants}


@pytest.mark.parametrize("case, wanted", [
    ("operands", {"tp.reg": "form=reg", "tp.load": "form=load", "tp.store": "form=store"}),
    ("two_widths", {"bswap.w32": "width=w32", "bswap.w64": "width=w64"})])
def test_an_axis_that_does_not_scale_the_mix_separates(expand_text, case, wanted):
    with open(os.path.join(ROOT, f"tests/cases/{case}.toml"), encoding="utf-8") as stream:
        assert contexts(expand_text(stream.read())) == wanted


@pytest.mark.parametrize("keys, wanted", [
    # n scales; what the group, the order or a context tells apart needs no more words.
    ('axes = { n = [1, 2] }\ngroups = "<{ n }>"', {"x.n1": "", "x.n2": ""}),
    ('axes = { n = [1, 2] }\nclaims = { mix = "<{ n }>*nop" }', {"x.n1": "", "x.n2": ""}),
    ('axes = { op = ["nop", "cld"] }\ngroup = "<{ op }>"', {"x.nop": "", "x.cld": ""}),
    ('axes = { o = ["a", "b"] }\norder = "<{ o }>"', {"x.a": "", "x.b": ""}),
    ('axes = { n = [1, 2] }\ncontext = { k = "<{ n }>" }', {"x.n1": "k=1", "x.n2": "k=2"}),
    # The user's text pools what it names.
    ('axes = { n = [1, 2] }\ncontext = { n = "" }', {"x.n1": "", "x.n2": ""}),
    ('axes = { n = [1, 2], m = [3, 4] }\ncontext = { k = "<{ n }>" }\nconditions = ["m == n + 2"]',
     {"x.n1.m3": "k=1", "x.n2.m4": "k=2"}),
    # Two axes that only go together are pooled as one would be.
    ('axes = { n = [1, 2], m = [3, 4] }\nconditions = ["m == n + 2"]',
     {"x.n1.m3": "n=1;m=3", "x.n2.m4": "n=2;m=4"}),
    ('axes = { n = [1, 2], m = ["a", "b"] }\ngroups = "<{ n }>"',
     {"x.n1.a": "m=a", "x.n1.b": "m=b", "x.n2.a": "m=a", "x.n2.b": "m=b"}),
    ("axes = { align_offset = [0, 4] }", {"x": "align_offset=0",
                                          "x.align_offset4": "align_offset=4"})])
def test_what_would_be_pooled_is_told_apart_by_its_axes(expand_text, keys, wanted):
    assert contexts(expand_text(NOPS + keys + "\n")) == wanted


def test_a_count_in_memory_is_part_of_the_context_and_of_the_claims(expand_text):
    claims = '\nclaims = { sequence = "nop", bytes = 1 }\n'
    for counter, context, end, size in (("%eax", "", "dec %eax", 5), ("%r15", "", "dec %r15", 6),
                                        ("memory", "counter=memory", "decq 0xa01040", 11)):
        row = expand_text(NOPS + f'counter = "{counter}"' + claims)[0].row
        assert (row["context"], row["mix"], row["sequence"], row["bytes_claimed"]) == (
            context, "1*nop+1*dec+1*jnz", f"nop; {end}; jnz", size)


@pytest.mark.parametrize("text,watched", [
    ("nop; movb $0, divided", ""), ("  divl %ecx", "divider"), ("cltd; idivl %ecx", "divider"),
    ("1: vsqrtpd %ymm0, %ymm1", "divider"), ("DIV ecx", "divider"),
    ("div %ecx\nnop; .pushsection .loopdata", "both"),
    ("nop\n.pushsection .loopdata", "cache")])
def test_what_a_loop_does_is_watched_wherever_it_stands_in_a_line(text, watched):
    assert surroundings.watch_of(text) == watched
