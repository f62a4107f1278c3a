"""Every article of a pack as columns of numbers, so that a filter over all of them is one pass of numpy.

A row is an article (`articles.id`, ascending); versions and laws are places in a list. Days are proleptic ordinals,
both ends inclusive; a version whose first day is not known has none. Texts stay in the database.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import cached_property

import numpy as np
import numpy.typing as npt

from store.pack import Pack
from store.statutes.book import StatuteBook
from store.statutes.model import ArticleNumber, LawVersion
from store.statutes.names import LIFETIMES, is_revision
from store.text.normalise import fold_width

Booleans = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

_FOREVER = date.max.toordinal()
_SUBS = 10_000
_BATCH = 50_000


class Catalogue:
    """The rows of a pack and the windows of its versions."""

    def __init__(self, pack: Pack, book: StatuteBook) -> None:
        self._reader = pack.reader
        self.laws = [law.name for law in book.laws()]
        self.law_places = {name: place for place, name in enumerate(self.laws)}
        self.versions: list[LawVersion] = [version for law in self.laws for version in book.versions(law)]
        places = {(version.law, version.label): place for place, version in enumerate(self.versions)}
        identities = (
            self._reader.all("SELECT v.id, l.name, v.label FROM law_versions v JOIN laws l ON l.id = v.law")
            if self.laws
            else []
        )
        table = np.zeros(max((row[0] for row in identities), default=0) + 1, np.int64)
        for identity, law, label in identities:
            table[identity] = places[law, label]
        rows = self._rows()
        self.ids, self.number = rows[:, 0], rows[:, 2] * _SUBS + rows[:, 3]
        """Row ids, and article numbers as one number each (`code`)."""
        self.worded: Booleans = rows[:, 4] != 0
        """Rows whose words are in the pack."""
        self.version: Integers = table[rows[:, 1]]
        """Place of the version of each row."""
        self.law_of = np.array([self.law_places[version.law] for version in self.versions], np.int64)
        self.first = np.array([v.valid_from.toordinal() if v.valid_from else 0 for v in self.versions], np.int64)
        self.last = np.array([v.valid_to.toordinal() if v.valid_to else _FOREVER for v in self.versions], np.int64)
        self.dated: Booleans = np.array([v.valid_from is not None for v in self.versions], np.bool_)
        self.having: Booleans = np.zeros(len(self.versions), np.bool_)
        """Versions that have articles."""
        self.having[self.version] = True
        self.newest: Booleans = np.zeros(len(self.versions), np.bool_)
        """The newest version of each law that has articles; versions of a law stand by their first day."""
        last = {self.law_of[place]: place for place in range(len(self.versions)) if self.having[place]}
        self.newest[list(last.values())] = True

    def __len__(self) -> int:
        return len(self.ids)

    @staticmethod
    def code(number: ArticleNumber) -> int:
        """An article number as one number."""
        return number.number * _SUBS + min(number.sub, _SUBS - 1)

    @staticmethod
    def parts(code: int) -> tuple[int, int]:
        """The article number behind a `code`."""
        return divmod(code, _SUBS)

    def places(self, identities: Sequence[int]) -> Integers:
        """Where rows stand, by their ids."""
        return np.searchsorted(self.ids, np.asarray(identities, np.int64))

    def newest_of(self, law: str) -> LawVersion | None:
        """The newest version of a law that has articles."""
        own = np.flatnonzero((self.law_of == self.law_places.get(law, -1)) & self.newest)
        return self.versions[int(own[0])] if len(own) else None

    def meeting(self, first: date, last: date) -> Booleans:
        """Versions that apply on a day of a span; those without known days never."""
        return np.asarray(self.dated & (self.first <= last.toordinal()) & (self.last >= first.toordinal()), np.bool_)

    def window_is(self, first: date, last: date) -> Booleans:
        """Versions that apply on these days and no others: what a name of a version gives."""
        return np.asarray(self.dated & (self.first == first.toordinal()) & (self.last == last.toordinal()), np.bool_)

    def share(self, first: date, last: date) -> npt.NDArray[np.float64]:
        """How much of a span each version covers, from 0 to 1."""
        start, end = first.toordinal(), last.toordinal()
        days = np.minimum(self.last, end) - np.maximum(self.first, start) + 1
        return np.where(self.dated, np.clip(days, 0, None) / (end - start + 1), 0.0)

    def beside(self, first: date, last: date) -> tuple[Integers, Integers]:
        """The neighbours of all gaps: versions that ended before a span, and that began after it, of laws that were
        in force then although none of their versions in the pack was.

        A law was in force between two of its versions, on the days of its known lifetime, and before a revision that
        is its oldest version in the pack: the rule of `StatuteBook.on`. Where the version of the day has no articles
        in the pack, there is nothing to rank but its neighbours either. On days before all versions of the pack there
        are no gaps: that a revised law existed does not say since when.
        """
        nothing = np.zeros(0, np.int64)
        start = self.earliest
        if start is None or last < start:
            return nothing, nothing
        meeting = self.meeting(first, last)
        present, gaps = np.zeros(len(self.laws), np.bool_), np.zeros(len(self.laws), np.bool_)
        present[self.law_of[self.having & (~self.dated | meeting)]] = True
        gaps[self.law_of[meeting]] = True
        before, after = np.full(len(self.laws), -1), np.full(len(self.laws), -1)
        earlier = np.flatnonzero(self.dated & (self.last < first.toordinal()))
        earlier = earlier[np.argsort(self.last[earlier], kind="stable")]
        before[self.law_of[earlier]] = earlier
        later = np.flatnonzero(self.dated & (self.first > last.toordinal()))[::-1]
        after[self.law_of[later]] = later
        day = first if first > date.min else last
        gaps |= (after >= 0) & ((before >= 0) | self._revised[after])
        for place, law in self._lifetimes:
            gaps[place] |= LIFETIMES[law].covers(day)
        gaps &= ~present
        return before[gaps & (before >= 0)], after[gaps & (after >= 0)]

    @cached_property
    def earliest(self) -> date | None:
        """The first day on which a version with articles applied; None where no days are known."""
        days = self.first[self.having & self.dated]
        return date.fromordinal(int(days.min())) if len(days) else None

    @cached_property
    def _revised(self) -> Booleans:
        """Versions whose label says that an earlier one existed."""
        return np.array([is_revision(version.label) for version in self.versions], np.bool_)

    @cached_property
    def _lifetimes(self) -> list[tuple[int, str]]:
        return [(self.law_places[law], law) for law in LIFETIMES if law in self.law_places]

    def under(self, headings: Sequence[str]) -> Booleans:
        """Rows that stand under a heading: one of each kind (编, 章, 节) that is asked for."""
        kinds: dict[str, list[str]] = {}
        for heading in headings:
            kinds.setdefault(heading[-2:] if heading.endswith("分编") else heading[-1], []).append(heading)
        places, texts = self._headings
        fits = np.ones(len(texts), np.bool_)
        for wanted in kinds.values():
            names = [
                one if one.startswith("第") else rf"第\S{{1,4}}编\s{{0,2}}{re.escape(one[:-1])}" for one in wanted
            ]
            pattern = re.compile(rf"(?:^|[\s>])(?:{'|'.join(names)})(?!之)")
            fits &= np.fromiter((pattern.search(text) is not None for text in texts), np.bool_, len(texts))
        return np.asarray(fits[places], np.bool_)

    @cached_property
    def folded(self) -> Booleans:
        """Rows without those whose words a newer version of the same law has under the same number.

        A row without words is no wording of its own: it stays in the newest version that has the article, and where
        its title says that the newest one is about something else.
        """
        keep = np.ones(len(self), np.bool_)
        counts = np.bincount(self.law_of, minlength=len(self.laws)) if len(self.versions) else np.zeros(0, np.int64)
        rows = np.flatnonzero(counts[self.law_of[self.version]] > 1) if len(self) else np.zeros(0, np.int64)
        if not len(rows):
            return keep
        words, titles = np.zeros(len(rows), np.int64), np.zeros(len(self), np.int64)
        for start in range(0, len(rows), _BATCH):
            part = rows[start : start + _BATCH]
            low, high = int(self.ids[part[0]]), int(self.ids[part[-1]])
            told = {
                # Words that are not in the pack are nobody else's: their own id stands for them.
                identity: (
                    hash("".join(text.split())) if text is not None else -identity,
                    hash(title) if title else 0,
                )
                for identity, text, title in self._reader.all(
                    "SELECT id, text, title FROM articles WHERE id BETWEEN ? AND ? ORDER BY id", (low, high)
                )
            }
            both = np.array([told[int(identity)] for identity in self.ids[part]], np.int64)
            words[start : start + _BATCH], titles[part] = both.T
        version = self.version[rows]
        # The place of a version in its law is its age.
        order = np.lexsort((version, words, self.number[rows], self.law_of[version]))
        keys = np.stack([self.law_of[version], self.number[rows], words])[:, order]
        newest = np.append(np.any(keys[:, 1:] != keys[:, :-1], axis=0), True)
        keep[rows[order[~newest]]] = False
        now = np.flatnonzero(self.latest)
        now = now[np.argsort(self.article[now], kind="stable")]
        today = titles[now[np.searchsorted(self.article[now], self.article)]]
        return np.asarray(keep & (self.worded | self.latest | ((titles != 0) & (titles != today))), np.bool_)

    @cached_property
    def latest(self) -> Booleans:
        """Rows of the newest version of their law that has an article of their number."""
        # The place of a version in its law is its age.
        order = np.lexsort((self.version, self.article))
        ends = np.flatnonzero(np.append(np.diff(self.article[order]) != 0, True)[: len(order)])
        counts = np.diff(ends, prepend=-1)
        newest = np.repeat(self.version[order[ends]], counts)
        fits = np.zeros(len(self), np.bool_)
        fits[order] = self.version[order] == newest
        return fits

    @cached_property
    def article(self) -> Integers:
        """One number for each row's law and article number, the same in all versions."""
        return np.asarray(self.law_of[self.version] * (int(self.number.max(initial=0)) + 1) + self.number, np.int64)

    @cached_property
    def _headings(self) -> tuple[Integers, list[str]]:
        """Place of the headings of each row in the list of all different ones."""
        texts: dict[str, int] = {}
        places = np.zeros(len(self), np.int64)
        done = 0
        for start in range(0, len(self), _BATCH):
            low, high = int(self.ids[start]), int(self.ids[min(start + _BATCH, len(self)) - 1])
            sql = "SELECT part || ' ' || chapter || ' ' || section FROM articles WHERE id BETWEEN ? AND ? ORDER BY id"
            for (text,) in self._reader.all(sql, (low, high)):
                places[done] = texts.setdefault(text, len(texts))
                done += 1
        return places, [fold_width(text) for text in texts]

    def _rows(self) -> Integers:
        """Id, version id, number and sub of every article, and whether its words are in the pack."""
        if not self.laws:
            return np.zeros((0, 5), np.int64)
        parts, last = [], -1
        sql = "SELECT id, version, number, sub, text IS NOT NULL FROM articles WHERE id > ? ORDER BY id LIMIT ?"
        while batch := self._reader.all(sql, (last, _BATCH)):
            parts.append(np.array(batch, np.int64))
            last = batch[-1][0]
        return np.concatenate(parts) if parts else np.zeros((0, 5), np.int64)
