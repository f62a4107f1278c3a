"""The two seats that help the tools: the analyser, who reads a query, and the reader, who reads a window of a web
page.

Both answer under a schema. A reply that cannot be read is asked for once more; if it cannot be read again, that is
recorded (`ActionParsed`, rejected) and the tool goes on without: no analysis, or the words of the window themselves.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from models.engine import Message, SamplingSettings
from models.schema import object_schema
from store.search.query import ANALYSER_SCHEMA
from store.web import Page
from tasks.agents.conversation import structured
from tasks.agents.prompts import fill, load
from tasks.episode.seats import Sent, Yield

ANALYSER, READER = "analyser/1", "reader/1"
PROMPTS: dict[str, tuple[str, ...]] = {
    "analyser": (ANALYSER, "law-phrases/1"),
    "reader": (READER, "read-window/1", "law-phrases/1"),
}
"""Seat -> the prompt files it uses."""
CALM = SamplingSettings(max_tokens=1024)
READING = SamplingSettings(max_tokens=4096)
LONGEST_EXTRACT = 2500
LONGEST_SUMMARY = 200


@dataclass(frozen=True, slots=True)
class ReadWindow:
    """What a window of a page says on a question, whether to turn the page, and a sentence on the window."""

    extracted_info: str
    page_down: bool
    summary: str


READING_SCHEMA = object_schema(
    {
        "extracted_info": {"type": "string", "maxLength": LONGEST_EXTRACT},
        "page_down": {"type": "boolean"},
        "summary": {"type": "string", "maxLength": LONGEST_SUMMARY},
    }
)
"""What the reader says of a window."""


def analyse_with(text: str, parent: int | None) -> Generator[Yield, Sent, Mapping[str, Any]]:
    """What the analyser finds in a query: {time_info, chapter_info, keywords, law_info}; {} if it could not be
    understood. parent: sequence number of the `ToolCalled` that the query belongs to."""
    messages = (Message("system", load(ANALYSER).strip()), Message("user", text))
    value = yield from structured("analyser", messages, ANALYSER, ANALYSER_SCHEMA, CALM, parent)
    return value or {}


def read_window(
    question: str, page: Page, text: str, number: int, of: int, parent: int | None, *, known: str = ""
) -> Generator[Yield, Sent, ReadWindow]:
    """What the reader makes of a window of a page; its own beginning where no reply could be understood.

    Args:
        question: the question of the task.
        page: address, title and day of the page.
        text: the window.
        number: which window, from 1.
        of: how many there are.
        parent: sequence number of the `ToolCalled` that the page was opened by.
        known: what earlier windows of the page have given.
    """
    shown = fill(
        "read-window/1",
        question=question,
        title=page.title or "无",
        url=page.url,
        day=page.day.isoformat() if page.day else "不详",
        known=known or "无",
        number=str(number),
        of=str(of),
        window=text,
    )
    messages = (Message("system", load(READER).strip()), Message("user", shown))
    value = yield from structured("reader", messages, READER, READING_SCHEMA, READING, parent)
    if value is None:
        return ReadWindow(text[:LONGEST_EXTRACT], number < of, "")
    return ReadWindow(
        value["extracted_info"].strip(), bool(value["page_down"]) and number < of, value["summary"].strip()
    )
