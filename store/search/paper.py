"""The published retrieval pipeline of LegalSearch-R1 as it was coded, for comparison with ours (`--paper`).

What differs from ours, on purpose: the days of a question become one hull, so that 2009年和2023年 admits all between;
a reference is searched as a substring of the printed article number, so that 第二百五十三条 also admits
第二百五十三条之一 and a chapter admits nothing; laws do not filter; the dense channel is ranked over everything and
filtered afterwards; keywords count by a formula of their own; BM25 is Okapi with k1 1.2, b 0.75 and epsilon 0.25 over
jieba's default cut, its word weights those of the whole corpus, and rows without a hit stay in. Each channel is cut
to k; reciprocal ranks with weights keyword 3, dense 2, BM25 1 and constant 60. Equal scores stand by row id
(upstream: in the order of a set).

Upstream's analyser and embedding model are not part of it: the parsed question comes from ours, vectors from the
pack. Rows without days, which upstream does not have, fail a filter by days. Indexes are made on first use and kept
in memory.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from store.pack import Pack
from store.search.catalogue import Booleans, Catalogue
from store.search.documents import fuse
from store.search.narrowing import FilteredRows
from store.search.query import LawQuery
from store.statutes.model import ArticleNumber
from store.text.segment import cut

if TYPE_CHECKING:
    from store.search.channels import Articles

WEIGHTS = {"keyword": 3.0, "dense": 2.0, "bm25": 1.0}
CONSTANT = 60.0
K = 5
"""Hits for one query as the agent calls it."""
_K1, _B, _EPSILON = 1.2, 0.75, 0.25
_OVERFETCH = 10
"""The dense channel takes this many times k rows of the whole index before the filter."""
_FILLERS = ("未分编部分", "未分章部分", "未分节部分")

_RUN = re.compile(r"([\u4e00-\u9fd5a-zA-Z0-9+#&._%\-]+)")
"""What jieba's default mode takes as one block; it splits a text at everything else first."""

Floats = npt.NDArray[np.float64]


class Okapi:
    """BM25 as the package rank-bm25 computes it, over token lists; all scores of a query at once."""

    def __init__(self, documents: Iterable[Sequence[str]]) -> None:
        counted = array("d")
        postings: dict[str, tuple[array[int], array[int]]] = {}
        for place, tokens in enumerate(documents):
            counted.append(len(tokens))
            for token, count in Counter(tokens).items():
                places, counts = postings.setdefault(token, (array("q"), array("q")))
                places.append(place)
                counts.append(count)
        lengths: Floats = np.array(counted)
        self._size = len(lengths)
        mean = lengths.mean() if len(lengths) and lengths.sum() else 1.0
        self._norm: Floats = _K1 * (1 - _B + _B * lengths / mean)
        self._postings = postings
        self._weights = self._idf()

    def scores(self, tokens: Sequence[str]) -> Floats:
        """The score of each document; a token that stands twice in the query counts twice."""
        scores = np.zeros(self._size)
        for token, times in Counter(tokens).items():
            if token not in self._postings:
                continue
            places, counts = (np.frombuffer(column, np.int64) for column in self._postings[token])
            scores[places] += times * self._weights[token] * counts * (_K1 + 1) / (counts + self._norm[places])
        return scores

    def _idf(self) -> dict[str, float]:
        """Weights of words; one in more than half of all documents gets a share of the mean instead of less than
        nothing."""
        weights = {
            token: math.log(self._size - len(places) + 0.5) - math.log(len(places) + 0.5)
            for token, (places, _) in self._postings.items()
        }
        mean = sum(weights.values()) / len(weights) if weights else 0.0
        return {token: weight if weight >= 0 else _EPSILON * mean for token, weight in weights.items()}


