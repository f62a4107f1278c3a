"""What a statute book is made of: a law has versions, a version applies on a run of days and has articles.

Days are calendar days, both ends inclusive; an end of None means still in force, a start of None means not known.
Where a text is None the article is known to exist and its words are not in the pack.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol, get_args

from store.schema import Provenance
from store.text.numerals import int_to_chinese

LinkKind = Literal["renumbered", "succeeded"]
LINK_KINDS: tuple[LinkKind, ...] = get_args(LinkKind)


LARGEST = 9999
"""No law has more articles; a larger number is no article number."""


@dataclass(frozen=True, slots=True, order=True)
class ArticleNumber:
    """第一百三十三条之一 is (133, 1); `sub` 0 is an article without 之.

    Number 0 is a text without a number (a preamble, an annex, a decision that has no articles), `sub` its place among
    them.
    """

    number: int
    sub: int = 0

    @property
    def key(self) -> str:
        """133-1, or 133."""
        return f"{self.number}-{self.sub}" if self.sub else str(self.number)

    @property
    def chinese(self) -> str:
        """第一百三十三条之一, as statutes print it; 未编号 for a text without a number."""
        if self.number == 0:
            return f"未编号{self.sub or ''}"
        tail = f"之{int_to_chinese(self.sub)}" if self.sub else ""
        return f"第{int_to_chinese(self.number)}条{tail}"

    def __str__(self) -> str:
        return self.chinese


@dataclass(frozen=True, slots=True)
class Law:
    """A law across all its versions.

    name: the official title without a version (中华人民共和国刑法); short: as people say it (刑法); level: 宪法,
    法律, 行政法规, 司法解释, 部门规章 … or nothing where the source does not say.
    """

    name: str
    short: str = ""
    level: str = ""
    provenance: Provenance = "imported"


@dataclass(frozen=True, slots=True)
class LawVersion:
    """One version of a law and the days on which it applied.

    label: as the source calls it (中华人民共和国刑法(2020修正)); adopted: the day of the decision; inferred: the days
    were not read but concluded; source: where the version or its days come from.
    """

    law: str
    label: str
    valid_from: date | None
    valid_to: date | None
    adopted: date | None = None
    inferred: bool = False
    source: str = ""

    def covers(self, day: date) -> bool:
        """Whether the version applied on a day; one whose start is not known covers no day."""
        return (
            self.valid_from is not None and self.valid_from <= day and (self.valid_to is None or day <= self.valid_to)
        )


@dataclass(frozen=True, slots=True)
class Article:
    """One article of one version.

    title: the heading in 【】, without them; text: its paragraphs joined by line breaks, without number and title;
    amended_by: the act that gave it this form; text_source: where the words come from; derived: the words were
    computed from other versions; position: its place in the version, from 1; listed: the number as the source printed
    it, where that was a fault which the importer has put right.
    """

    law: str
    label: str
    number: ArticleNumber
    part: str = ""
    chapter: str = ""
    section: str = ""
    title: str = ""
    text: str | None = None
    amended_by: str = ""
    text_source: str = ""
    derived: bool = False
    position: int = 0
    listed: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """An article that lives on under another number, or a law whose matter another law took over.

    A number of None means the law as a whole; `on` is the first day of the new state; basis: what says so, or
    "inferred: …" where texts were compared.
    """

    kind: LinkKind
    from_law: str
    from_number: ArticleNumber | None
    to_law: str
    to_number: ArticleNumber | None
    on: date
    basis: str

    @property
    def inferred(self) -> bool:
        """Whether it was concluded from a likeness of texts."""
        return self.basis.startswith("inferred")


class BookRows(Protocol):
    """What is derived of a statute book reads of it; the book itself offers what was derived, so it lies above."""

    def laws(self) -> list[Law]:
        """All laws by name."""

    def law(self, name: str) -> Law | None:
        """The law of this name or alias, if there is just one."""

    def versions(self, law: str) -> list[LawVersion]:
        """The versions of a law by their first day."""

    def articles(self, law: str, label: str) -> list[Article]:
        """All articles of a version in their order."""

    def openings(self) -> dict[str, list[tuple[str, str]]]:
        """The first texts of the newest version of each law, with where they stand."""

    def succeeded(self) -> list[Link]:
        """The links of laws that others repealed as a whole."""

    def successors(self, law: str, number: ArticleNumber | None, day: date) -> tuple[Link, ...]:
        """Where a law, or one of its articles, had gone by a day."""
