"""Articles by their titles (条标, names of crimes), and whose words stand in for an article whose own are not in the
pack.

A title is found by its pairs of characters: most of them must stand in the question. An article without words ranks
by those of the same article in another version: same number and same title, or a link that says so; a later wording
before an earlier.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from store.pack import Pack
from store.search.bigrams import Floats, distinct
from store.search.catalogue import Booleans, Catalogue, Integers
from store.statutes.book import StatuteBook
from store.text.normalise import fold_width

ENOUGH = 0.6
"""Share of the pairs of a title that stand in a question, at least."""
HALF = 0.5
"""A title that makes up more of a question than this is what the question asks for."""


class Titles:
    """The titles of a pack."""

    def __init__(self, pack: Pack, catalogue: Catalogue, book: StatuteBook) -> None:
        self._catalogue, self._book = catalogue, book
        self._of = dict(pack.reader.all("SELECT id, title FROM articles WHERE title <> '' ORDER BY id"))
        rows: dict[str, list[int]] = defaultdict(list)
        for identity, title in self._of.items():
            rows[fold_width(title)].append(identity)
        self._rows = [np.array(own, np.int64) for own in rows.values()]
        self._holding: dict[int, list[int]] = defaultdict(list)
        self._lengths = np.zeros(len(rows), np.float32)
        for place, title in enumerate(rows):
            pairs = distinct(title).tolist()
            self._lengths[place] = len(pairs)
            for pair in pairs:
                self._holding[pair].append(place)
        self.stand_in = self._stand_ins()
        """For each row the id of the row whose words stand in for its own; 0 where none does."""

    def scores(self, text: str) -> Floats:
        """How well the title of each row is named, by row id from 1: its share in the question first, then the
        reverse."""
        scores = np.zeros(len(self._catalogue), np.float32)
        pairs = distinct(fold_width(text)).tolist()
        held = [place for pair in pairs for place in self._holding.get(pair, ())]
        if not held:
            return scores
        counts = np.bincount(held, minlength=len(self._rows)).astype(np.float32)
        shares = counts / np.maximum(self._lengths, 1)
        for place in np.flatnonzero(shares >= ENOUGH):
            scores[self._rows[place] - 1] = shares[place] + counts[place] / len(pairs)
        return scores

    def asked_for(self, text: str) -> Integers:
        """Ids of the rows whose title a text says in full and about nothing else: most of its pairs are the
        title's."""
        scores = self.scores(text)
        return np.flatnonzero(scores > 1 + HALF) + 1

    def lenders(self, rows: Booleans) -> Integers:
        """Ids of the rows that stand in for some of these."""
        lent = np.unique(self.stand_in[rows])
        return np.asarray(lent[lent > 0], np.int64)

    def lent(self, ranked: list[tuple[int, float]], rows: Booleans) -> list[tuple[int, float]]:
        """A ranking in which the rows that were lent words stand for those that lent them; only these rows stay."""
        borrowers: dict[int, list[int]] = defaultdict(list)
        for place in np.flatnonzero(rows & (self.stand_in > 0)).tolist():
            borrowers[int(self.stand_in[place])].append(place + 1)
        found: list[tuple[int, float]] = []
        for identity, score in ranked:
            own = [identity] if rows[identity - 1] else []
            found += [(row, score) for row in (*own, *borrowers.get(identity, ()))]
        return found

    def _stand_ins(self) -> Integers:
        catalogue = self._catalogue
        stand_in = np.zeros(len(catalogue), np.int64)
        bare = np.flatnonzero(~catalogue.worded)
        worded: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        laws = {int(law) for law in catalogue.law_of[catalogue.version[bare]]}
        law_of = catalogue.law_of[catalogue.version]
        for place in np.flatnonzero(catalogue.worded & np.isin(law_of, list(laws))).tolist():
            worded[int(law_of[place]), int(catalogue.number[place])].append((int(catalogue.version[place]), place))
        links = self._links(laws)
        for place in bare.tolist():
            law, number, version = int(law_of[place]), int(catalogue.number[place]), int(catalogue.version[place])
            title = self._of.get(place + 1)
            fits = [one for one in worded[law, number] if title and self._of.get(one[1] + 1) == title]
            for other, on, later in links.get((law, number), ()):
                if (catalogue.first[version] < on) == later:
                    fits += [one for one in worded[law, other] if (catalogue.first[one[0]] >= on) == later]
            if fits:
                # The place of a version in its law is its age.
                stand_in[place] = min(fits, key=lambda one: (one[0] < version, abs(one[0] - version)))[1] + 1
        return stand_in

    def _links(self, laws: set[int]) -> dict[tuple[int, int], list[tuple[int, int, bool]]]:
        """Law and number -> the number on the other side of a revision, its day, and whether that side is the later
        one."""
        found: dict[tuple[int, int], list[tuple[int, int, bool]]] = defaultdict(list)
        for law in laws:
            for link in self._book.links(self._catalogue.laws[law]):
                if link.kind == "renumbered" and link.from_law == link.to_law and link.from_number and link.to_number:
                    old, new = self._catalogue.code(link.from_number), self._catalogue.code(link.to_number)
                    found[law, old].append((new, link.on.toordinal(), True))
                    found[law, new].append((old, link.on.toordinal(), False))
        return found
