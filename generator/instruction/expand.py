# SPDX-License-Identifier: GPL-3.0-or-later
"""[[instruction]] of a sweep: its loops, as [[loop]] would have them, and which of them answer
which question.

An answer is a dict, a line of what `cost` prints: text (of the unit), form, question (throughput or
latency), from and to (of a latency), how, and loops: [{variant, copies}], of which the quickest
counts; back: {variant, copies}, whose cost is subtracted; linked: the chain with a link more;
round_trip; refused: why there is no loop.
"""

import itertools
import re
from dataclasses import dataclass, field

from generator.instruction import bodies, chains, forms, rules, unit as units

QUESTIONS = ("throughput", "latency")
_MEMORY = re.compile(r"(\d{1,10})([KkMmGg]?)(?::(cold|random))?")
_LONGEST = 40  # characters of a loop's name that tell the instruction


@dataclass
class Asked:
    """What one entry of a sweep asks."""
    texts: list
    intel: bool = False
    questions: tuple = QUESTIONS
    init: str = ""
    unroll: int = 0
    minus: str = ""
    values: dict = field(default_factory=dict)  # {64-bit register: values}, an axis each
    memory: str = ""  # SIZE, SIZE:cold, SIZE:random; checked by memory_of


@dataclass
class Expanded:
    """entries: [[loop]] tables by name, in order; answers: see above; wrong: texts that are no
    instructions, as (index of the asked, text, what the assembler says)."""
    entries: dict = field(default_factory=dict)
    answers: list = field(default_factory=list)
    wrong: list = field(default_factory=list)


def expand(asked):
    """The Expanded of a list of Asked."""
    found = Expanded()
    texts = [(index, text, one.intel) for index, one in enumerate(asked)
             for text in (*one.texts, *filter(None, [one.minus]))]
    read = dict(zip(texts, units.read([(text, intel) for _, text, intel in texts])))
    found.wrong = [(index, text, said) for (index, text, _), said in read.items()
                   if isinstance(said, str)]
    for index, one in enumerate(asked if not found.wrong else ()):
        minus = read.get((index, one.minus, one.intel))
        for text in one.texts:
            _Loops(found, one, read[index, text, one.intel]).add(minus)
    return found


def memory_of(text):
    """((bytes, order) or None, whether it is cold) of SIZE, SIZE:cold or SIZE:random; ValueError
    where it is none. SIZE: 4K to 1G, a power of two."""
    if not text:
        return None, False
    match = _MEMORY.fullmatch(text)
    size = int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2].upper()] if match else 0
    if not 4096 <= size <= 1 << 30 or size & (size - 1):
        raise ValueError(f"'{text}' is no size of memory: a power of two from 4K to 1G, with "
                         ":cold or :random behind it")
    return (size, "random" if match[3] == "random" else ""), match[3] == "cold"


class _Loops:
    """The loops of one unit."""

    def __init__(self, found, asked, unit):
        self.found, self.asked, self.unit = found, asked, unit
        init = " ; ".join(filter(None, [asked.init, *(_given(name, asked.intel)
                                                      for name in asked.values)]))
        self.maker = bodies.Maker(unit, init, asked.unroll, memory_of(asked.memory)[0])
        self.slug = _slug(unit.text)
        number = 2
        while any(name.startswith(self.slug + "-") for name in found.entries):
            self.slug = f"{_slug(unit.text)[:_LONGEST - 3]}_{number}"
            number += 1

    def add(self, minus):
        why = ""
        for unit in filter(None, (minus, self.unit)):
            why = rules.refusal(unit.instructions) or why
            lacking = rules.lacking(unit.instructions)
            if lacking:
                why = f"this CPU has no {', '.join(lacking)}"
        if why:
            self._answer(self.asked.questions[0], refused=why)
            return
        if "throughput" in self.asked.questions and not self.asked.memory:
            self._throughput(minus)
        if "latency" in self.asked.questions and self.unit.rules.get("latency", True):
            for source, target in bodies.pairs(self.unit):
                self._latency(source, target)

    def _throughput(self, minus):
        answer, loops, how = {}, [], []
        try:
            for name, independent in (("throughput", False), ("independent", True)):
                body = bodies.throughput(self.maker, independent)
                if body:
                    loops.append(self._loop(name, body, {"of": "throughput", "loop": name}))
                    how.append(body.how)
            if minus:
                other = bodies.Maker(minus, self.maker.init, self.asked.unroll)
                body = bodies.throughput(other) or bodies.throughput(other, True)
                answer["minus"] = minus.text
                answer["back"] = self._loop("minus", body, {"of": "throughput", "loop": "minus"})
        except bodies.NoLoop as why:
            answer["refused"] = str(why)
        self._answer("throughput", loops=loops, how=" or ".join(how), **answer)

    def _latency(self, source, target):
        names = {"from": self._name(source), "to": self._name(target)}
        context, stem = {"of": "latency", **names}, "-".join(names.values())
        try:
            build = chains.Build(self.maker, source, target)
            body, linked, back = build.chain(), build.chain(link=True), build.back()
        except bodies.NoLoop as why:
            self._answer("latency", **names, refused=str(why))
            return
        answer = {"how": body.how, "round_trip": bool(build.way.path and not build.way.own),
                  "loops": [self._loop(stem, body, {**context, "loop": "chain"})]}
        if linked:
            answer["linked"] = self._loop(f"{stem}-link", linked, {**context, "loop": "link"})
        if back:
            answer["back"] = self._loop(f"{stem}-back", back, {**context, "loop": "back"})
        self._answer("latency", **names, **answer)

    def _name(self, key):
        return key[1] if key[0] == "flag" else "memory" if key[0] == "memory" else \
            self.unit.slots[key].name

    def _loop(self, name, body, context):
        """Put a loop into the sweep; what an answer says of it."""
        name = f"{self.slug}-{name}"
        entry = {"name": name, "setup": "\n".join("        " + line for line in body.setup),
                 "body": body.text(), "counter": "%r15", "context": context,
                 "teardown": "\n".join("        " + line for line in body.teardown)}
        if self.asked.values:
            entry["axes"] = self.asked.values
        if self.asked.memory:
            entry["context"] = {**context, "memory": self.asked.memory}
            entry["memory"] = "cold" if memory_of(self.asked.memory)[1] else "touched"
        # A label is no instruction of a group, and what stands twice is not told apart there.
        if body.pure and context["loop"] != "minus" and ":" not in self.unit.text and \
                len(set(self.unit.mnemonics)) == len(self.unit.mnemonics):
            entry.update(group=self.unit.text, groups=body.copies)
        self.found.entries[name] = entry
        return {"variant": name, "copies": body.copies}

    def _answer(self, question, **parts):
        """Add what is told of a question, once for each combination of values."""
        for chosen in itertools.product(*self.asked.values.values()):
            values = dict(zip(self.asked.values, chosen))
            end = "".join(f".{name}{value}" for name, value in values.items())
            self.found.answers.append({
                "text": self.unit.text, "form": forms.of(self.unit), "question": question,
                "memory": self.asked.memory, "values": values,
                **{key: _named(part, end) for key, part in parts.items()}})


def _named(part, end):
    """A part of an answer with the names of variants that the values make."""
    if isinstance(part, list):
        return [_named(one, end) for one in part]
    return {**part, "variant": part["variant"] + end} if isinstance(part, dict) else part


def _given(name, intel):
    """The line of setup that gives a register the value of its axis."""
    return f"mov {name}, <{{ {name} }}>" if intel else f"mov $<{{ {name} }}>, %{name}"


def _slug(text):
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:_LONGEST].strip("_") or "unit"
