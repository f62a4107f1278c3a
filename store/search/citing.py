"""Articles by the passages of other laws that cite them: an interpretation says in words of life what an article
means.

Who quotes what is read once a pack from the texts themselves. An article is cited by its law and number; it is found
through passages that may answer too, so that a passage of another time does not count. Scores have no unit.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

from store.pack import Pack
from store.search.bigrams import Floats
from store.search.catalogue import Catalogue
from store.statutes.book import StatuteBook
from store.text.citation import citations

_BATCH = 50_000


class Citing:
    """Which articles of a pack cite which, of other laws."""

    def __init__(self, pack: Pack, catalogue: Catalogue, book: StatuteBook) -> None:
        width = int(catalogue.number.max(initial=0)) + 1

        @cache
        def place_of(name: str) -> int:
            """The law that a name ends with, as a text writes it: 将刑法; -1 where there is none, or more than
            one."""
            names = (name[start:] for start in range(len(name) - 1))
            law = next((law for one in names if (law := book.law(one))), None)
            return catalogue.law_places[law.name] if law else -1

        found: dict[tuple[int, int], None] = {}
        for start in range(0, len(catalogue), _BATCH):
            ids = catalogue.ids[start : start + _BATCH]
            sql = "SELECT id, text FROM articles WHERE id BETWEEN ? AND ? AND text LIKE '%第%条%' ORDER BY id"
            for identity, text in pack.reader.all(sql, (int(ids[0]), int(ids[-1]))):
                place = int(np.searchsorted(catalogue.ids, identity))
                own = int(catalogue.law_of[catalogue.version[place]])
                for one in citations(text):
                    law = place_of(one.law) if one.law else -1
                    if law not in (-1, own) and (code := catalogue.code(one.number)) < width:
                        found[place, law * width + code] = None
        edges = np.array(list(found), np.int64).reshape(-1, 2)
        self._from = edges[:, 0]
        cited, self._to = np.unique(edges[:, 1], return_inverse=True)
        self._at = np.searchsorted(cited, catalogue.article)
        self._cited = np.isin(catalogue.article, cited)
        self._catalogue, self._count = catalogue, len(cited)

    def __len__(self) -> int:
        return len(self._from)

    def scores(self, passages: Iterable[tuple[int, float]]) -> Floats:
        """For each row, by row id from 1, the sum of the scores of the passages that cite its article."""
        scores = np.zeros(len(self._catalogue), np.float32)
        rows = list(passages)
        if not len(self) or not rows:
            return scores
        values = np.zeros(len(self._catalogue))
        values[self._catalogue.places([row for row, _ in rows])] = [score for _, score in rows]
        sums = np.bincount(self._to, values[self._from], minlength=self._count)
        scores[self._cited] = sums[self._at[self._cited]]
        return scores
