"""What can be said against an utterance from its words alone: silent, no Chinese, nothing of its own
(`tasks.agents.degenerate`), about nothing here.

Mechanisms, not lists of phrases: shares of characters and of pairs of neighbouring characters (0 to 1), read in at
most `LONGEST` characters of a text. Whether an answer holds what the case file gives its speaker is for `trials` and
`talks`.
"""

from __future__ import annotations

import re
from typing import Literal

from store.text.ideographs import HAN
from tasks.agents.degenerate import EMPTY, denies
from tasks.courts.procedure.replies import broken
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.bigrams import bigrams
from tasks.episode.events import FAULTS, Fault

Reason = Literal[Fault, "silent", "script", "unrelated", "evades", "incomplete", "yields"]
REASONS: dict[Reason, tuple[str, str]] = {
    "silent": ("没有发言", "said nothing"),
    "script": ("没有用中文发言", "did not speak Chinese"),
    "echo": ("复述所听到的话", "said what it had heard"),
    "recital": ("念出给它的指示", "recited its instructions"),
    "repeat": ("换了问题仍重复自己的话", "said the same to another question"),
    "speaks_for": ("替别人说话", "spoke for another"),
    "unrelated": ("所说与本案无关", "spoke of something else than the case"),
    "evades": ("没有回答所问", "did not answer what was asked"),
    "incomplete": ("没有说出案卷交给它的内容", "left out what the case file gives it to say"),
    "yields": ("放弃案卷记载的异议", "gave up what the case file makes it contest"),
}
"""Why a turn is no answer -> how it is said in Chinese and English."""
NONSENSE: frozenset[Reason] = frozenset({"script", *FAULTS, "unrelated"})
"""Turns in which a role does not speak as anybody of the case: they count against its consistency too."""
VALID = 0.8
"""Of the turns of a simulated role so many must be answers, on the mean of its episodes, for a run to be comparable.
Rules in all seats of the 72 authored cases reach 0.95 and more in every role: docs/courts.md has the figures."""
LONGEST = 4000
LINES = 40
"""Lines of a text that are looked at one by one: what else stands there (a tag, a quotation) takes no answer away."""
CHINESE = 0.5
"""Of the letters of an utterance so many are Chinese characters."""
GROUNDED = 0.2
"""So many pairs of a longer utterance stand in what its speaker holds, in what was said before, or in the language of
courts. The rules' turns on the 72 authored cases have 0.29 and more in court without the last; Chinese about
something else 0.19 and less."""
FEWEST = 8
"""Pairs from which on an utterance is long enough for that."""
DENIAL = 32
"""Pairs below which an utterance with a denial in it need not show it either: 没有别的了，就是刚才说的这些."""

_LETTER = re.compile(r"[^\W\d_]")
_CHINESE = re.compile(rf"[{HAN}]")
_CLOSED = re.compile(rf"是否|能否|可否|有无|有没有|吗|没有[？?。]?$|([{HAN}])[不没]\1")
_ADDRESS = re.compile(r"审判长|审判员|法官|律师|公诉人|辩护人|法庭|[您你我]")


def fault(turn: Turn, known: frozenset[str] | set[str]) -> Reason:
    """What is wrong with an utterance whatever was asked; '' where nothing is.

    Args:
        turn: what was said; what it was taken from was found when it was said. Who speaks for another too has
            answered all the same.
        known: pairs of all that the speaker holds and of all that was said before.
    """
    lines = [line for line in turn.text[:LONGEST].splitlines()[:LINES] if not broken(line)]
    against = [_of_line(line, known) for line in lines] or ["silent"]
    found = "" if "" in against else against[0]
    return turn.fault if turn.fault in EMPTY and found in ("", "unrelated") else found


def _of_line(line: str, known: frozenset[str] | set[str]) -> Reason:
    if len(_CHINESE.findall(line)) < CHINESE * len(_LETTER.findall(line)):
        return "script"
    return "" if grounded(line, known) else "unrelated"


def grounded(text: str, known: frozenset[str] | set[str]) -> bool:
    """Whether an utterance speaks of the case; a short one, or one that only denies, need not show it."""
    said = bigrams(text)
    return len(said) < FEWEST or len(said & known) >= GROUNDED * len(said) or (denies(text) and len(said) < DENIAL)


def closed(question: str) -> bool:
    """Whether a question can be answered by yes or no, by its grammar."""
    return bool(_CLOSED.search(question[-LONGEST:]))


def replies(question: str, text: str, known: frozenset[str] | set[str]) -> bool:
    """Whether words say anything to a question of which the case file knows no answer: a denial, a word of a question
    that can be answered by yes or no, a word of the matter (`known`, pairs), or some words of one's own beside the
    form of address."""
    if denies(text):
        return True
    rest = bigrams(_ADDRESS.sub("，", text))
    if closed(question) and (rest & bigrams(question[-LONGEST:]) or re.match(r"[是对有会能]", text.strip())):
        return True
    return len(rest) >= FEWEST // 2 or bool((rest - bigrams(question)) & known)
