"""Time-travel pairs from any versioned pack: one question at two dates, with opposite answers (Figure 1 of the
paper).

Asked is which words of a law were in force on a day. Options are the clause as it stood before and after an
amendment, the clause of further versions, and that none of them was; their order is drawn once for both dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from random import Random

from store.text.alignment import squeezed
from tasks.legalsearch.construct.changes import Book, Change, draw_day, written
from tasks.legalsearch.construct.prompts import choice, record

LONGEST = 220
"""Clauses of more characters make no readable option."""
NONE = "以上各项当日均未施行"
_SENTENCE = re.compile(r"[^。；\n]+[。；]?")
_MOST = 4


def clause(text: str, other: str) -> str:
    """The sentences of a text that do not stand in the other one, joined."""
    known = {squeezed(sentence) for sentence in _SENTENCE.findall(other)}
    return "".join(s.strip() for s in _SENTENCE.findall(text) if squeezed(s) not in known).rstrip("；。")


def pairs(
    book: Book, found: Sequence[Change], rng: Random, as_of: date, prefix: str, law: str
) -> Iterator[tuple[dict[str, object], dict[str, object]]]:
    """Two tasks for each change whose clauses can be told apart; none for a rule that was used before."""
    others: dict[str, list[Change]] = {}
    for change in found:
        others.setdefault(change.rule, []).append(change)
    used: set[str] = set()
    for change in found:
        if change.rule in used:
            continue
        texts = [clause(change.before.text or "", change.after.text or "")]
        texts.append(clause(change.after.text or "", change.before.text or ""))
        if not all(0 < len(text) <= LONGEST for text in texts) or _inside(*texts):
            continue
        days = [draw_day(book, version, rng, as_of) for version in (change.old, change.new)]
        if days[0] is None or days[1] is None:
            continue
        used.add(change.rule)
        options = [*texts, *_further(change, others[change.rule], texts)][: _MOST - 1]
        rng.shuffle(options)
        options.append(NONE)
        name = f"{prefix}pair-{len(used):03d}"
        first, second = (
            record(
                "kqa", f"{name}{side}", _question(change, day, options), "ABCD"[options.index(text)], law=law,
                pair=name, cluster=change.rule, why=list(change.why), day=day.isoformat(),
            )
            for side, day, text in zip("ab", (days[0], days[1]), texts, strict=True)
        )  # fmt: skip
        yield first, second


def _inside(one: str, other: str) -> bool:
    """Whether one clause is a part of the other, so that both would be words in force."""
    short, long = sorted((squeezed(one), squeezed(other)), key=len)
    return short in long


def _further(change: Change, family: Sequence[Change], texts: Sequence[str]) -> Iterator[str]:
    """The same clause in other versions, where it can be told from the two at hand."""
    for other in family:
        if other is change:
            continue
        for article, beside in ((other.before, other.after), (other.after, other.before)):
            text = clause(article.text or "", beside.text or "")
            full = (change.before.text or "", change.after.text or "")
            inside = any(squeezed(text) in squeezed(words) for words in full)
            if 0 < len(text) <= LONGEST and not inside and not any(_inside(text, known) for known in texts):
                yield text
                return


def _question(change: Change, day: date, options: list[str]) -> str:
    number = change.after.number.chinese if change.after.number == change.before.number else ""
    where = f"《{change.after.law}》{number}"
    return choice(f"关于{where}，下列哪一项文字在{written(day)}正在施行？", options)
