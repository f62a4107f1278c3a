"""How the tools of the law search look in a record: what was asked, and what came back, in words instead of JSON.

The transcript and the evidence pane share it. Values are those of `rag_retrieve`, `web_search` and `browse_webpage`;
a value of another shape (an older record) is none of these, and the general view shows it. Days are inclusive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from app.strings import counted, t
from app.terminal import clean
from store.statutes.applicable import rules
from store.statutes.names import short_name
from store.text.citation import parse_number
from tasks.episode.events import ToolReturned

Piece = tuple[str, str]
Line = tuple[Piece, ...]
RAG, WEB, BROWSE = "rag_retrieve", "web_search", "browse_webpage"
COURT = "search_law"
"""The search of a court: its value lists what was found, for the one question that was asked."""
ARGUMENTS = {RAG: "query", WEB: "query", BROWSE: "url_list", COURT: "query"}
"""Tool -> the one argument it takes, a text or a list of texts."""
Item = Mapping[str, Any]
"""What a tool found, as the JSON of its value lists it."""
KEYS = {RAG: "hits", WEB: "pages", BROWSE: "windows", COURT: "hits"}
"""Tool -> where an item of its value lists what was found."""
IN_WORDS = ("show_law", "search_cases")
"""Tools whose observation says everything and whose value only identifies it."""
STATES = {
    "in_force": "good",
    "in_force_known": "warn",
    "doubtful": "warn",
    "amended": "warn",
    "repealed": "bad",
    "not_yet": "warn",
    "unknown": "dim",
}
"""State of a version -> role."""
MARKS = {"applicable": ("✔", "good"), "possible": ("●", "warn"), "not": ("✘", "bad")}
"""Verdict on a retrieved article -> sign and role."""


def days_words(first: date | None, last: date | None) -> str:
    """2015-11-01—2017-11-03, 2024-03-01—今, or one day."""
    if first == last and first is not None:
        return first.isoformat()
    begin, end = first.isoformat() if first else "?", last.isoformat() if last else t("law.open")
    return t("law_screen.days", first=begin, last=end)


def tool_name(tool: str) -> str:
    """检索法条, 检索网页, 浏览网页; other tools by their own names."""
    return t(f"tool.{tool}") if tool in (*KEYS, *IN_WORDS) else _line(tool)


def call_texts(tool: str, given: object) -> str | None:
    """The texts of a call, or None where it is no plain call of one of these tools."""
    texts = (
        given.get(ARGUMENTS[tool]) if tool in ARGUMENTS and isinstance(given, Mapping) and len(given) == 1 else None
    )
    if isinstance(texts, str):
        texts = [texts]
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        return None
    return "；".join(map(_line, texts))


def items_of(event: ToolReturned) -> list[Item] | None:
    """The items of a value of one of these tools, each with its list of what was found; None for anything else."""
    value, key = event.value, KEYS.get(event.tool)
    if event.tool == COURT and isinstance(value, list) and value:
        value = [{KEYS[COURT]: value}]
    if key is None or not isinstance(value, list) or not value:
        return None
    fine = all(
        isinstance(item, Mapping)
        and isinstance(item.get(key), list)
        and all(isinstance(one, Mapping) for one in item[key])
        for item in value
    )
    return value if fine else None


def found_in(event: ToolReturned) -> list[Item]:
    """Everything that was found, over all texts of the call."""
    items = items_of(event)
    return [one for item in items for one in item[KEYS[event.tool]]] if items else []


def summary(event: ToolReturned) -> list[Piece]:
    """检索法条 → 5 条, and how many of them apply."""
    found = found_in(event)
    n = len(items_of(event) or ()) if event.tool == BROWSE else len(found)
    pieces = [(f"{tool_name(event.tool)} → {counted(f'law_events.n.{event.tool}', n)}", "tool")]
    marks = Counter(str(hit.get("mark", "")) for hit in found) if event.tool == RAG else Counter()
    for name, (_, role) in MARKS.items():
        if marks[name]:
            pieces.append((f"{t(f'law_events.mark.{name}')} {marks[name]}", role))
    return pieces


def returned_lines(event: ToolReturned) -> Iterator[Line]:
    """What came back, one line a thing."""
    for number, one in enumerate(found_in(event) if event.tool != BROWSE else items_of(event) or (), 1):
        yield ((f"{number}. ", "dim"), *_short(event.tool, one))


def _short(tool: str, one: Item) -> Iterable[Piece]:
    if tool not in (RAG, COURT):
        day = f"　{_line(str(one['day']))}" if one.get("day") else ""
        windows = f"　{_places(one['windows'])}" if tool == BROWSE else ""
        return ((_text(one, "title") or _text(one, "url"), "text"), (f"{day}{windows}", "dim"))
    verdict = str(one.get("mark", ""))
    sign = MARKS.get(verdict)
    mark = ((f"　{sign[0]} {t(f'law_events.mark.{verdict}')}", sign[1]),) if sign else ()
    return ((article_name(one), "text"), (f"　{days_words(*window_of(one))}", "dim"), *mark)


def article_name(hit: Mapping[str, object]) -> str:
    """刑法第一百三十三条之一."""
    number = parse_number(_text(hit, "number"))
    article = _text(hit, "chinese") or (number.chinese if number else _text(hit, "number"))
    return f"{_line(short_name(_text(hit, 'law')))}{article}"


def window_of(hit: Mapping[str, object]) -> tuple[date | None, date | None]:
    """First and last day of the version of a hit."""
    return day_of(hit.get("valid_from")), day_of(hit.get("valid_to"))


def day_of(text: object) -> date | None:
    """A day in ISO form; None for anything else."""
    try:
        return date.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None


def rule_of(hit: Mapping[str, object]) -> tuple[str, str]:
    """What the rule behind the mark of a hit says, and its basis; as recorded, else from the table of rules."""
    rule = rules().get(str(hit.get("rule", "")))
    says = _text(hit, "says") or (rule.says if rule else "")
    return says, _text(hit, "basis") or (rule.basis if rule else "")


def _places(windows: Sequence[Mapping[str, object]]) -> str:
    numbers = [f"{window.get('number', '?')}" for window in windows]
    of = next((window.get("of") for window in windows if window.get("of")), None)
    return t("law_events.windows", numbers="、".join(numbers), of=of or "?") if numbers else ""


def _text(one: Item, key: str) -> str:
    value = one.get(key)
    return _line(str(value)) if value else ""


def _line(text: str) -> str:
    return clean(text, multiline=False)
