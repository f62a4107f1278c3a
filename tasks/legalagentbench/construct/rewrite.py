"""Questions reworded by a model, kept only where nothing that the answer hangs on has changed.

A rewording must hold the entities, the figures and the units of the question, a word for every link, choice and
request of its path, and no key, middle key, tool or other name of the pack; then the whole task is checked again.
What fails is counted by reason, and the composed question stays. The words of a link are those of its forms in the
parts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from models.engine import Ask, Engine, EngineError, Message, Reply, SamplingSettings
from models.schema import violation
from store.search.terms import word_terms
from tasks.agents.prompts import fill
from tasks.episode.plain import plain
from tasks.legalagentbench.construct.compose import Parts
from tasks.legalagentbench.construct.plans import Plan
from tasks.legalagentbench.construct.tree import IDENTITY

PROMPT = "rewrite-question/1"
SEAT = "rewriter"
SHORTEST, LONGEST = 12, 400
"""Characters of a rewording."""
LONGEST_WORD = 4
TRIES = 2
AT_A_TIME = 8
_SCHEMA = {
    "type": "object", "properties": {"question": {"type": "string", "maxLength": LONGEST}}, "required": ["question"],
    "additionalProperties": False,
}  # fmt: skip
_FIGURE = re.compile(r"[0-9A-Za-z.]+")
_UNIT = re.compile(r"(?<=\d)[^\d.\-]{1,2}$")
_TOOL = re.compile(r"get_[a-z_]+|legal_[a-z]+_retriever")


@dataclass
class Rewriter:
    """engine: answers; check: what is wrong with a task, "" when nothing is; names: of things in the pack, none of
    which may be added; refused: reason -> rewordings thrown away."""

    engine: Engine
    parts: Parts
    check: Callable[[Mapping[str, Any]], str]
    names: Collection[str] = ()
    temperature: float = 0.8
    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def rewrite(self, tasks: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The tasks in their order; a reworded one keeps its composed question as `composed`."""
        for start in range(0, len(tasks), AT_A_TIME):
            made = {number: dict(task) for number, task in enumerate(tasks[start : start + AT_A_TIME])}
            left = [number for number, task in made.items() if "plan" in task]
            for attempt in range(TRIES):
                asks = [self._ask(made[number], attempt) for number in left]
                replies = self.engine.answer(asks) if asks else []
                left = [n for n, reply in zip(left, replies, strict=True) if not self._take(made[n], reply)]
            yield from made.values()

    def report(self) -> dict[str, Any]:
        """How many rewordings were kept, and why others were not."""
        return {"accepted": self.accepted, "refused": dict(self.refused.most_common())}

    def _ask(self, task: Mapping[str, Any], attempt: int) -> Ask:
        words = fill(PROMPT, question=task["question"])
        settings = SamplingSettings(temperature=self.temperature, max_tokens=LONGEST * 2, seed=attempt)
        return Ask(SEAT, (Message("user", words),), PROMPT, _SCHEMA, settings, episode=task["id"])

    def _take(self, task: dict[str, Any], reply: Reply | EngineError) -> bool:
        text = _read(reply)
        new = {**task, "question": text, "composed": task["question"]}
        fault = self.fault(task, text) or self.check(new)
        if fault:
            self.refused[fault] += 1
            return False
        task.update(new)
        self.accepted += 1
        return True

    def fault(self, task: Mapping[str, Any], text: str) -> str:
        """Why a rewording of a task is no good, "" when nothing was found."""
        old, plan = task["question"], Plan.of(task["plan"])
        if not SHORTEST <= len(text) <= LONGEST or text == old:
            return "no usable reply"
        if _TOOL.search(text) or any(
            hint in text and hint not in old for hint in (*task["key"], *task["key_middle"])
        ):
            return "it gives a key or a step away"
        if not all(value in text for value in task["start"]["value"]):
            return "it lacks the entity"
        if set(_FIGURE.findall(text)) != set(_FIGURE.findall(old)):
            return "its figures differ"
        if any(name in text and name not in old for name in self.names):
            return "it names another thing"
        units = {unit[0] for key in task["key"] if (unit := _UNIT.search(key)) and unit[0] in old}
        if any(unit not in text for unit in units):
            return "it lacks a unit"
        wanted = (self._words(keys) for keys in expressed(plan))
        lost = any(words and not any(word in text for word in words) for words in wanted)
        return "it lacks a part of the path" if lost else ""

    def _words(self, keys: Sequence[str]) -> list[str]:
        """Words of two or more characters in the forms of some lists, and forms as short as a word."""
        forms = (form for key in keys for form in self.parts.forms(key))
        said = [part for form in forms for part in re.split(r"\{[a-z]+\}", form)]
        return [word for part in said for word in (part, *word_terms(part)) if 1 < len(word) <= LONGEST_WORD]


def expressed(plan: Plan) -> Iterator[tuple[str, ...]]:
    """For everything along a path that its question has to say: the lists of parts that say it."""
    for step in plan.steps:
        how, _, column = step.pick.partition(":")
        if step.many:
            yield (f"row.{step.tool}", f"rows.{step.tool}")
        if how:
            yield (f"pick.{how}",)
        if column:
            yield (f"label.{column}",)
        if step.role:
            yield (f"role_of.{step.role}",)
        if step.link or step.via:
            yield (f"link.{step.table}.{step.link or IDENTITY[step.table]}",)
    if plan.ask.how == "columns":
        yield from ((f"label.{column}",) for column in plan.ask.columns)
    else:
        yield (f"how.{plan.ask.how}", f"what.{plan.ask.how}")


def _read(reply: Reply | EngineError) -> str:
    if isinstance(reply, EngineError):
        return ""
    try:
        value = plain(json.loads(reply.text))
    except (ValueError, RecursionError):
        return ""
    return " ".join(str(value["question"]).split()) if not violation(_SCHEMA, value) else ""
