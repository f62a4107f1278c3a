"""Parts what a model thinks from what it says, as the text comes in.

Models wrap their reasoning in marks of their own; the table below knows the common ones. A mark counts only where a
reply or what follows a block begins: the same letters inside speech are speech, so that a quoted mark can swallow
nothing and a grammar stays in force. Reasoning that is never closed is all reasoning. Blanks around a block belong to
neither part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Part = Literal["thinking", "speaking"]


@dataclass(frozen=True, slots=True)
class PhaseTags:
    """What stands between two marks, and what it is."""

    opener: str
    closer: str
    phase: Part = "thinking"


BLOCKS = (
    PhaseTags("<think>", "</think>"),
    PhaseTags("<thinking>", "</thinking>"),
    PhaseTags("<thought>", "</thought>"),
    PhaseTags("<reasoning>", "</reasoning>"),
    PhaseTags("<seed:think>", "</seed:think>"),
    PhaseTags("<mm:think>", "</mm:think>"),
    PhaseTags("<|START_THINKING|>", "<|END_THINKING|>"),
    PhaseTags("<|START_RESPONSE|>", "<|END_RESPONSE|>", "speaking"),
    PhaseTags("[THINK]", "[/THINK]"),
    PhaseTags("◁think▷", "◁/think▷"),
    PhaseTags("<|channel|>analysis<|message|>", "<|end|>"),
    PhaseTags("<|channel|>final<|message|>", "<|return|>", "speaking"),
    PhaseTags("<|channel>thought", "<channel|>"),
    PhaseTags("<|think|>", "<|end|>"),
    PhaseTags("<|content|>", "<|end|>", "speaking"),
)
"""The marks of published models; a block of speech takes its marks off the speech."""
BETWEEN = ("<|start|>assistant", "<|begin|>assistant")
"""What may stand between two blocks and is neither."""
_OPENERS = {block.opener: block for block in BLOCKS}
_STARTS = (*_OPENERS, *BETWEEN)
_CLOSERS = tuple(dict.fromkeys(block.closer for block in BLOCKS if block.phase == "thinking"))


def opens(frame: str) -> bool:
    """Whether a prompt that ends like this has opened a reasoning block for the model to go on with."""
    end = frame.rstrip()
    return any(end.endswith(block.opener) for block in BLOCKS if block.phase == "thinking")


def split(text: str, *, opened: bool = False) -> tuple[str, str]:
    """Reasoning and speech of a whole reply; `opened` as for `Splitter`."""
    splitter = Splitter(opened)
    parts = [*splitter.feed(text), *splitter.finish()]
    return (
        "".join(part for phase, part in parts if phase == "thinking"),
        "".join(part for phase, part in parts if phase == "speaking"),
    )


def silent(finish: str, text: str, reasoning: str, called: bool, generated: int) -> str:
    """A sentence about a reply that was cut off while the model still thought; '' for any other."""
    if finish != "length" or text.strip() or called or not reasoning:
        return ""
    spent = f" {generated}" if generated else ""
    return (
        f"all{spent} tokens went into reasoning that did not end: give it a budget, or a larger one, by reasoning=N"
    )


class Splitter:
    """Takes a reply in any pieces; the parts it gives out joined are the same however it was cut.

    `opened` says that the prompt itself has opened a reasoning block. `thinking` says whether what comes next is
    reasoning.
    """

    def __init__(self, opened: bool = False) -> None:
        self._closers: tuple[str, ...] = _CLOSERS if opened else ()
        self._phase: Part = "thinking" if opened else "speaking"
        self._fresh = True
        """No text of the present block yet: a mark may come."""
        self._held = ""
        self._blanks = ""
        """Blanks that are dropped if a mark follows."""
        self._thought = self._after_block = False

    @property
    def thinking(self) -> bool:
        """Whether the present block is reasoning."""
        return self._phase == "thinking"

    @property
    def closers(self) -> tuple[str, ...]:
        """The marks that may end the present block of reasoning, the likeliest first."""
        return self._closers or _CLOSERS

    def feed(self, text: str) -> list[tuple[Part, str]]:
        """More of the reply; what is certain to be reasoning or speech now."""
        self._held += text
        found: list[tuple[Part, str]] = []
        while self._held and (self._begin() if self._fresh else self._go_on(found)):
            pass
        return found

    def finish(self) -> list[tuple[Part, str]]:
        """The reply has ended: what was held back. Half a mark turns out to be text."""
        found: list[tuple[Part, str]] = []
        if self._held:
            self._fresh = False
            self._give(self._held, found)
        elif not self._after_block and self._phase == "speaking" and self._blanks:
            found.append((self._phase, self._blanks))
        self._held = self._blanks = ""
        return found

    def _begin(self) -> bool:
        """Deal with what stands where a mark may come; False if more text is needed to tell."""
        rest = self._held.lstrip()
        self._blanks += self._held[: len(self._held) - len(rest)]
        self._held = rest
        if not rest:
            return False
        mark = next((mark for mark in (*_STARTS, *self._closers) if rest.startswith(mark)), "")
        if mark:
            self._held = rest[len(mark) :]
            self._pass(mark)
            return True
        if any(mark.startswith(rest) for mark in (*_STARTS, *self._closers)):
            return False
        self._fresh = False
        if self._after_block or self._phase == "thinking":
            self._blanks = ""
        return True

    def _pass(self, mark: str) -> None:
        """Step over a mark at the beginning of a block."""
        self._blanks = ""
        self._after_block = True
        if block := _OPENERS.get(mark):
            self._phase, self._closers = block.phase, (block.closer,)
        elif mark in self._closers:
            self._phase, self._closers = "speaking", ()

    def _go_on(self, found: list[tuple[Part, str]]) -> bool:
        """Give out text of the present block up to its closing mark, or up to what may become one."""
        places = [(at, mark) for mark in self._closers if (at := self._held.find(mark)) >= 0]
        if places:
            at, mark = min(places, key=lambda place: (place[0], -len(place[1])))
            self._give(self._held[:at], found)
            self._held = self._held[at + len(mark) :]
            self._thought = self._thought or self._phase == "thinking"
            self._pass(mark)
            self._fresh = True
            return True
        kept = _beginning(self._held, self._closers)
        self._give(self._held[: len(self._held) - kept], found)
        self._held = self._held[len(self._held) - kept :]
        return False

    def _give(self, text: str, found: list[tuple[Part, str]]) -> None:
        """Text of the present block; blanks at its end wait for what follows, unless nothing can close it."""
        text = self._blanks + text
        kept = text.rstrip() if self._closers else text
        self._blanks = text[len(kept) :]
        if not kept:
            return
        if self._phase == "thinking" and self._thought:
            kept, self._thought = "\n" + kept, False
        found.append((self._phase, kept))


def _beginning(text: str, marks: tuple[str, ...]) -> int:
    """How many characters at the end of a text may be the beginning of a mark."""
    longest = min(len(text), max(map(len, marks), default=1) - 1)
    return next((size for size in range(longest, 0, -1) if any(m.startswith(text[-size:]) for m in marks)), 0)
