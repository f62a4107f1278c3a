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
class Problem:
    """Something a reader of the report should know: where, of which kind (see `problems.KINDS`), and what."""

    where: str
    kind: str
    text: str


@dataclass(slots=True)
class ParsedLaw:
    """One version of a law from one source.

    label, valid_from and valid_to are set when the versions of a law are laid beside each other; until then valid_from
    is what the source itself says and `inferred` whether it only follows from something else. basis: the words or the
    rule that valid_from rests on. state: the day of the last change, which tells versions apart.
    """

    name: str
    source: str
    history: tuple[Event, ...] = ()
    articles: list[ParsedArticle] = field(default_factory=list)
    aliases: tuple[str, ...] = ()
    level: str = ""
    label: str = ""
    adopted: date | None = None
    state: date | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    inferred: bool = False
    basis: str = ""
    problems: list[Problem] = field(default_factory=list)
