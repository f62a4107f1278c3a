"""How one version of a law becomes one from two packs, and the account of where they differ.

Counts are of articles, versions, rows; an example names the place and, behind it, what the first | the second pack
say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from store.statutes.model import Article, ArticleNumber, LawVersion
from store.text.alignment import squeezed
from store.text.normalise import fold_width

EXAMPLES = 10
_SHOWN = 60


class Conflicts:
    """What differed by kind, with examples, and how much came from where."""

    def __init__(self) -> None:
        self._conflicts: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = {}
        self._notes: dict[str, str] = {}

    def add(self, kind: str, example: str) -> None:
        """One difference."""
        self._conflicts[kind] += 1
        listed = self._examples.setdefault(kind, [])
        if len(listed) < EXAMPLES:
            listed.append(example)

    def count(self, what: str, n: int) -> None:
        """So much was taken, or left out."""
        self._counts[what] += n

    def note(self, what: str, sentence: str) -> None:
        """Something to know, once."""
        self._notes[what] = sentence

    def windows(self, one: LawVersion, other: LawVersion) -> None:
        """Count two versions that are the same, and their days where these differ."""
        self.count("versions_same", 1)
        if (one.valid_from, one.valid_to) != (other.valid_from, other.valid_to):
            days = " | ".join(f"{v.valid_from or '?'}/{v.valid_to or ''}" for v in (one, other))
            self.add("windows", f"{one.label}: {days}")

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        kinds = sorted(self._conflicts)
        return {
            "counts": dict(sorted(self._counts.items())),
            "conflicts": {kind: {"n": self._conflicts[kind], "examples": self._examples[kind]} for kind in kinds},
            "notes": dict(sorted(self._notes.items())),
        }


def same_version(one: LawVersion, other: LawVersion) -> bool:
    """Whether two packs mean one version: one label, or one first day."""
    starts = one.valid_from is not None and one.valid_from == other.valid_from
    return starts or fold_width(one.label) == fold_width(other.label)


def tagged(article: Article, pack: str) -> Article:
    """The article with the pack that its words come from."""
    return replace(article, text_source=f"{pack}: {article.text_source}" if article.text_source else pack)


def provided(version: LawVersion, pack: str) -> LawVersion:
    """The version with the pack that its days come from."""
    return replace(version, source=f"{pack}: {version.source}" if version.source else pack)


def joined(
    version: LawVersion, mine: Sequence[Article], theirs: Sequence[Article], conflicts: Conflicts
) -> list[Article]:
    """The articles of the first pack with words of the second where they have none, and those that it lacks, in
    place."""
    waiting: dict[ArticleNumber, list[Article]] = {}
    for article in theirs:
        waiting.setdefault(_place(article), []).append(article)
    made = []
    for article in mine:
        found = waiting.get(_place(article))
        made.append(_one(version, article, found.pop(0), conflicts) if found else article)
    for article in (article for rest in waiting.values() for article in rest):
        conflicts.add("articles_only_in_second", f"{version.label} {article.number}")
        at = max((n for n, known in enumerate(made, 1) if known.number <= article.number), default=0)
        made.insert(at, replace(article, law=version.law, label=version.label))
    return made


def _place(article: Article) -> ArticleNumber:
    return article.number


def _one(version: LawVersion, article: Article, other: Article, conflicts: Conflicts) -> Article:
    where = f"{version.label} {article.number}"
    if article.text is None and other.text is not None:
        conflicts.count("texts_filled", 1)
        filled = {name: getattr(other, name) for name in ("text", "text_source", "derived", "amended_by")}
        return replace(article, title=article.title or other.title, **filled)
    if article.text is not None and other.text is not None and squeezed(article.text) != squeezed(other.text):
        conflicts.add("texts", f"{where}: {_apart(article.text, other.text)}")
    if article.title and other.title and article.title != other.title:
        conflicts.add("titles", f"{where}: {article.title} | {other.title}")
    return article


def _apart(one: str, other: str) -> str:
    """Two texts from where they part, blanks left away."""
    one, other = squeezed(one), squeezed(other)
    at = next(
        (n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )
    return " | ".join(text[max(0, at - 8) : at + _SHOWN] for text in (one, other))
