# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sweep asks of its table: sweep.json, which the generator writes from the sweep's TOML."""

import json
import os
from dataclasses import dataclass, field

from common import questions
from common.errors import BadInput
from results.tables import brief


@dataclass
class Question:
    """A section of the table. A row of costs.csv goes to the first question that takes it."""

    title: str
    take: list  # matchers (common/questions.py)
    short: list = ()  # names of rules (brief.py) that make it short
    titled: bool = False  # the title names the item: a label is the context's words alone
    hide: list = ()  # keys of the context that no label tells
    none: str = ""  # what is said of a column that has no value here


_SHORT = ["one_row_a_label", "valueless_as_one"]
_WHOLE = ["one_row_a_label", "valueless_as_one_alone"]  # of a sweep with one family
# What every sweep asks, behind its own questions; and what a sweep asks that has none of its own.
ORDERS = Question("Does the order matter? Largest difference, cycles per iteration",
                  [{"method": ["difference"], "item": ["order of *"]}], ["significant_orders"])
INSTRUCTIONS = Question("Instructions", [{"method": ["direct", "solved", "difference"]}],
                        [*_SHORT, "short_families"])
LOOPS = Question("Loops without a cost of their own, cycles per iteration", [{}],
                 ["valueless_as_one", "valueless_only"])
EVENTS = Question("Events, counted in one iteration", [{"method": ["event"]}],
                  ["valueless_as_one", "short_families"])


@dataclass
class Asked:
    """What the sweeps of a table's runs ask together, the first one's first."""

    title: str
    questions: list = field(default_factory=list)
    beside: dict = field(default_factory=dict)  # part of a published source -> heading
    phrases: dict = field(default_factory=dict)  # key of the context -> {value or "": format}
    generations: list = field(default_factory=list)  # {"general", "heading"}
    plots: dict = field(default_factory=dict)  # kind -> {"title", "take"}

    def sections(self, families):
        """The questions of all sections; one a family for sweeps that ask nothing themselves,
        and a single family is all there is to see: its values are not cut."""
        if self.questions:
            return [*self.questions, ORDERS, INSTRUCTIONS, LOOPS]
        short = INSTRUCTIONS.short if len(families) > 1 else _WHOLE
        return [ORDERS, *(Question(family or INSTRUCTIONS.title, [{"family": [family]}], short)
                          for family in families)]

    def phrase(self, key, value):
        """How a key of the context and its value read in a label; "" for not at all."""
        known = self.phrases.get(key, {})
        return known.get(value, known.get("", f"{key} {{}}")).format(value)


def _use(data):
    """Use all of it once: what is not as the generator writes it is an exception."""
    for question in (Question(**part) for part in data.get("questions", [])):
        [brief.RULES[name] for name in question.short]
        "".join([question.title, question.none, *question.hide])
    for part in [*data.get("questions", []), *data.get("plots", {}).values()]:
        questions.try_out(part["take"])
    said = Asked(data.get("title", ""), phrases=data.get("phrases", {}))
    for values in said.phrases.values():
        values.get("")
    texts = [said.phrase(key, value) for key, values in said.phrases.items() for value in values]
    texts += [part["general"] for part in data.get("generations", [])]
    "".join([said.title, *texts, *data.get("beside", {}).values(),
             data.get("toml", ""), data.get("summary", "")])


def read(path):
    """sweep.json as a dictionary, {} where a run has none."""
    if not os.path.exists(path):
        return {}
    remedy = "take a whole copy of the run, or remove it: the table has a section a family then"
    try:
        with open(path, encoding="utf-8") as stream:
            data = json.load(stream)
        _use(data)
    except (OSError, ValueError) as problem:
        raise BadInput(path, f"cannot be read: {problem}", remedy) from None
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError) as problem:
        raise BadInput(path, f"is not as the generator writes it: {problem!r}", remedy) from None
    return data


def together(runs):
    """What the sweeps of the runs ask, each thing once; of a phrase the first one's words."""
    made = Asked("; ".join(dict.fromkeys(run.title for run in runs)))
    for data in (run.asked for run in runs):
        made.questions += [question for question in map(lambda part: Question(**part),
                                                        data.get("questions", []))
                           if question not in made.questions]
        made.generations += [part for part in data.get("generations", [])
                             if part not in made.generations]
        for name in ("beside", "phrases", "plots"):
            setattr(made, name, {**data.get(name, {}), **getattr(made, name)})
    return made
