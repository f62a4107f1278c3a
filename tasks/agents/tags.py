"""The tags of the think-plan-search protocol: think, plan, tool_call, tool_response, answer. Total, in time linear in
the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

TAGS = ("think", "plan", "tool_call", "tool_response", "answer")
"""As in `tasks.legalsearch.published`, which stands alone."""
_TAG = re.compile(rf"[<＜]\s{{0,3}}+([/／]?)\s{{0,3}}+({'|'.join(TAGS)})\s{{0,3}}+[>＞]", re.IGNORECASE)
_STANDARD = frozenset(f"<{slash}{tag}>" for slash in ("", "/") for tag in TAGS)


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of tagged text, its tags left out. `closed` says whether its own closing tag ends it."""

    tag: str
    text: str
    closed: bool = True


@dataclass(frozen=True, slots=True)
class TaggedText:
    """The blocks of a text in order, what stands outside them, and what is wrong with its tags."""

    blocks: tuple[Block, ...]
    outside: tuple[str, ...]
    faults: tuple[str, ...]

    def texts(self, tag: str) -> list[str]:
        """What the blocks of a tag hold, blanks at their ends left out; empty ones are left out."""
        found = (block.text.strip() for block in self.blocks if block.tag == tag)
        return [text for text in found if text]


def tagged(text: str) -> TaggedText:
    """The blocks of a text, read forgivingly.

    A tag inside a block ends that block if it begins a block of its own that is closed first, or if the outer one is
    never closed; otherwise it is a word of the outer block. Inside call, response and answer everything up to their
    end is theirs.
    """
    marks = list(_TAG.finditer(text))
    closers = {tag: [mark.start() for mark in marks if mark[1] and mark[2].lower() == tag] for tag in TAGS}

    def closes(tag: str, at: int) -> int | None:
        """Where the next closing tag of this name stands."""
        places = closers[tag]
        index = bisect_left(places, at)
        return places[index] if index < len(places) else None

    blocks: list[Block] = []
    outside: list[str] = []
    faults: list[str] = []
    opened, start = "", 0
    for mark in marks:
        tag, closing = mark[2].lower(), bool(mark[1])
        if mark[0] not in _STANDARD:
            faults.append(f"标签写成了{mark[0][:20]}")
        if opened:
            if closing and tag == opened:
                blocks.append(Block(opened, text[start : mark.start()]))
                opened, start = "", mark.end()
                continue
            if closing:
                if tag not in ("tool_call", "tool_response") and opened in ("think", "plan"):
                    faults.append(f"<{opened}>里有</{tag}>")
                continue
            end = closes(opened, mark.end())
            inner = closes(tag, mark.end())
            whole = opened in ("tool_call", "tool_response", "answer") and end is not None and tag != opened
            if whole or (end is not None and tag != opened and (inner is None or end < inner)):
                continue
            faults.append(f"<{opened}>没有结束")
            blocks.append(Block(opened, text[start : mark.start()], closed=False))
            opened, start = tag, mark.end()
        elif closing:
            faults.append(f"多出</{tag}>")
            outside.append(text[start : mark.start()])
            start = mark.end()
        else:
            outside.append(text[start : mark.start()])
            opened, start = tag, mark.end()
    if opened:
        faults.append(f"<{opened}>没有结束")
        blocks.append(Block(opened, text[start:], closed=False))
    else:
        outside.append(text[start:])
    return TaggedText(tuple(blocks), tuple(part for part in outside if part.strip()), tuple(dict.fromkeys(faults)))


def within(text: str, tag: str) -> list[str]:
    """What stands between exact tags, as a shortest match from each opening tag finds it; in linear time."""
    opener, closer = f"<{tag}>", f"</{tag}>"
    found: list[str] = []
    at = text.find(opener)
    while at >= 0:
        start = at + len(opener)
        end = text.find(closer, start)
        if end < 0:
            break
        found.append(text[start:end])
        at = text.find(opener, end + len(closer))
    return found


def defused(text: str) -> str:
    """A text in which nothing can be taken for a tag of the protocol: what a tool or a web page says is no act."""
    return _TAG.sub(lambda mark: f"＜{mark[1]}{mark[2]}＞", text)
