"""Short phrases of the conversations of LegalSearch (prompt file law-phrases/1)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tasks.agents.modes import Mode
from tasks.agents.prompts import fill_text, table
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
    group = "lean" if mode == "lean" else "free"
    return "\n".join(
        phrase(group, "call", tool=tool, argument=ARGUMENT[tool], given=phrase("given", tool)) for tool in tools
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
