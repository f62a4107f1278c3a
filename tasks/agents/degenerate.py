"""Degenerate replies: speech that says nothing of its own.

An *echo* is what the other said last, put back; a *recital* the instructions or the cue of the speaker's own prompt;
a *repeat* an earlier reply of his, given to other words with nothing new, or the same a third time in a row; who
*speaks for* another goes on in the name of somebody else. All are found by runs of characters that two texts share,
never by phrases. Texts are compared by their letters and digits alone. What a seat was given to say (unless the whole
reply comes again word for word), quotations and short denials or assents are none of these. A loop inside a reply is
stopped by the engine (`models.repetition`), identical calls end an episode (`tasks.episode.with_tools`). Sizes in
characters of such a comparison, shares from 0 to 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz

from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.episode.events import Fault

EMPTY: frozenset[str] = frozenset({"echo", "recital", "repeat"})
"""Faults of a reply that says nothing: under strict it earns nothing."""
RUN = 4
"""Characters in a row that two texts must share to be taken from one another."""
OWN = 6
"""Likewise with what the speaker was given to say."""
TAKEN = 0.8
"""Of a sentence, from which on it is taken from elsewhere."""
MOST = 0.6
"""Of a reply, from which on all of it is."""
ALIKE = 0.75
"""Two prompts of so much in common, by their longest common subsequence, are one."""
SHORTEST = 8
"""A shorter reply is a denial, an assent or a name."""
DENIAL = 24
"""A shorter reply that denies may come again."""
LONGEST = 4000

_LETTERS = re.compile(rf"[0-9A-Za-z{HAN}]+")
_SENTENCE = re.compile(r"[^。！？；!?;\n]*[。！？；!?;\n]?")
_QUOTED = re.compile(r"《[^《》\n]{1,80}》(?:第[^条\n]{1,12}条)?|“[^“”\n]{1,400}”|「[^「」\n]{1,400}」")
_ASKS = re.compile(r"[?？]\s*$|[吗呢][。!！\s]*$")
_REQUESTS = re.compile(r"请(?![求假的])[^，。；]{0,12}?[告说问答讲确]")
"""A request to speak: 请您告诉我, 请被告明确."""
_CLOSED = re.compile(rf"是否|能否|可否|有无|有没有|吗|没有[？?。]?$|([{HAN}])[不没]\1")
_CLAUSES = re.compile(r"[，。；！？、：,;!?:\s]+")
_DENIES = re.compile(r"^.{0,3}[没无不未否非别](?!过)")


class PromptReply(NamedTuple):
    """Something said, and what it answers."""

    prompt: str
    reply: str


def fault(
    reply: str,
    prompt: str,
    earlier: Sequence[PromptReply] = (),
    *,
    given: str = "",
    instructions: str = "",
    others: Iterable[str] = (),
    again: int = 0,
) -> Fault:
    """What is wrong with a reply, '' where nothing is.

    Args:
        reply: what was said.
        prompt: the last words of the other, which it answers.
        earlier: exchanges of the same speaker before.
        given: what the speaker's card or cue gives him to say.
        instructions: what else his prompt holds: rules, forms, examples, cues.
        others: names of the other speakers.
        again: how often the same may be said to other words.
    """
    text = reply[:LONGEST]
    if _speaks_for(text, others):
        return "speaks_for"
    whole = len(_letters(text))
    kept = [(one, rest) for one in _sentences(text) if (rest := _not_given(_letters(one), given))]
    least = max(SHORTEST, MOST * whole)
    anew = [one for one in earlier if not _alike(one.prompt, prompt)]
    if whole >= DENIAL and sum(_letters(one.reply) == _letters(text) for one in anew) > again:
        return "repeat"
    plain = whole < SHORTEST or (whole < DENIAL and denies(text))
    put_back = whole >= SHORTEST and _letters(text) == _letters(prompt)  # if there is nothing to say, say so
    if not again and not plain and [_letters(one.reply) for one in earlier[-2:]] == [_letters(text)] * 2:
        return "repeat"  # two who wait for each other say the same for ever
    if sum(len(rest) for _, rest in kept) < least or (plain and not put_back):
        return ""
    if _taken(kept, prompt) >= least:
        return "echo"
    if _taken(kept, instructions) >= least:
        return "recital"
    same = sum(all(_is_taken(rest, one.reply) for _, rest in kept) for one in anew)
    return "repeat" if same > again else ""


def denies(text: str) -> bool:
    """Whether a clause begins with a denial: 没有, 我不清楚, 辩护人没有意见."""
    return any(_DENIES.match(clause) for clause in _CLAUSES.split(text[:LONGEST]) if clause)


def closed(question: str) -> bool:
    """Whether a question can be answered by yes or no, by its grammar."""
    return bool(_CLOSED.search(question[-LONGEST:]))


def asks(sentence: str) -> bool:
    """Whether a sentence is a question: by mark or particle, or as a request (请告诉我是否申请回避)."""
    return _question_at(sentence) < len(sentence)


def stated(text: str) -> str:
    """A text without what asks in it: 我同意，请问原告是否同意？ states 我同意."""
    return "".join(one[: _question_at(one)] for one in _SENTENCE.findall(text))


def _question_at(sentence: str) -> int:
    marked, requested = _ASKS.search(sentence), _REQUESTS.search(sentence)
    if requested and (marked or closed(sentence[requested.end() :])):
        return requested.start()
    return 0 if marked else len(sentence)


def _alike(one: str, other: str) -> bool:
    return fuzz.ratio(one[:LONGEST], other[:LONGEST]) >= 100 * ALIKE


def _taken(kept: Sequence[tuple[str, str]], source: str) -> int:
    """Characters of the sentences that stand in a source. What the source asks and a sentence states is an answer in
    the words of the question, and not taken."""
    statements = stated(_QUOTED.sub("", source))
    return sum(len(rest) for one, rest in kept if _is_taken(rest, source if asks(one) else statements))


def _is_taken(letters: str, source: str) -> bool:
    return sum(_covered(letters, source, RUN)) >= TAKEN * len(letters)


def _not_given(letters: str, given: str) -> str:
    covered = _covered(letters, given, OWN)
    return "".join(letter for letter, taken in zip(letters, covered, strict=True) if not taken)


def _covered(letters: str, source: str, size: int) -> bytearray:
    """1 for each character that stands in a run of the source; a text shorter than a run is one."""
    size = min(size, len(letters))
    runs = _runs(source, size)
    covered = bytearray(len(letters))
    for at in range(len(letters) - size + 1):
        if letters[at : at + size] in runs:
            covered[at : at + size] = b"\1" * size
    return covered


@lru_cache(maxsize=512)
def _runs(source: str, size: int) -> frozenset[str]:
    letters = _letters(source)
    return frozenset(letters[at : at + size] for at in range(len(letters) - size + 1))


def _sentences(text: str) -> list[str]:
    return [one for one in _SENTENCE.findall(_QUOTED.sub("", text)) if _LETTERS.search(one)]


def _letters(text: str) -> str:
    return "".join(_LETTERS.findall(fold_width(text)))


def _speaks_for(text: str, others: Iterable[str]) -> bool:
    """Whether a reply goes on, after words of its own, as another speaker, or its speaker says he is somebody else.

    我是公诉人， does, 我是公诉人的同事， does not.
    """
    names = "|".join(re.escape(one) for one in others if one)
    if not names:
        return False
    goes_on = re.search(rf".[\s]*(?:【(?:{names})】|\n[^\S\n]*(?:{names})[：:])", text, re.DOTALL)
    return bool(goes_on or re.search(rf"我[是叫](?:{names})+[，。；！\s]", _QUOTED.sub("", text)))
