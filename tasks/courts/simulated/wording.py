"""What can be said against an utterance from its words alone: silent, no Chinese, an echo, a repetition, about
nothing here.

Mechanisms, not lists of phrases: shares of characters and of pairs of neighbouring characters (0 to 1), read in at
most `LONGEST` characters of a text. Whether an answer holds what the case file gives its speaker is for `trials` and
`talks`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rapidfuzz import fuzz

from store.text.ideographs import HAN
from tasks.courts.procedure.replies import broken
from tasks.courts.scores.bigrams import bigrams

Reason = Literal["silent", "script", "echo", "repeat", "unrelated", "evades", "incomplete", "yields", ""]
REASONS: dict[Reason, tuple[str, str]] = {
    "silent": ("没有发言", "said nothing"),
    "script": ("没有用中文发言", "did not speak Chinese"),
    "echo": ("复述所听到的话", "said what it had heard"),
    "repeat": ("换了问题仍重复自己的话", "said the same to another question"),
    "unrelated": ("所说与本案无关", "spoke of something else than the case"),
    "evades": ("没有回答所问", "did not answer what was asked"),
    "incomplete": ("没有说出案卷交给它的内容", "left out what the case file gives it to say"),
    "yields": ("放弃案卷记载的异议", "gave up what the case file makes it contest"),
}
"""Why a turn is no answer -> how it is said in Chinese and English."""
NONSENSE: frozenset[Reason] = frozenset({"script", "echo", "repeat", "unrelated"})
"""Turns in which a role does not speak as anybody of the case: they count against its consistency too."""
VALID = 0.8
"""Of the turns of a simulated role so many must be answers, on the mean of its episodes, for a run to be comparable.
Rules in all seats of the 72 authored cases reach 0.95 and more in every role: docs/courts.md has the figures."""
LONGEST = 4000
LINES = 40
"""Lines of a text that are looked at one by one."""
CHINESE = 0.5
"""Of the letters of an utterance so many are Chinese characters."""
ALIKE = 0.85
"""Two texts of so much in common, by their longest common subsequence, are one."""
OTHER = 0.75
"""Below it a question is another question."""
REPEATED = 2
"""So many times words may have answered other questions before they answer nothing; an accused may end as he defended
himself."""
RETOLD = 24
"""Pairs from which on a text that only uses words of the question, in their order, is read back; a short one may
answer."""
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
_CLAUSES = re.compile(r"[，。；！？、：,;!?:\s]+")
_NEGATED = re.compile(r"^.{0,3}[没无不未否非别](?!过)")
_DENIED = re.compile(rf"[没无不未][{HAN}]{{0,4}}(?:[，。；！\s]|$)")
_CLOSED = re.compile(rf"是否|能否|可否|有无|有没有|吗|没有[？?。]?$|([{HAN}])[不没]\1")
_ADDRESS = re.compile(r"审判长|审判员|法官|律师|公诉人|辩护人|法庭|[您你我]")


class Said(NamedTuple):
    """An utterance of somebody, and what it answered."""

    heard: str
    text: str


def fault(text: str, heard: str, own: Sequence[Said], known: frozenset[str] | set[str]) -> Reason:
    """What is wrong with an utterance whatever was asked; '' where nothing is.

    A line that is sound makes the utterance sound: what else stands there (a tag, a quotation) takes no answer away.

    Args:
        text: what was said.
        heard: what it answers.
        own: what the speaker said before.
        known: pairs of all that the speaker holds and of all that was said before.
    """
    text, heard = text[:LONGEST], heard[:LONGEST]
    if _long(text) and same(text, heard):
        return "echo"
    others = [one.text[:LONGEST].splitlines()[:LINES] for one in own if not same(heard, one.heard, OTHER)]
    lines = [line for line in text.splitlines()[:LINES] if not broken(line)]
    against = [_of_line(line, heard, others, known) for line in lines] or ["silent"]
    return "" if "" in against else against[0]


def _of_line(line: str, heard: str, others: Sequence[Sequence[str]], known: frozenset[str] | set[str]) -> Reason:
    if len(_CHINESE.findall(line)) < CHINESE * len(_LETTER.findall(line)):
        return "script"
    if echoes(line, heard):
        return "echo"
    if repeats(line, heard, others):
        return "repeat"
    return "" if grounded(line, known) else "unrelated"


def echoes(text: str, heard: str) -> bool:
    """Whether a text is what was heard: all of it, or a part of it read back, or its question put again."""
    if not _long(text):
        return False
    if same(text, heard):
        return True
    within = len(text) <= len(heard) and fuzz.partial_ratio(text, heard) >= 100 * ALIKE
    asks = bool(_CLOSED.search(text)) or text.rstrip()[-1:] in "？?"
    return within and (asks or len(bigrams(text)) >= RETOLD)


def repeats(text: str, heard: str, others: Sequence[Sequence[str]]) -> bool:
    """Whether a text was the answer to two other questions already (`others`: the lines of those answers). What only
    denies, or says yes in a word, may come again."""
    said = len(bigrams(text))
    if not _long(text) or (said < RETOLD and _DENIED.search(text)) or (said < FEWEST and closed(heard)):
        return False
    return sum(any(same(text, line) for line in lines) for lines in others) >= REPEATED


def same(one: str, other: str, least: float = ALIKE) -> bool:
    """Whether two texts have so much in common."""
    return fuzz.ratio(one[:LONGEST], other[:LONGEST]) >= 100 * least


def grounded(text: str, known: frozenset[str] | set[str]) -> bool:
    """Whether an utterance speaks of the case; a short one, or one that only denies, need not show it."""
    said = bigrams(text)
    return len(said) < FEWEST or len(said & known) >= GROUNDED * len(said) or (denies(text) and len(said) < DENIAL)


def denies(text: str) -> bool:
    """Whether a clause begins with a denial: 没有, 我不清楚, 辩护人没有意见."""
    return any(_NEGATED.match(clause) for clause in _CLAUSES.split(text[:LONGEST]) if clause)


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


def _long(text: str) -> bool:
    return len(bigrams(text)) >= FEWEST // 2
