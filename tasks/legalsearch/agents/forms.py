"""Answers in the form that a task asks for: from the fields of a lean reply to the text that is scored."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tasks.legalsearch.kinds import Form

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
