"""Whether the law that a case cites exists, and is the law of its days. No text of any law is needed for that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Protocol

from rapidfuzz import fuzz, process

from store.statutes.applicable import CaseDates, judge_version, kind_of
from store.statutes.model import Article, ArticleNumber, LawVersion
from store.statutes.names import key_of_name
from store.statutes.shipped import as_of, indexed_laws, listed_laws, numbers_of
from store.text.citation import citations
from store.text.normalise import fold_width
from tasks.courts.casefile.people import LawRef
from tasks.courts.casefile.sense import CaseFinding, doubtful, wrong


class Laws(Protocol):
    """What a check asks about laws; a `StatuteBook` answers it too."""

    def versions(self, law: str) -> list[LawVersion]:
        """All versions of the law of this official title; [] where it is not known."""
        ...

    def numbers(self, law: str, label: str) -> frozenset[ArticleNumber]:
        """Numbers of the articles of a version."""
        ...

    def article(self, law: str, label: str, number: ArticleNumber) -> list[Article]:
        """The article, in its words where there are any."""
        ...


class LawIndex:
    """Laws by their official titles, with versions and numbers of articles, without a text of any.

    Args:
        laws: title -> its versions, each with its articles, or with their numbers as a list writes them.
    """

    def __init__(self, laws: Mapping[str, Sequence[tuple[LawVersion, Iterable[Article] | str]]]) -> None:
        self._laws = {name: [version for version, _ in versions] for name, versions in laws.items()}
        self._articles = {(name, one.label): articles for name, all_of in laws.items() for one, articles in all_of}
        self._by_key = {key_of_name(name): name for name in laws}
        self._numbers: dict[tuple[str, str], frozenset[ArticleNumber]] = {}

    @property
    def names(self) -> Sequence[str]:
        """Official titles."""
        return tuple(self._laws)

    def versions(self, law: str) -> list[LawVersion]:
        """All versions that are known, in the order of their list."""
        return self._laws.get(law, [])

    def numbers(self, law: str, label: str) -> frozenset[ArticleNumber]:
        """Numbers of the articles of a version; each judgment asks anew."""
        if (found := self._numbers.get((law, label))) is None:
            articles = self._articles.get((law, label), ())
            found = frozenset(numbers_of(articles) if isinstance(articles, str) else (one.number for one in articles))
            self._numbers[law, label] = found
        return found

    def article(self, law: str, label: str, number: ArticleNumber) -> list[Article]:
        """The article without its words."""
        return [Article(law, label, number)] if number in self.numbers(law, label) else []

    def official(self, name: str) -> str | None:
        """The official title of a name in use."""
        return self._by_key.get(key_of_name(name))


@cache
def shipped_laws() -> LawIndex:
    """The index that comes with Moot."""
    return LawIndex({one.law.name: one.versions for one in indexed_laws()})


@cache
def all_laws() -> LawIndex:
    """The list of national laws that comes with Moot, with those versions that the collection has which it was made
    from."""
    return LawIndex({law.name: law.versions for law in listed_laws()})


def check_law(field: str, ref: LawRef, dates: CaseDates, laws: Laws) -> Iterator[CaseFinding]:
    """Whether the article exists, and a version of its law that has it applies to the case."""
    versions = laws.versions(ref.law)
    if not versions:
        yield wrong(field, f"《{ref.law}》 is not in the statute book", _spelled(ref.law))
        return
    having = [version for version in versions if ref.number in laws.numbers(ref.law, version.label)]
    if not having:
        yield wrong(field, f"《{ref.law}》 has no {ref.number.chinese} in any version", "Look the number up.")
        return
    # Rules on which law applies are rules of procedure: the court follows those of its own day.
    kind = "procedure" if "时间效力" in ref.law and kind_of(ref.law) == "civil" else kind_of(ref.law)
    marks = [(judge_version(version, dates, kind=kind, number=ref.number), version) for version in having]
    best = next((found for found in marks if found[0].verdict == "applicable"), None)
    best = best or next((found for found in marks if found[0].verdict == "possible"), None)
    judged = dates.judged
    if (
        best is None
        and kind == "civil"
        and ref.law.startswith("最高")
        and judged
        and any(v.covers(judged) for v in having)
    ):
        yield doubtful(
            field,
            f"{ref.chinese} is younger than the facts of the case",
            "Its last article says whether it holds for pending cases.",
        )
        return
    if best is None:
        told = marks[-1][0].rule
        elsewhere = "、".join(version.label for version in having)
        yield wrong(
            field,
            f"{ref.chinese} is not the law of this case: {told.says.rstrip('。')}",
            f"It stands in {elsewhere}; cite the version of the day.",
        )
        return
    verdict, version = best
    # An interpretation says what the law means: in force at the judgment, it is followed.
    followed = kind == "civil" and ref.law.startswith("最高") and verdict.rule.key == "during_act"
    if verdict.verdict == "possible" and not (followed and judged and version.covers(judged)):
        basis = f" ({verdict.rule.basis})" if verdict.rule.basis else ""
        yield doubtful(
            field,
            f"{ref.chinese} applies only on a condition: {verdict.rule.says.rstrip('。')}",
            f"Say in the {'answer' if field.startswith('topics.') else 'reason'} why{basis}.",
        )
    yield from _paragraph(field, ref, version, laws)


def check_text(field: str, text: str, dates: CaseDates, laws: Laws) -> Iterator[CaseFinding]:
    """The same for every article that a text cites with the title of its law."""
    folded = fold_width(text)
    for cited in citations(text):
        if cited.law is None:
            continue
        written = folded[cited.start : cited.end]
        law = next((name for name in _titles(cited.law, written) if laws.versions(name)), cited.law)
        ref = LawRef(
            law=law, article=cited.number.number, sub=cited.number.sub, paragraph=cited.paragraph, item=cited.item
        )
        yield from check_law(field, ref, dates, laws)


def _titles(name: str, cited: str) -> Iterator[str]:
    """What a text may mean by a title: a bracket at its end, （一）, is lost where it stands before the article."""
    number = re.search(r"[》〉>释定]\(([一二三四五六七八九十])\)", cited)
    for written in (*((f"{name}（{number[1]}）",) if number else ()), name, f"{name}（一）"):
        yield written
        yield shipped_laws().official(written) or written


def check_index(dates: CaseDates) -> Iterator[CaseFinding]:
    """Whether the shipped index reaches the days of the case."""
    last = max((day for day in (dates.proceeding, dates.judged) if day), default=None)
    if last and last > as_of():
        yield doubtful(
            "dates",
            f"{last} is later than the index of laws ({as_of()})",
            "Take earlier days, or check each article by hand.",
        )


def _paragraph(field: str, ref: LawRef, version: LawVersion, laws: Laws) -> Iterator[CaseFinding]:
    texts = [article.text for article in laws.article(ref.law, version.label, ref.number) if article.text]
    if ref.paragraph is None or not texts:
        return
    count = max(
        sum(not line.strip().startswith(("（", "(")) for line in text.splitlines() if line.strip()) for text in texts
    )
    if ref.paragraph > count:
        yield wrong(
            field, f"{ref.law}{ref.number.chinese} has {count} paragraphs (款)", "Correct the number of the 款."
        )


def _spelled(name: str) -> str:
    laws = shipped_laws()
    official = laws.official(name)
    near = (
        [official]
        if official
        else [
            found for found, score, _ in process.extract(name, laws.names, scorer=fuzz.ratio, limit=2) if score >= 50
        ]
    )
    return f"Did you mean {' or '.join(near)}?" if near else "Cite laws of the index by their official titles."
