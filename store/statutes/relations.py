"""How laws hang together: what interprets, implements, amends or repeals what, each with the words that say so.

Relations are read once a book, from titles and from the opening articles; repeals come with the links of the pack,
which closing articles state. No law is named here. A rule whose laws have all ended without its own repeal is in
doubt, and so is one whose first law has (courts name the law of the matter before those of procedure): nobody said
that it ended, and nobody can say for certain that it applies. Days are inclusive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal, get_args

from store.statutes.model import BookRows
from store.statutes.names import LIFETIMES, STATE, key_of_name

RelationKind = Literal["interprets", "implements", "amends", "repeals"]
RELATION_KINDS: tuple[RelationKind, ...] = get_args(RelationKind)

LONGEST = 400
"""Characters of a title or an opening that are read."""
_DAY = timedelta(days=1)
_COURTS = re.compile(r"^(?:最高人民法院|最高人民检察院)")
_TITLE = re.compile(r"[《〈](?P<law>[^《》〈〉\n]{2,80})[》〉]")
_REPEALS = re.compile(r"关于废止")
_AMENDS = re.compile(r"关于(?:修改|修订|修正)")
_INTERPRETS = re.compile(r"适用|解释|解答|批复|答复|意见|时间效力|执行")
_RULES = re.compile(r"^(?P<law>.{2,80}?(?:法|条例))(?:实施|施行)(?:条例|细则|办法|规定|规则)(?:[（(]|$)")
_AMENDMENT = re.compile(r"^(?P<law>.{2,80}?)修正案")
_MADE_UNDER = re.compile(
    r"(?:根据|依据|依照|为(?:了)?(?:正确)?(?:实施|适用|贯彻|执行))(?P<laws>[^。；]{0,200}?)制定本"
)


@dataclass(frozen=True, slots=True)
class Relation:
    """law acts upon other. basis: the words that say so; where: 标题, or the article in which they stand.

    on: the day from which a repeal counts, None otherwise; other need not be in the book.
    """

    kind: RelationKind
    law: str
    other: str
    basis: str
    where: str
    on: date | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a version may not be called in force: its law `other` ended, `since` the first day without it.

    partly: other laws that it names still apply, but the one that it names first does not.
    """

    other: str
    since: date
    relation: Relation
    partly: bool = False


class Relations:
    """The relations of a book, read once; every law is visited once at most, so that circles end."""

    def __init__(self, book: BookRows) -> None:
        self._book = book
        self._by_law: dict[str, list[Relation]] = {}
        self._of: dict[str, list[Relation]] = {}
        for one in dict.fromkeys(self._read()):
            self._by_law.setdefault(one.law, []).append(one)
            self._of.setdefault(one.other, []).append(one)

    def of(self, law: str) -> list[Relation]:
        """What this law does to others."""
        return list(self._by_law.get(law, ()))

    def upon(self, law: str) -> list[Relation]:
        """What others do to this law."""
        return list(self._of.get(law, ()))

    def ended(self, law: str) -> date | None:
        """The first day on which a law no longer is: its lifetime, its last version, or a repeal of a law not
        held."""
        lifetime = LIFETIMES.get(law)
        if lifetime is not None:
            return lifetime.last + _DAY if lifetime.last else None
        if versions := self._book.versions(law):
            ends = [version.valid_to for version in versions]
            last = None if None in ends else max(day for day in ends if day)
            return last + _DAY if last else None
        days = [one.on for one in self.upon(law) if one.kind == "repeals" and one.on]
        return min(days) if days else None

    def doubt(self, law: str) -> Doubt | None:
        """Whether the laws that this one interprets or implements have ended, all of them or the one named first;
        those of the title count before others."""
        return self._doubt(law, {law}, {})

    def _doubt(self, law: str, path: set[str], known: dict[str, date | None]) -> Doubt | None:
        """The doubt of a law; path: laws that lead here, known: since when laws that were looked at are no more."""
        parents = [
            one
            for one in self._by_law.get(law, ())
            if one.kind in ("interprets", "implements") and one.other not in path
        ]
        named = [one for one in parents if one.where == TITLE] or parents
        found: list[Doubt] = []
        for one in named:
            if one.other not in known:
                known[one.other] = self.ended(one.other)
                if known[one.other] is None:
                    deeper = self._doubt(one.other, path | {one.other}, known)
                    known[one.other] = deeper.since if deeper and not deeper.partly else None
            since = known[one.other]
            if since is None:
                return replace(found[0], partly=True) if found else None
            found.append(Doubt(one.other, since, one))
        return max(found, key=lambda doubt: doubt.since) if found else None

    def _read(self) -> Iterator[Relation]:
        openings = self._book.openings()
        for law in self._book.laws():
            yield from self._of_title(law.name)
            if law.level != "法律":
                for where, text in openings.get(law.name, ()):
                    yield from self._of_opening(law.name, where, text)
        for link in self._book.succeeded():
            if link.from_law != link.to_law:
                yield Relation("repeals", link.to_law, link.from_law, link.basis, CLOSING, link.on)

    def _of_title(self, law: str) -> Iterator[Relation]:
        title = law[:LONGEST]
        plain = re.search(r"关于(?:修改|修订|修正|废止)", title)
        titles = [match["law"] for match in _TITLE.finditer(title)]
        if _REPEALS.search(title) or _AMENDS.search(title):
            kind: RelationKind = "repeals" if _REPEALS.search(title) and not _AMENDS.search(title) else "amends"
            yield from self._named(kind, law, titles if plain else (), title, TITLE)
        elif match := _AMENDMENT.match(title):
            yield from self._named("amends", law, [match["law"]], title, TITLE)
        elif match := _RULES.match(title):
            yield from self._named("implements", law, [match["law"]], title, TITLE)
        elif _COURTS.match(title) and _INTERPRETS.search(title):
            yield from self._named("interprets", law, titles, title, TITLE)
        elif titles and re.search(r"(?:实施|施行|执行)[《〈]", title):
            yield from self._named("implements", law, titles, title, TITLE)
        elif titles and "解释" in title:
            yield from self._named("interprets", law, titles, title, TITLE)

    def _of_opening(self, law: str, where: str, text: str) -> Iterator[Relation]:
        match = _MADE_UNDER.search(text[:LONGEST])
        if match is not None:
            titles = [one["law"] for one in _TITLE.finditer(match["laws"])]
            kind: RelationKind = "interprets" if _COURTS.match(law) else "implements"
            yield from self._named(kind, law, titles, match.group(), where)

    def _named(
        self, kind: RelationKind, law: str, titles: Iterable[str], basis: str, where: str
    ) -> Iterator[Relation]:
        for title in titles:
            known = self._book.law(title)
            other = known.name if known else _official(title)
            if key_of_name(other) != key_of_name(law):
                yield Relation(kind, law, other, basis[:LONGEST], where)


TITLE = "标题"
CLOSING = "施行条款"


def _official(title: str) -> str:
    """The title of a law that the book does not hold, as known laws and links are called."""
    full = title if title.startswith(STATE) else f"{STATE}{title}"
    return full if full in LIFETIMES else title
