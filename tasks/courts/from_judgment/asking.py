"""The optional second pass: a model is asked for what the rules missed, and believed only in words that stand in the
text.

The model reads the masked text. What it gives are quotes, each of which must be a part of that text, else it is
dropped; of the plea it may choose one of three stances, with a quote that says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from models.engine import Ask, Engine, EngineError, Message, Settings
from models.schema import violation
from tasks.agents.prompts import fill
from tasks.courts.casefile.judgment import Env
from tasks.episode.plain import plain

PROMPT = "judgment-fields/1"
READ = 16_000
"""Characters of a judgment that a model reads."""
QUOTE = 600
MOST = 12
"""Quotes of one field, and characters of each."""
TRIES = 2
_STANCES = ("guilty", "partial", "not_guilty", "unknown")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A field that a model may be asked for: its place in the case, what it is, and whether each quote is an
    entry."""

    key: str
    path: tuple[str, ...]
    says: str
    listed: bool = False


_WANTED: Mapping[Env, tuple[Wanted, ...]] = {
    "CI": (
        Wanted("complaint", ("complaint",), "原告陈述的事实和理由"),
        Wanted("answer", ("answer",), "被告的答辩意见"),
        Wanted("issues", ("gold", "issues"), "法院归纳的争议焦点，一个焦点一条", True),
        Wanted("reason_points", ("gold", "reason_points"), "裁判理由的要点，一个要点一条，摘自“本院认为”部分", True),
    ),
    "CR": (
        Wanted("indictment", ("criminal", "indictment"), "公诉机关指控的犯罪事实"),
        Wanted("opinion", ("criminal", "opinion"), "公诉机关的意见和量刑建议"),
        Wanted("defence_opinion", ("criminal", "defence_opinion"), "辩护人的辩护意见"),
        Wanted("record", ("criminal", "record"), "被告人的前科劣迹"),
        Wanted("reason_points", ("gold", "reason_points"), "裁判理由的要点，一个要点一条，摘自“本院认为”部分", True),
    ),
}


def ask_for(engine: Engine, case: dict[str, Any], env: Env, text: str, notes: list[str]) -> None:
    """Put what a model finds into a case; `notes` says what came from it and what was dropped."""
    wanted = [one for one in _WANTED[env] if not _get(case, one.path)]
    stance = env == "CR" and not _get(case, ("criminal", "plea"))
    if not wanted and not stance:
        return
    if len(text) > READ:
        notes.append(f"model: it read the first {READ} of {len(text)} characters")
    reply = _reply(engine, _ask(wanted, stance, text[:READ]), notes)
    for one in wanted:
        given = [quote.strip() for quote in reply.get(one.key, []) if quote.strip()]
        quotes = list(dict.fromkeys(quote for quote in given if quote in text))
        if len(quotes) < len(set(given)):
            dropped = len(set(given)) - len(quotes)
            notes.append(
                f"{'.'.join(one.path)}: {dropped} quotes of the model do not stand in the text and were dropped"
            )
        if quotes:
            _set(case, one.path, quotes if one.listed else "\n".join(quotes))
            notes.append(f"{'.'.join(one.path)}: quoted by the model")
    plea = reply.get("plea")
    if stance and isinstance(plea, dict) and plea["stance"] != "unknown":
        if plea["quote"].strip() and plea["quote"] in text:
            _set(case, ("criminal", "plea"), {"stance": plea["stance"], "text": plea["quote"]})
            notes.append("criminal.plea: read by the model")
        else:
            notes.append("criminal.plea: the quote of the model does not stand in the text; dropped")


def _ask(wanted: list[Wanted], stance: bool, text: str) -> Ask:
    quotes = {"type": "array", "maxItems": MOST, "items": {"type": "string", "maxLength": QUOTE}}
    properties: dict[str, object] = {one.key: quotes for one in wanted}
    listed = [f"{one.key}：{one.says}" for one in wanted]
    if stance:
        properties["plea"] = {
            "type": "object",
            "properties": {"stance": {"enum": list(_STANCES)}, "quote": {"type": "string", "maxLength": QUOTE}},
            "required": ["stance", "quote"],
            "additionalProperties": False,
        }
        listed.append(
            "plea：被告人对指控的态度（stance：认罪为 guilty，部分认罪为 partial，不认罪为 not_guilty，"
            "文中没有写为 unknown），和说明该态度的一句原文（quote）"
        )
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    words = fill(PROMPT, fields="\n".join(listed), judgment=text)
    return Ask("analyser", (Message("user", words),), PROMPT, schema, Settings(max_tokens=3000))


def _reply(engine: Engine, ask: Ask, notes: list[str]) -> dict[str, Any]:
    problem = ""
    for _ in range(TRIES):
        answer = engine.answer([ask])[0]
        if isinstance(answer, EngineError):
            problem = str(answer)
            continue
        try:
            value = plain(json.loads(answer.text))
            problem = violation(ask.schema or {}, value)
        except (ValueError, RecursionError):
            problem = "the reply is no JSON object"
        if not problem and isinstance(value, dict):
            return value
    notes.append(f"model: no usable answer ({problem[:200]})")
    return {}


def _get(case: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    here: object = case
    for part in path:
        here = here.get(part) if isinstance(here, Mapping) else None
    return here


def _set(case: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    here = case
    for part in path[:-1]:
        here = here.setdefault(part, {})
    here[path[-1]] = value
