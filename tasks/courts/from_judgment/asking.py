"""The optional second pass: a model is asked for what the rules missed, and believed only in words that stand in the
text.

The model reads the masked text. What it gives are quotes, each of which must be a part of that text, else it is
dropped; of the plea it may choose one of three stances, with a quote that says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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


_REASONS = "裁判理由的要点，一个要点一条，摘自“本院认为”部分"
_WANTED: Mapping[Env, Mapping[str, str]] = {
    "CI": {
        "complaint": "原告陈述的事实和理由",
        "answer": "被告的答辩意见",
        "gold.issues": "法院归纳的争议焦点，一个焦点一条",
        "gold.reason_points": _REASONS,
    },
    "CR": {
        "criminal.indictment": "公诉机关指控的犯罪事实",
        "criminal.opinion": "公诉机关的意见和量刑建议",
        "criminal.defence_opinion": "辩护人的辩护意见",
        "criminal.record": "被告人的前科劣迹",
        "gold.reason_points": _REASONS,
    },
}
"""Fields that a model may be asked for -> what they are."""
_LISTS = ("gold.issues", "gold.reason_points")
"""Each quote is an entry of its own."""


def ask_for(engine: Engine, case: dict[str, Any], env: Env, text: str, notes: list[str]) -> None:
    """Put what a model finds into a case; `notes` says what came from it and what was dropped."""
    wanted = {path: says for path, says in _WANTED[env].items() if not at(case, path)}
    stance = env == "CR" and not at(case, "criminal.plea")
    if not wanted and not stance:
        return
    if len(text) > READ:
        notes.append(f"model: it read the first {READ} of {len(text)} characters")
    reply = _reply(engine, _ask(wanted, stance, text[:READ]), notes)
    for path in wanted:
        given = {quote.strip(): quote.strip() in text for quote in reply.get(_key(path), []) if quote.strip()}
        quotes = [quote for quote, stands in given.items() if stands]
        if dropped := len(given) - len(quotes):
            notes.append(f"{path}: {dropped} quotes of the model do not stand in the text and were dropped")
        if quotes:
            _set(case, path, quotes if path in _LISTS else "\n".join(quotes))
            notes.append(f"{path}: quoted by the model")
    plea = reply.get("plea")
    if stance and isinstance(plea, dict) and plea["stance"] != "unknown":
        if plea["quote"].strip() and plea["quote"] in text:
            _set(case, "criminal.plea", {"stance": plea["stance"], "text": plea["quote"]})
            notes.append("criminal.plea: read by the model")
        else:
            notes.append("criminal.plea: the quote of the model does not stand in the text; dropped")


def _key(path: str) -> str:
    return path.rpartition(".")[2]


def _ask(wanted: Mapping[str, str], stance: bool, text: str) -> Ask:
    quotes = {"type": "array", "maxItems": MOST, "items": {"type": "string", "maxLength": QUOTE}}
    properties: dict[str, object] = {_key(path): quotes for path in wanted}
    listed = [f"{_key(path)}：{says}" for path, says in wanted.items()]
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


def at(here: Any, path: str) -> Any:
    """What stands at a path of names, of ids in a list, or of places in it; None where nothing does."""
    for part in path.split("."):
        if isinstance(here, list):
            named = [item for item in here if isinstance(item, dict) and item.get("id") == part]
            here = next(iter(named or (here[int(part) :] if part.isdigit() else ())), None)
        else:
            here = here.get(part) if isinstance(here, Mapping) else None
    return here


def _set(case: dict[str, Any], path: str, value: Any) -> None:
    *way, last = path.split(".")
    for part in way:
        case = case.setdefault(part, {})
    case[last] = value