class PaperPipeline:
    """The pipeline over the rows of a pack."""

    def __init__(self, pack: Pack, catalogue: Catalogue, dense: Articles | None) -> None:
        self._reader, self._catalogue, self._dense = pack.reader, catalogue, dense

    def rankings(
        self, query: LawQuery, k: int, at: date | None = None
    ) -> tuple[FilteredRows, dict[str, list[int]], list[tuple[int, float]]]:
        """What the filters left, each channel cut to k, and all fused and cut to k."""
        rows, default, common = self._filtered(query, at)
        narrowed = FilteredRows(
            self._catalogue, rows, int(np.count_nonzero(rows)), np.zeros(len(self._catalogue.versions), np.int64), (),
            False, query.notes, {}, common, default,
        )  # fmt: skip
        if not query.text.strip() or not narrowed.count or k < 1:
            return narrowed, {}, []
        rankings = {
            "keyword": self._by_keywords(query.keywords, rows, k),
            "dense": self._by_vectors(query, rows, k),
            "bm25": self._by_words(query.text, rows, k),
        }
        rankings = {name: ranked for name, ranked in rankings.items() if ranked}
        return narrowed, rankings, fuse(rankings, WEIGHTS, CONSTANT)[:k]

    def _filtered(self, query: LawQuery, at: date | None) -> tuple[Booleans, str, tuple[str, ...]]:
        catalogue = self._catalogue
        rows = np.ones(len(catalogue), np.bool_)
        days = [at] if at else [day for span in query.spans for day in (span.first, span.last)]
        if days:
            rows = rows & catalogue.meeting(min(days), max(days))[catalogue.version]
        places = [re.escape(place) for place in (*(n.chinese for n in query.numbers), *query.headings)]
        if places:
            pattern = re.compile("|".join(places))
            codes, inverse = np.unique(catalogue.number, return_inverse=True)
            fits = np.array([pattern.search(_printed(int(code))) is not None for code in codes], np.bool_)
            rows = rows & fits[inverse]
        return rows, "window" if days else "no_date", ("no_law", "number" if places else "no_number")

    def _by_keywords(self, keywords: Sequence[str], rows: Booleans, k: int) -> list[int]:
        """Sum over keywords of 1 + 0.1 (count - 1) where one stands in a row, over their number; rows without any are
        out."""
        scores = np.zeros(len(self._catalogue))
        chosen = np.flatnonzero(rows)
        for keyword in keywords:
            for place in chosen:
                if count := self._texts[place].count(keyword):
                    scores[place] += (1 + 0.1 * (count - 1)) / len(keywords)
        return self._best(scores, rows & (scores > 0), k)

    def _by_words(self, text: str, rows: Booleans, k: int) -> list[int]:
        return self._best(self._okapi.scores(cut(text)), rows, k)

    def _by_vectors(self, query: LawQuery, rows: Booleans, k: int) -> list[int]:
        if self._dense is None:
            return []
        ranked = self._dense.rank("dense", query, None, _OVERFETCH * k)
        places = np.searchsorted(self._catalogue.ids, [row for row, _ in ranked])
        return [row for (row, _), place in zip(ranked, places, strict=True) if rows[place]][:k]

    def _best(self, scores: Floats, rows: Booleans, k: int) -> list[int]:
        chosen = np.flatnonzero(rows)
        order = chosen[np.lexsort((chosen, -scores[chosen]))[:k]]
        return [int(identity) for identity in self._catalogue.ids[order]]

    @cached_property
    def _okapi(self) -> Okapi:
        return Okapi(_cut_all(self._texts))

    @cached_property
    def _texts(self) -> list[str]:
        """路径：… 内容：… of every row, as upstream joins them."""
        texts: list[str] = []
        last = -1
        sql = (
            "SELECT id, version, number, sub, part, chapter, section, title, text"
            " FROM articles WHERE id > ? ORDER BY id"
            " LIMIT 20000"
        )
        while batch := self._reader.all(sql, (last,)):
            for _, _, number, sub, *headings, title, text in batch:
                version = self._catalogue.versions[int(self._catalogue.version[len(texts)])]
                printed = ArticleNumber(number, sub).chinese
                shown = (given or filler for given, filler in zip(headings, _FILLERS, strict=True))
                path = " > ".join((version.label, *shown, printed))
                said = f"【{title}】{text or ''}" if title else f"{printed} {text or ''}"
                texts.append(f"路径：{path} 内容：{said}")
            last = batch[-1][0]
        return texts


def _cut_all(texts: Iterable[str]) -> Iterator[list[str]]:
    """Each text as `cut` cuts it. It never looks beyond a run of word characters, and versions of a law share most of
    theirs."""
    known: dict[str, list[str]] = {}
    for text in texts:
        tokens: list[str] = []
        for run in _RUN.split(text):
            if run not in known:
                known[run] = cut(run)
            tokens += known[run]
        yield tokens


def _printed(code: int) -> str:
    return ArticleNumber(*Catalogue.parts(code)).chinese
