"""Finds what is wrong with a statute book: its windows, its numbers, its texts, and what contradicts known law.

A finding says what it is (`kind`), where, how sure it is, and the values that a sentence about it needs; the
sentences, and what to do, belong to the interface. `certain`: the data contradict themselves or a provision;
`likely`: a known fault of sources explains it; `possible`: worth a look. Days are inclusive.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Literal

from store.statutes.book import StatuteBook
from store.statutes.model import Article, ArticleNumber, LawVersion
from store.statutes.names import LIFETIMES
from store.text.alignment import squeezed

Sure = Literal["certain", "likely", "possible"]

KINDS = (
    "gap", "overlap", "window_ends", "window_begins", "no_days", "no_rows", "missing_numbers", "stray_number",
    "duplicate", "mislabelled", "heading_inside", "moved_paragraph", "cut_short", "parent_ended",
)  # fmt: skip
"""In the order in which findings are shown."""

_DAY = timedelta(days=1)
_STRAY_SHARE = 0.1
_STRAY_JUMP = 10
_LONG_GAP = 366
_HEADING = re.compile(
    r"(?:^|\n|(?<=[。；：”）)])[ \u3000]+)(?P<heading>第[一二三四五六七八九十百零]+(?:分编|编|章|节)"
    r"(?:[ \u3000]+[^\n。；，：]{1,30})?|附[ \u3000]*则)[ \u3000]*(?=\n|$)"
)
_AMENDING = re.compile(r"修正案|的决定$")
_FORMULA = re.compile(r"[=＝×÷][^\n]*$")
_ENDS = tuple("。！？；”’）》)…\"'")
_PARAGRAPHS = re.compile(r"\n+|(?<=[。；：])[ \u3000]+")
_SHORTEST_PARAGRAPH = 8


@dataclass(frozen=True, slots=True)
class StatuteFault:
    """One fault: `number` None: of a version or law as a whole; `values` fill the sentence of its kind."""

    kind: str
    law: str
    label: str
    number: ArticleNumber | None
    sure: Sure
    values: Mapping[str, str] = field(default_factory=dict)


def check(book: StatuteBook) -> Iterator[StatuteFault]:
    """All findings, law by law."""
    for law in book.laws():
        yield from check_law(book, law.name)


def check_law(book: StatuteBook, law: str) -> Iterator[StatuteFault]:
    """The findings about one law: of its windows, then version by version."""
    versions = book.versions(law)
    yield from _windows(law, versions)
    if versions and versions[-1].valid_to is None and (doubt := book.doubt(versions[-1], date.max)):
        values = {"other": doubt.other, "since": doubt.since.isoformat(), "basis": doubt.relation.basis[:120]}
        sure: Sure = "possible" if doubt.partly else "likely"
        yield StatuteFault(
            "parent_ended", law, versions[-1].label, None, sure, {**values, "place": doubt.relation.where}
        )
    titles = [{a.number: a.title for a in book.articles(law, v.label) if a.title} for v in versions]
    before: list[Article] = []
    for place, version in enumerate(versions):
        articles = book.articles(law, version.label)
        if not articles:
            yield StatuteFault("no_rows", law, version.label, None, "certain", _span(version))
            continue
        near = [*titles[max(0, place - 1) : place], *titles[place + 1 : place + 2]]
        yield from _numbers(version, articles, near)
        yield from _texts(articles)
        yield from _moved(_renumbered(book, version, before), articles)
        before = articles


def _windows(law: str, versions: Sequence[LawVersion]) -> Iterator[StatuteFault]:
    for version in versions:
        if version.valid_from is None:
            yield StatuteFault("no_days", law, version.label, None, "certain")
    dated = [version for version in versions if version.valid_from is not None]
    lifetime = LIFETIMES.get(law)
    for old, new in zip(dated, dated[1:], strict=False):
        assert old.valid_from and new.valid_from
        values = {"before": old.label, "after": new.label}
        if old.valid_to is None or old.valid_to >= new.valid_from:
            ends = [version.valid_to for version in (old, new) if version.valid_to]
            last = min(ends).isoformat() if ends else ""
            yield StatuteFault(
                "overlap",
                law,
                new.label,
                None,
                "certain",
                {**values, "first": new.valid_from.isoformat(), "last": last},
            )
        elif old.valid_to + _DAY < new.valid_from:
            first, last_day = old.valid_to + _DAY, new.valid_from - _DAY
            sure: Sure = (
                "certain"
                if (last_day - first).days < _LONG_GAP or (lifetime and lifetime.covers(first))
                else "likely"
            )
            days = str((last_day - first).days + 1)
            span = {"first": first.isoformat(), "last": last_day.isoformat(), "days": days}
            yield StatuteFault("gap", law, old.label, None, sure, {**values, **span})
    if lifetime and dated:
        how: Sure = "certain" if lifetime.certain else "likely"
        ends = [version.valid_to or date.max for version in dated]
        last_end, known_end = max(ends), lifetime.last or date.max
        label = dated[ends.index(last_end)].label
        if last_end != known_end:
            shown = {"listed": _shown(last_end), "known": _shown(known_end), "basis": lifetime.basis}
            yield StatuteFault("window_ends", law, label, None, how, shown)
        begins = dated[0].valid_from
        # A list may begin with a later version; it contradicts only where it begins too early, or with the law
        # itself.
        original = dated[0].label == law and not dated[0].inferred
        if begins is not None and (begins < lifetime.first or (original and begins > lifetime.first)):
            shown = {"listed": begins.isoformat(), "known": lifetime.first.isoformat(), "basis": lifetime.basis}
            yield StatuteFault("window_begins", law, dated[0].label, None, how, shown)


def _numbers(
    version: LawVersion, articles: Sequence[Article], near: Sequence[Mapping[ArticleNumber, str]]
) -> Iterator[StatuteFault]:
    law, label = version.law, version.label
    counted = Counter(article.number for article in articles)
    for number, count in counted.items():
        if count > 1:
            second = [article for article in articles if article.number == number][1]
            following = ArticleNumber(number.number, number.sub + 1)
            known = any(second.title and titles.get(following) == second.title for titles in near)
            absent = following not in counted
            really = following.chinese if known and absent else ""
            values = {"count": str(count), "title": second.title, "really": really}
            yield StatuteFault("duplicate", law, label, number, "certain", values)
    for article in articles:
        if article.listed:
            yield StatuteFault(
                "mislabelled",
                law,
                label,
                article.number,
                "likely",
                {"listed": article.listed, "title": article.title},
            )
    plain = sorted({number.number for number in counted if number.number > 0})
    body, stray = _without_strays(plain)
    for far in stray:
        yield StatuteFault(
            "stray_number", law, label, ArticleNumber(far), "likely", {"last": ArticleNumber(body[-1]).chinese}
        )
    # Amendments of the constitution go on counting where the last one ended.
    begin = body[0] if body and _AMENDING.search(law) else 1
    for first, last in _runs(sorted(set(range(begin, body[-1] + 1)) - set(body))) if body else ():
        values = {
            "first": ArticleNumber(first).chinese,
            "last": ArticleNumber(last).chinese,
            "count": str(last - first + 1),
        }
        yield StatuteFault("missing_numbers", law, label, None, "certain", values)


def _without_strays(plain: list[int]) -> tuple[list[int], list[int]]:
    """The numbers of the law itself, and those far behind its end: quoted articles that a parser took for its own."""
    body = list(plain)
    stray: list[int] = []
    while len(body) > 1:
        widest = max(range(1, len(body)), key=lambda at: body[at] - body[at - 1])
        tail = body[widest:]
        if body[widest] - body[widest - 1] <= _STRAY_JUMP or len(tail) > max(1, _STRAY_SHARE * widest):
            break
        body, stray = body[:widest], [*tail, *stray]
    return body, stray


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = last = None
    for number in numbers:
        if last is not None and number == last + 1:
            last = number
            continue
        if start is not None and last is not None:
            yield start, last
        start = last = number
    if start is not None and last is not None:
        yield start, last


def _texts(articles: Sequence[Article]) -> Iterator[StatuteFault]:
    for article in articles:
        if not article.text or not article.number.number or _AMENDING.search(article.law):
            continue
        for match in _HEADING.finditer(article.text):
            values = {"heading": match["heading"].strip()}
            yield StatuteFault("heading_inside", article.law, article.label, article.number, "certain", values)
        end = article.text.rstrip()
        # The last article may carry an annex, which ends as it likes.
        if (
            article is not articles[-1]
            and not end.endswith(_ENDS)
            and not _FORMULA.search(end)
            and not _HEADING.search(article.text)
        ):
            yield StatuteFault(
                "cut_short", article.law, article.label, article.number, "possible", {"end": end[-12:]}
            )


def _renumbered(book: StatuteBook, version: LawVersion, before: Sequence[Article]) -> dict[ArticleNumber, Article]:
    """The articles of the version before under the numbers that they have in this one."""
    links = {
        link.from_number: link.to_number
        for link in book.links(version.law)
        if link.kind == "renumbered" and link.on == version.valid_from and link.from_law == version.law
    }
    taken = set(links.values())
    found: dict[ArticleNumber, Article] = {}
    for article in before:
        number = links.get(article.number) or (None if article.number in taken else article.number)
        if number is not None and article.text:
            found[number] = article
    return found


def _moved(old: Mapping[ArticleNumber, Article], after: Sequence[Article]) -> Iterator[StatuteFault]:
    """Paragraphs that stand at the end of an article in one version and in the next article in the other.

    Between the last article of a chapter and the first of the next one that is a known fault of chunkers; elsewhere
    the legislator may have done it.
    """
    for one, following in zip(after, after[1:], strict=False):
        then, then_following = old.get(one.number), old.get(following.number)
        if not (one.text and following.text and then and then_following) or then.text == one.text:
            continue
        if then_following.position != then.position + 1:
            continue
        boundary = (one.part, one.chapter, one.section) != (following.part, following.chapter, following.section)
        pairs = ((then, then_following), (one, following))
        for (whole, whole_next), (cut, cut_next) in (pairs, pairs[::-1]):
            gone = {*_paragraphs(cut), *_paragraphs(whole_next)}
            come = {*_paragraphs(cut_next)}
            moved = [piece for piece in _paragraphs(whole)[1:] if piece in come - gone]
            if moved:
                values = {"to": cut_next.number.chinese, "paragraph": moved[0][:20], "other": whole.label}
                sure: Sure = "likely" if boundary else "possible"
                yield StatuteFault("moved_paragraph", cut.law, cut.label, cut.number, sure, values)


def _paragraphs(article: Article) -> list[str]:
    pieces = (squeezed(piece) for piece in _PARAGRAPHS.split(article.text or ""))
    return [piece for piece in pieces if len(piece) >= _SHORTEST_PARAGRAPH]


def _span(version: LawVersion) -> dict[str, str]:
    first = version.valid_from.isoformat() if version.valid_from else ""
    return {"first": first, "last": version.valid_to.isoformat() if version.valid_to else ""}


def _shown(day: date) -> str:
    return "" if day == date.max else day.isoformat()
