"""The statute book of the fictional jurisdiction: laws as data (title, dates, chapters, article number and text).

One text an article for now; the files under data/statutes keep number and text apart, so that versions can be added.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from store.text.numerals import int_to_chinese

BREAK = "\\n"
"""Paragraphs of an article in the corpus are parted by upstream's literal backslash-n."""


@dataclass(frozen=True, slots=True)
class Article:
    """One article. `text` has real newlines between paragraphs."""

    law: str
    chapter: str
    number: int
    text: str

    @property
    def label(self) -> str:
        """第四十八条."""
        return f"第{int_to_chinese(self.number)}条"

    @property
    def citation(self) -> str:
        """岚洲合同法典第四十八条, the form of the reference answers."""
        return self.law + self.label

    @property
    def entry(self) -> str:
        """The string of the LegalArticle corpus: 法名第X条：…."""
        return f"{self.citation}：{self.text.replace(chr(10), BREAK)}"


@dataclass(frozen=True, slots=True)
class Law:
    """One invented law; dates are ISO."""

    title: str
    adopted: str
    in_force: str
    articles: tuple[Article, ...]


@cache
def laws() -> tuple[Law, ...]:
    """All laws, in the order of their files."""
    folder = files("tasks.sample").joinpath("data/statutes")
    return tuple(
        _read(entry.read_text(encoding="utf-8"))
        for entry in sorted(folder.iterdir(), key=lambda path: path.name)
        if entry.name.endswith(".toml")
    )


def _read(text: str) -> Law:
    book = tomllib.loads(text)
    articles = tuple(
        Article(book["title"], chapter["title"], article["n"], article["text"])
        for chapter in book["chapter"]
        for article in chapter["articles"]
    )
    return Law(book["title"], book["adopted"], book["in_force"], articles)


def articles() -> Iterator[Article]:
    """Every article of every law."""
    for law in laws():
        yield from law.articles


@cache
def by_citation() -> dict[str, Article]:
    """岚洲合同法典第四十八条 -> its article."""
    return {article.citation: article for article in articles()}
