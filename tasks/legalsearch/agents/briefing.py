"""What the system prompt of the search agent tells of its run: the tools on offer, the laws they hold, the day; and
the short phrases of its conversations (prompt file law-phrases/1).

A run may bring a system prompt of its own; {tools}, {form} and {today} are filled in it wherever they stand. In the
published form the tools are told as what they are, without advice on how to write a query: whether an agent puts a
date into a query is what the paper measures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from models.engine import ToolInfo
from store.text.dates import parse_date, plain_date
from tasks.agents.modes import Mode
from tasks.agents.prompts import fill, fill_text, table
from tasks.episode.seats import Card
from tasks.legalsearch.settings import KINDS, Form

NAME = "law-phrases/1"
RAG, WEB, BROWSE = TOOLS = ("rag_retrieve", "web_search", "browse_webpage")
"""The tools of the protocol, in the order in which they are offered."""
ARGUMENT = {RAG: "query", WEB: "query", BROWSE: "url_list"}
"""Tool -> its one argument, a list of texts."""


def phrase(group: str, name: str, **values: str) -> str:
    """A phrase with its fields filled; '' when there is none of that name."""
    text: str = table(NAME)[group].get(name, "")
    return fill_text(text, **values)


def form_of(card: Card) -> Form:
    """The form of the answer that a task asks for; a task of an unknown type is answered freely, as a consultation
    is."""
    kind = KINDS.get(str(card.get("type", "")))
    return kind.form if kind else "consultation"


def instruction(card: Card, field: str = "deepresearch_task_prompt") -> str:
    """What the task file says of the answer; where it says nothing, our own words for the form of the task."""
    return str(card.get(field) or "").strip() or phrase("answer", form_of(card))


def call_forms(tools: Sequence[str], mode: Mode) -> str:
    """One line a tool: how it is called."""
    group, given = ("lean", "lean-given") if mode == "lean" else ("free", "given")
    return "\n".join(
        phrase(group, "call", tool=tool, argument=ARGUMENT[tool], given=phrase(given, tool)) for tool in tools
    )


_SEMICOLON = re.compile("[;；]")


def answer_text(form: Form, value: object) -> str:
    """The answer as the task file writes it. Total: what has another shape is written as text.

    letters: "AC"; months: "12个月"; charges: joined by ";"; article: 【title】text; consultation: 回答 and 法律依据.
    """
    if form == "charges" and isinstance(value, list):
        names = (part.strip() for item in value for part in _SEMICOLON.split(str(item)))
        return ";".join(dict.fromkeys(name for name in names if name))
    if form == "article" and isinstance(value, Mapping):
        title, text = (str(value.get(name, "")).strip() for name in ("title", "text"))
        title = title.strip("【】 ")
        return f"【{title}】{text}" if title and not text.startswith("【") else text
    if form == "consultation" and isinstance(value, Mapping):
        reply, basis = (str(value.get(name, "")).strip() for name in ("reply", "basis"))
        return f"回答:{_without(reply, '回答')}\n法律依据:{_without(basis, '法律依据')}"
    return str(value).strip()


def _without(text: str, label: str) -> str:
    rest = text.removeprefix(label)
    return rest.lstrip(":： ") if rest != text and rest[:1] in (":", "：") else text


MOST_NAMED = 40
"""Laws that a prompt names; the paper's tool names 16."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """What is told. laws: the names of all laws that can be looked up; as_of: the day of the data, as the pack writes
    it;
    today: the day that is today for the run, ISO, "" where none is told; own: the run's own system prompt."""

    tools: tuple[str, ...] = TOOLS
    laws: tuple[str, ...] = ()
    as_of: str = ""
    today: str = ""
    own: str = ""


def system(prompt: str, brief: Briefing, mode: Mode) -> str:
    """The system prompt: the run's own, else the prompt file of this name."""
    form = ""
    if mode not in ("paper", "native"):
        form = phrase(mode, "search" if brief.tools else "search-none", calls=call_forms(brief.tools, mode))
    fields = {
        "tools": tool_schemas(brief) if mode == "paper" else tools_text(brief),
        "form": form,
        "today": phrase("today", "now", day=_day(brief.today)) if brief.today else "",
    }
    return fill_text(brief.own.strip(), **fields) if brief.own else fill(prompt, **fields)


def tools_text(brief: Briefing) -> str:
    """One line a tool."""
    return "\n".join(f"- {tool}：{phrase('tool', tool)}{laws_held(tool, brief)}" for tool in brief.tools) or phrase(
        "tool", "none"
    )


def tool_schemas(brief: Briefing) -> str:
    """The tools of the published form as function schemas, one JSON object a line: what models of the Hermes style
    know."""
    return "\n".join(json.dumps(function(tool, brief), ensure_ascii=False) for tool in brief.tools)


def function(tool: str, brief: Briefing) -> dict[str, Any]:
    """The schema of a tool of the published form."""
    parameters = _parameters(tool, phrase("paper-given", tool))
    described = {
        "name": tool,
        "description": f"{phrase('paper', tool)}{laws_held(tool, brief)}",
        "parameters": parameters,
    }
    return {"type": "function", "function": described}


def definitions(brief: Briefing) -> tuple[ToolInfo, ...]:
    """The tools as models that call them in their own form are told of them."""
    return tuple(
        ToolInfo(tool, f"{phrase('tool', tool)}{laws_held(tool, brief)}", _parameters(tool, phrase("given", tool)))
        for tool in brief.tools
    )


def _parameters(tool: str, given: str) -> dict[str, Any]:
    argument = {
        "type": "array", "description": given, "items": {"type": "string"}, "minItems": 1, "uniqueItems": True,
    }  # fmt: skip
    return {"type": "object", "properties": {ARGUMENT[tool]: argument}, "required": [ARGUMENT[tool]]}


def laws_held(tool: str, brief: Briefing) -> str:
    """Which laws the statute search holds, and up to which day; '' for the other tools."""
    if tool != RAG or not brief.laws:
        return ""
    laws = _named(brief.laws)
    many = len(brief.laws) > MOST_NAMED
    said = phrase("tool", "held-many" if many else "held", laws=laws, n=str(len(brief.laws)))
    return said + (phrase("tool", "as-of", day=_day(brief.as_of)) if brief.as_of else "")


def _named(laws: Sequence[str]) -> str:
    return "、".join(f"《{law}》" for law in laws[:MOST_NAMED])


def _day(text: str) -> str:
    """A day in Chinese; what is no full date stays as it is written."""
    return plain_date(parse_date(text)) or text
