"""JSON schemas of a lean round: thought and plan, thought and call, thought and answer. Lengths are in characters.

The same schema constrains generation where an engine can, and checks the reply everywhere. No grammar can forbid that
a free text repeats itself in a list: repeated addresses are dropped when the round is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from models.schema import Schema, object_schema
from tasks.legalsearch.agents.briefing import ARGUMENT
from tasks.legalsearch.settings import Form

ANSWER = "answer"
"""The action that ends the task."""
MOST_STEPS = 8
MOST_TEXTS = 3
"""Addresses of a call."""
MOST_CHARGES = 6
MOST_LISTED = 6
"""Options up to which every choice is enumerated."""
LONGEST = {
    "think": 200, "cot": 500, "step": 100, "query": 150, "url_list": 500, "charge": 40, "title": 60,
    "text": 2000, "reply": 1500,
}  # fmt: skip

THINK: Schema = {"type": "string", "minLength": 1, "maxLength": LONGEST["think"]}


def _text(most: int, least: int = 1) -> Schema:
    return {"type": "string", "minLength": least, "maxLength": most}


def _list(item: Schema, most: int) -> Schema:
    return {"type": "array", "items": item, "minItems": 1, "maxItems": most}


def _given(argument: str) -> Schema:
    """One query, addresses: in a list of queries a model takes the parts of one, law and day, asunder."""
    text = _text(LONGEST[argument])
    return text if argument == "query" else _list(text, MOST_TEXTS)


def plan_schema() -> Schema:
    """The first round."""
    return object_schema({"think": THINK, "plan": _list(_text(LONGEST["step"]), MOST_STEPS)})


def act_schema(tools: Sequence[str], answer: Schema) -> Schema:
    """A later round: a call of one of the tools, or the answer. Tools that take the same argument share an
    alternative."""
    groups: dict[str, list[str]] = {}
    for tool in tools:
        groups.setdefault(ARGUMENT[tool], []).append(tool)
    calls = [
        object_schema({"think": THINK, "action": {"enum": names}, argument: _given(argument)})
        for argument, names in groups.items()
    ]
    last = object_schema({"think": THINK, "action": {"enum": [ANSWER]}, "answer": answer})
    return {"anyOf": [*calls, last]} if calls else last


def last_schema(answer: Schema, *, think: int = LONGEST["think"]) -> Schema:
    """An answer without a choice; think: characters of the thought before it, 0 for none."""
    return object_schema({"think": _text(think), "answer": answer} if think else {"answer": answer})


def answer_schema(form: Form, letters: Iterable[str] = ()) -> Schema:
    """What an answer of a form looks like; `letters` are the options of the question, if it has any."""
    if form == "letters":
        return _letters("".join(letters))
    if form == "months":
        return {"type": "string", "pattern": "^[1-9][0-9]{0,2}个月$"}
    if form == "charges":
        return _list(_text(LONGEST["charge"]), MOST_CHARGES)
    if form == "article":
        return object_schema({"title": _text(LONGEST["title"], 0), "text": _text(LONGEST["text"])})
    return object_schema({"reply": _text(LONGEST["reply"]), "basis": _text(LONGEST["reply"])})


def _letters(letters: str) -> Schema:
    if not 0 < len(letters) <= MOST_LISTED:
        return {"type": "string", "pattern": "^[A-Z]{1,8}$"}
    sizes = range(1, len(letters) + 1)
    return {"enum": ["".join(chosen) for size in sizes for chosen in combinations(letters, size)]}
