"""Articles that an amendment changed, told apart as the guidelines of the paper do (Appendix G).

An article is a candidate when at least one holds between two neighbouring versions of its law:
  characters  more than 20 % of its characters changed: insertions, deletions and replacements over the length of the
              longer text, blanks left out;
  meaning     the change touches what a provision turns on. Detected in the words only, and so stated: a quantity with
  its
              unit (三年, 百分之二十, 五千元) or a fraction, a modal (应当, 可以, 不得, 有权 …), a negation or an
              exception (不, 未, 无, 除外 …), or a legal presumption (视为, 推定) occurs more or less often than
              before.
Numbers of articles are no quantities: renumbering shifts them. A change of meaning that none of these words shows is
not found, and one that only reorders them is counted; a person who selects looks at both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from store.statutes.comparing import keeps_numbers
from store.statutes.model import Article, ArticleNumber, LawVersion
from store.text.alignment import ALIKE, alike, squeezed
from tasks.legalsearch.construct.book import Book

SHARE = 0.20
"""More than this share of characters is a significant revision (Appendix G, criterion 1)."""

Reason = Literal["quantity", "modal", "negation", "presumption"]
Fault = tuple[str, str, ArticleNumber | None]

_NUMBER = "[零〇○一二三四五六七八九十百千万亿两0-9]+(?:[点.][零〇一二三四五六七八九0-9]+)?"
QUANTITY = re.compile(
    rf"(?<![第零〇○一二三四五六七八九十百千万亿两0-9.])(?:[百千万]分之{_NUMBER}"
    rf"|{_NUMBER}分之{_NUMBER}"
    rf"|{_NUMBER}(?:个月|周岁|小时|毫克|公斤|平方米|万元|亿元|[年月日天岁元倍次人名条支吨克亩级]))(?![条款项章节审])"
)
"""A quantity with its unit; 第三条 and 第一审 are none."""
_WORDS: tuple[tuple[Reason, re.Pattern[str]], ...] = (
    ("quantity", QUANTITY),
    ("modal", re.compile("应当|必须|可以|不得|禁止|有权|无权|不予|从轻|从重|减轻|加重|免除|并处|单处")),
    ("negation", re.compile("除外|但是|但|不|未|无|非")),
    ("presumption", re.compile("视为|推定|举证责任|举证证明")),
)


@dataclass(frozen=True, slots=True)
class Change:
    """An article before and after an amendment. `share` of its characters changed, from 0 to 1."""

    before: Article
    after: Article
    old: LawVersion
    new: LawVersion
    share: float
    reasons: tuple[Reason, ...]
    rule: str
    """The article's law and newest number that is known: questions about it are no independent draws."""

    @property
    def why(self) -> tuple[str, ...]:
        """The criteria of the guidelines that it meets."""
        found = ("characters",) if self.share > SHARE else ()
        return (*found, "meaning") if self.reasons else found


def share_changed(old: str, new: str) -> float:
    """How much of a text changed, from 0 to 1: edits of single characters over the length of the longer text."""
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_distance(squeezed(old), squeezed(new)))


def meaning_changed(old: str, new: str) -> tuple[Reason, ...]:
    """The kinds of decisive words that occur more or less often than before; () when none do."""
    return tuple(
        kind
        for kind, words in _WORDS
        if Counter(words.findall(squeezed(old))) != Counter(words.findall(squeezed(new)))
    )


def changes(book: Book, faults: Collection[Fault] = frozenset()) -> Iterator[Change]:
    """All candidates of a book, law by law and version by version, in the order of the articles.

    Args:
        book: the statutes.
        faults: (law, label, number) of articles whose text is known to be damaged; a number of None means the
            version.
    """
    for law in book.laws():
        versions = [version for version in book.versions(law.name) if version.valid_from is not None]
        steps = list(_steps(book, law.name, versions))
        latest = _latest_numbers(steps)
        for old, new, pairs in steps:
            for before, after in pairs:
                if _damaged(before, faults) or _damaged(after, faults):
                    continue
                text, revised = before.text or "", after.text or ""
                share = share_changed(text, revised)
                reasons = meaning_changed(text, revised) if share else ()
                rule = f"{law.name}{latest.get((new.label, after.number), after.number).chinese}"
                change = Change(before, after, old, new, share, reasons, rule)
                if change.why:
                    yield change


_Step = tuple[LawVersion, LawVersion, list[tuple[Article, Article]]]


def _steps(book: Book, law: str, versions: list[LawVersion]) -> Iterator[_Step]:
    """Neighbouring versions with the articles that are the same rule in both and have words in both."""
    for old, new in zip(versions, versions[1:], strict=False):
        before, after = _by_number(book, old), _by_number(book, new)
        renumbered = [
            link
            for link in book.links(law)
            if link.kind == "renumbered" and link.on == new.valid_from and link.from_law == link.to_law == law
        ]
        links = {link.from_number: link.to_number for link in renumbered}
        taken = set(links.values())
        # Links that were concluded from likeness leave out what they could not place: there a number alone says
        # nothing.
        concluded = any(link.inferred for link in renumbered)
        kept = not concluded and (
            bool(links) or keeps_numbers(list(before.values()), list(after.values())) is not False
        )
        pairs = []
        for number, article in before.items():
            target = links.get(number) or (None if number in taken else number)
            other = after.get(target) if target else None
            if other is None or not (kept or alike(article.text or "", other.text or "") >= ALIKE):
                continue
            pairs.append((article, other))
        yield old, new, pairs


def _by_number(book: Book, version: LawVersion) -> dict[ArticleNumber, Article]:
    """The articles of a version that have words and a number of their own; numbers listed twice are left out."""
    articles = book.articles(version.law, version.label)
    counts = Counter(article.number for article in articles)
    return {
        article.number: article
        for article in articles
        if article.text and article.number.number and counts[article.number] == 1
    }


def _latest_numbers(steps: list[_Step]) -> dict[tuple[str, ArticleNumber], ArticleNumber]:
    """(label, number) -> the number of the rule in the newest version to which it can be followed."""
    latest: dict[tuple[str, ArticleNumber], ArticleNumber] = {}
    for old, new, pairs in reversed(steps):
        for before, after in pairs:
            latest[old.label, before.number] = latest.get((new.label, after.number), after.number)
    return latest


def _damaged(article: Article, faults: Collection[Fault]) -> bool:
    key = (article.law, article.label)
    return (*key, article.number) in faults or (*key, None) in faults
