"""What every reader of law texts hands over: one version of one law, as its source gives it and nothing more.

Days are calendar days. A number of `ArticleNumber(0, n)` is a text without a number: an introduction, a preamble, an
annex, or a whole decision that has no articles.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from store.statutes.model import ArticleNumber

EventKind = Literal["adopted", "changed", "promulgated", "in_force", "other"]


@dataclass(frozen=True, slots=True)
class Event:
    """One decision in the history of a law.

    body: who decided, as the text names it; act: the title of the decision that changed the law, without 《》.
    """

    day: date
    kind: EventKind
    text: str
    body: str = ""
    act: str = ""


@dataclass(frozen=True, slots=True)
class ParsedArticle:
    """An article as it stands in the source; `line` is where it begins, from 1."""

    number: ArticleNumber
    text: str
    title: str = ""
    part: str = ""
    chapter: str = ""
    section: str = ""
    line: int = 0

    @property
    def numbered(self) -> bool:
        """Whether it is an article and not a text without a number."""
        return self.number.number > 0


@dataclass(frozen=True, slots=True)
class Repeal:
    """A title that a version repeals as a whole, and the sentence that says so."""

    title: str
    sentence: str


@dataclass(slots=True)
class ParsedLaw:
    """One version of a law, or one part of it, from one source.

    part: the part (编) that the source holds when a law is spread over several; dated: the name of the source gives
    the day of adoption; state: the day of the last change, or of enactment, which tells versions apart; changed:
    whether the law was ever changed; unlisted: its last change is known from the name of the source only; valid_from:
    what the source itself says or lets conclude (then `inferred`), basis: the words or the rule it rests on;
    closing_day: the day in the closing article, which may be that of an older version; problems: one sentence each.
    """

    name: str
    source: str
    part: str = ""
    level: str = ""
    aliases: tuple[str, ...] = ()
    history: tuple[Event, ...] = ()
    articles: list[ParsedArticle] = field(default_factory=list)
    adopted: date | None = None
    dated: bool = False
    state: date | None = None
    changed: bool = False
    unlisted: bool = False
    valid_from: date | None = None
    inferred: bool = False
    basis: str = ""
    closing_day: date | None = None
    repeals: tuple[Repeal, ...] = ()
    problems: list[str] = field(default_factory=list)

    @property
    def numbered(self) -> list[ParsedArticle]:
        """The articles without the texts that have no number."""
        return [article for article in self.articles if article.numbered]
