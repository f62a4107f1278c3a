"""What every reader of law texts hands over: one version of one law, as its source gives it and nothing more.

Days are calendar days. A number of `ArticleNumber(0, n)` is a text without a number: an introduction, a preamble, an
annex, or a whole decision that has no articles.
"""

from __future__ import annotations

import codecs
import hashlib
import re
import unicodedata
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Literal

from store.errors import BadInput
from store.statutes.model import ArticleNumber
from store.text.alignment import squeezed
from store.text.normalise import fold_width

_COMMENT = re.compile(r"<!--[^>]{0,200}-->")
_MARKS = re.compile(r"\*\*|\\(?=[*_.#\-()\[\]])")
_BLANKS = re.compile(r"[\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_HEADING = re.compile(r"(#{1,6})\s*(.*)")


def decode(data: bytes, label: str) -> str:
    """The text of a file: UTF-8, UTF-16 with its mark, or GB18030.

    Raises:
        BadInput: none of these.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings: tuple[str, ...] = ("utf-16",)
    else:
        encodings = ("utf-8-sig", "gb18030")
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            break
        return text
    raise BadInput(f"{label} is no text in UTF-8, UTF-16 or GB18030")


def plain(line: str) -> str:
    """A line without bold marks, comments and invisible characters; every run of blanks is one blank."""
    if "<!--" in line:
        line = _COMMENT.sub("", line)
    if not line.isprintable():
        line = "".join(c for c in line if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    return _BLANKS.sub(" ", _MARKS.sub("", line)).strip()


def heading(line: str) -> tuple[int, str]:
    """How many `#` a plain line begins with, and what follows them."""
    match = _HEADING.match(line)
    return (len(match[1]), match[2].strip()) if match else (0, line)


EventKind = Literal["adopted", "changed", "promulgated", "in_force", "other"]


@dataclass(frozen=True, slots=True)
class LawDecision:
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


@dataclass
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
    history: tuple[LawDecision, ...] = ()
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

    @cached_property
    def digest(self) -> str:
        """A hash of the words, the same however they are spaced."""
        words = "".join(f"{one.number.key}\0{folded(one.text)}\0" for one in self.numbered or self.articles)
        return hashlib.sha256(words.encode()).hexdigest()


def folded(text: str) -> str:
    """A text by its words alone, whatever the width and the spacing of its characters."""
    return squeezed(fold_width(text))
