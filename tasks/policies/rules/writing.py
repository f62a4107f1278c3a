"""Defence statements (答辩状)."""

from __future__ import annotations

from collections.abc import Generator

from tasks.policies.rules.execute import Call, Outcome
from tasks.policies.rules.names import NameIndex


def is_writing(question: str) -> bool:
    """Whether a question asks for a document."""
    return "答辩状" in question and len(question) > 300


def writing_steps(question: str, names: NameIndex) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(steps, tools) of the plan."""
    return ("撰写",), ("",)


def write(question: str, names: NameIndex) -> Generator[Call, Outcome, tuple[str, str]]:
    """The document."""
    if False:
        yield Call("", {}, "")
    return "", ""
