"""Whether a trajectory keeps the form think / plan / tool_call / answer, in the paper's words and in its code.

The code counts tags over the whole text, tool responses included, and asks for all five of them; `published.py` has
it. The paper asks for balanced tags and a plan in the first round. Our reading of that: what tools answered is not
the agent's; tags close in the order in which they opened and do not enclose one another; the first round is
everything up to the second think or the first tool response, and a plan stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.legalsearch import published

Reading = Literal["paper", "code"]
READINGS: tuple[Reading, ...] = ("paper", "code")

_TAG = re.compile(rf"<(/?)({'|'.join(published.TAGS)})>")
_RESPONSE = re.compile(r"<tool_response>.*?</tool_response>", re.DOTALL)
_PLAN = re.compile(r"<plan>.*?</plan>", re.DOTALL)
_PLANNING = re.compile(r"<think>(?:(?!</?think>).)*</think>\s*<plan>.*?</plan>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FormatCheck:
    """`faults` are short sentences for a person; none when the trajectory passes."""

    reading: Reading
    faults: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether it passes."""
        return not self.faults


def check(trajectory: str, reading: Reading) -> FormatCheck:
    """The format check. Total: any text passes or has faults."""
    faults = published.format_faults(trajectory) if reading == "code" else _paper_faults(trajectory)
    return FormatCheck(reading, tuple(faults))


def _paper_faults(trajectory: str) -> list[str]:
    words = _RESPONSE.sub("", trajectory)
    faults = _balance(words)
    if not _PLAN.search(first_round(trajectory)):
        faults.append("no plan in the first round")
    return faults


def _balance(words: str) -> list[str]:
    """Unbalanced tags of the agent's words; the first fault of each kind."""
    opened, faults = "", []
    for match in _TAG.finditer(words):
        closing, tag = bool(match[1]), match[2]
        if closing and opened == tag:
            opened = ""
        elif closing:
            faults.append(f"</{tag}> closes nothing" if not opened else f"</{tag}> inside <{opened}>")
        elif opened:
            faults.append(f"<{tag}> inside <{opened}>")
        else:
            opened = tag
    if opened:
        faults.append(f"<{opened}> is never closed")
    return list(dict.fromkeys(faults))


def first_round(trajectory: str) -> str:
    """The agent's first round: up to the second think or the first tool response."""
    ends = [place for tag in ("<tool_response>",) if (place := trajectory.find(tag)) >= 0]
    first = trajectory.find("<think>")
    second = trajectory.find("<think>", first + 1) if first >= 0 else -1
    return trajectory[: min([*ends, *([second] if second >= 0 else []), len(trajectory)])]


TokenKind = Literal["plan", "agent", "tool"]


def token_kinds(tokens: Sequence[str]) -> list[TokenKind]:
    """What each token of a trajectory is: of planning (a think directly followed by a plan, tags included), other
    words of the agent, or of a tool's response. A token on a border belongs to where it begins.

    Args:
        tokens: the texts of the tokens; joined they are the trajectory.
    """
    text = "".join(tokens)
    tools = [match.span() for match in _RESPONSE.finditer(text)]
    plans = [match.span() for match in _PLANNING.finditer(text)]
    kinds: list[TokenKind] = []
    start = 0
    for token in tokens:
        kinds.append("tool" if _inside(start, tools) else "plan" if _inside(start, plans) else "agent")
        start += len(token)
    return kinds


def _inside(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first <= place < last for first, last in spans)
