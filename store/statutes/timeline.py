"""One article through all versions of its law: when it came, when its words changed, where its number went.

Numbers are followed by the links in the pack where a revision renumbered the law, else by the number itself. Where
neither texts nor counts can show that a number still means the same rule, the step is marked as uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from store.statutes.book import StatuteBook
from store.statutes.model import Article, ArticleNumber, LawVersion, Link
from store.text.alignment import ALIKE, alike, squeezed

Change = Literal["absent", "first", "same", "changed", "untold", "listed"]
"""absent: not in this version; first: the first version that has it; same, changed: its words, beside the last
version that has it; untold: one of the two texts is not in the pack; listed: the version has no articles in the pack
at all."""

_ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """An article in one version.

    link: how its number came from the version before, where it changed; uncertain: that this is the same rule is
    assumed from the number alone.
    """

    version: LawVersion
    article: Article | None
    change: Change
    link: Link | None = None
    uncertain: bool = False


def timeline(book: StatuteBook, law: str, number: ArticleNumber, day: date | None = None) -> list[TimelineEntry]:
    """The article through the versions of a law, oldest first.

    Args:
        book: where to look.
        law: name or alias; an unknown one has no entries.
        number: its number in the version in force on `day`.
        day: None: in the newest version that has it.
    """
    versions = [version for version in book.versions(law) if version.valid_from is not None]
    anchor = _anchor(book, versions, number, day)
    if anchor is None:
        return []
    steps: dict[int, tuple[ArticleNumber | None, Link | None, bool]] = {anchor: (number, None, False)}
    for places in (range(anchor + 1, len(versions)), range(anchor - 1, -1, -1)):
        current: ArticleNumber | None = number
        near = anchor
        for place in places:
            if not book.numbers(versions[place].law, versions[place].label):
                steps[place] = (None, None, False)
                continue
            forward = place > near
            old, new = (near, place) if forward else (place, near)
            current, link, unsure = _step(book, versions[old], versions[new], current, forward)
            steps[place] = (current, None, False)
            # How a number came about is told at the newer of the two versions.
            kept = steps[new][0]
            steps[new] = (kept, link, unsure and current is not None)
            near = place
            if current is None:
                break
    return _entries(book, versions, steps)


def followed(
    book: StatuteBook, number: ArticleNumber, start: LawVersion, target: LawVersion
) -> tuple[ArticleNumber | None, bool]:
    """The number that an article of one version has in another, and whether that is only assumed; None: it has none
    there."""
    entries = timeline(book, start.law, number, start.valid_from)
    places = {entry.version.label: place for place, entry in enumerate(entries)}
    if start.label not in places or target.label not in places:
        return None, False
    first, last = sorted((places[start.label], places[target.label]))
    article = entries[places[target.label]].article
    unsure = any(entry.uncertain for entry in entries[first + 1 : last + 1])
    return (article.number, unsure) if article else (None, False)


def _anchor(book: StatuteBook, versions: Sequence[LawVersion], number: ArticleNumber, day: date | None) -> int | None:
    having = [place for place, v in enumerate(versions) if number in book.numbers(v.law, v.label)]
    if day is not None:
        covering = [place for place in having if versions[place].covers(day)]
        having = covering or having
    return having[-1] if having else None


def _step(
    book: StatuteBook, old: LawVersion, new: LawVersion, number: ArticleNumber | None, forward: bool
) -> tuple[ArticleNumber | None, Link | None, bool]:
    """The number on the other side of a revision, the link that says so, and whether it is only assumed."""
    if number is None:
        return None, None, False
    links = [link for link in book.links(new.law) if link.kind == "renumbered" and link.on == new.valid_from]
    target = new if forward else old
    for link in links:
        start, end = (link.from_number, link.to_number) if forward else (link.to_number, link.from_number)
        if start == number and link.from_law == link.to_law == new.law:
            return end, link, False
    taken = {link.to_number if forward else link.from_number for link in links}
    if number in taken or number not in book.numbers(target.law, target.label):
        return None, None, False
    if links:
        # The law was numbered afresh: the same number is the same rule only where its words say so.
        sides = [found[0].text for v in (old, new) if (found := book.article(v.law, v.label, number))]
        if len(sides) == 2 and sides[0] and sides[1] and alike(sides[0], sides[1]) < ALIKE:
            return None, None, False
    return number, None, not links and not _same_numbering(book, old, new)


def _same_numbering(book: StatuteBook, old: LawVersion, new: LawVersion) -> bool:
    """Whether a number may be taken for the same rule: texts were compared at import, or the lists end alike."""
    if all(book.share_of_texts(version) >= _ENOUGH for version in (old, new)):
        return True
    last = [max(n.number for n in book.numbers(v.law, v.label)) for v in (old, new)]
    return last[0] == last[1]


def _entries(
    book: StatuteBook,
    versions: Sequence[LawVersion],
    steps: dict[int, tuple[ArticleNumber | None, Link | None, bool]],
) -> list[TimelineEntry]:
    entries: list[TimelineEntry] = []
    last: Article | None = None
    for place, version in enumerate(versions):
        number, link, unsure = steps.get(place, (None, None, False))
        found = book.article(version.law, version.label, number) if number else []
        article = found[0] if found else None
        if article is None:
            empty = not book.numbers(version.law, version.label)
            entries.append(TimelineEntry(version, None, "listed" if empty else "absent"))
            continue
        change: Change = "first"
        if last is not None:
            if last.text is None or article.text is None:
                change = "untold"
            else:
                change = "same" if squeezed(last.text) == squeezed(article.text) else "changed"
        entries.append(TimelineEntry(version, article, change, link if last else None, unsure and last is not None))
        last = article
    return entries


def wording(entries: Sequence[TimelineEntry], label: str) -> tuple[date | None, date | None] | None:
    """First and last day of the words that the article has in one version; None where they are not known there."""
    place = next((n for n, entry in enumerate(entries) if entry.version.label == label and entry.article), None)
    if place is None or entries[place].article is None or entries[place].article.text is None:  # type: ignore[union-attr]
        return None
    start = end = place
    while entries[start].change == "same":
        start -= 1
    while end + 1 < len(entries) and entries[end + 1].change == "same":
        end += 1
    return entries[start].version.valid_from, entries[end].version.valid_to
