"""The indexes over the articles of an open pack, asked channel by channel.

Each kind of evidence has its place, so that the fusion hears independent voices:
- bm25: the words of the question in law name, headings and text (FTS5, fields weighted), times the prior of the
  article.
- keyword: adjacent characters of the question, and of terms of the law that the vocabulary knows for its everyday
  words.
- dense: vectors. Those fitted to the pack are asked with the question, the same terms, and the first articles that
  the words find (pseudo relevance feedback, Rocchio), times the prior; those of a model with the vector of the
  question alone.

Only articles that are allowed are ranked, and only they give feedback. Scores have no unit and compare only within
one answer; equal ones are ordered by article id.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from store.errors import DamagedData, MootError, StoreError, TextTooLong
from store.pack import Pack
from store.search.bigrams import Floats, Ints, Postings, distinct
from store.search.catalogue import Booleans, Catalogue, Integers
from store.search.indexing import ARRAYS, KIND, PRIOR, TERMS, VECTORISER, WORDS, array_file, number_term
from store.search.query import LawQuery
from store.search.terms import matter, widened
from store.search.vectors import FILE, Embed, Vectoriser, Vectors, unit
from store.statutes.book import StatuteBook
from store.text.citation import citations
from store.text.normalise import fold_width
from store.text.segment import segmenter, words

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
        self.words_from = self._words_from()
        """For each row the id of the row by whose words it is ranked, as its own are not in the pack; 0 for none."""

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

    def titles_in(self, text: str) -> Integers:
        """Ids of the rows whose title a text says in full and about nothing else: most of its pairs are the
        title's."""
        scores = self.scores(text)
        return np.flatnonzero(scores > 1 + HALF) + 1

    def sources(self, rows: Booleans) -> Integers:
        """Ids of the rows whose words some of these are ranked by."""
        found = np.unique(self.words_from[rows])
        return np.asarray(found[found > 0], np.int64)

    def with_borrowers(self, ranked: list[tuple[int, float]], rows: Booleans) -> list[tuple[int, float]]:
        """A ranking in which rows follow those whose words they are ranked by; only these rows stay."""
        borrowers: dict[int, list[int]] = defaultdict(list)
        for place in np.flatnonzero(rows & (self.words_from > 0)).tolist():
            borrowers[int(self.words_from[place])].append(place + 1)
        found: list[tuple[int, float]] = []
        for identity, score in ranked:
            own = [identity] if rows[identity - 1] else []
            found += [(row, score) for row in (*own, *borrowers.get(identity, ()))]
        return found

    def _words_from(self) -> Integers:
        catalogue = self._catalogue
        words_from = np.zeros(len(catalogue), np.int64)
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
                words_from[place] = min(fits, key=lambda one: (one[0] < version, abs(one[0] - version)))[1] + 1
        return words_from

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


_BATCH = 50_000


class CitationGraph:
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


LONGEST = 2_000
"""Characters of a question that are looked at."""

MOST_ROWS = 8_000
"""Words of a question are taken from the rarest on, while not more articles than this hold them (counted a word):
the common rest weighs next to nothing in bm25 and costs most of the time."""

FEWEST_WORDS = 3

WIDENED = 0.8
"""Weight of terms from the vocabulary beside the words of the question, for bigrams."""
WIDENED_DENSE = 0.5
"""The same for vectors."""
FEEDBACK = 5
"""Articles that are taken as relevant; together they weigh as much as the question."""

FIELDS = (1.0, 2.0, 1.0)
"""Weights of law name, headings and text in bm25."""

_REFERENCE = re.compile(r"第[零〇一二两三四五六七八九十百千\d]+条(之[一二三四五六七八九十\d]+)?")


class Articles:
    """The article indexes of a pack; a pack without statutes has size 0 and ranks nothing."""

    def __init__(self, pack: Pack, embed: Embed | None = None) -> None:
        self._pack = pack
        self._embed = embed
        self.size = pack.manifest.counts.statutes
        """How many articles there are; their ids run from 1 to it."""
        if not self.size:
            return
        if pack.manifest.segmenter != segmenter():
            raise StoreError(
                f"Pack {pack.name} was indexed by {pack.manifest.segmenter or 'nothing'}, here is {segmenter()}",
                "Build or import it again.",
            )
        self._postings = Postings(*(_array(pack, array_file(name)) for name in ARRAYS))
        self._prior: Floats = _array(pack, PRIOR)
        self._vectors, self._vectoriser = self._open_vectors()
        self._last: tuple[LawQuery, Floats] | None = None
        self._embedded: tuple[str | None, Floats | None] = (None, None)
        """The last question that the model was asked with, and its vector; None where it does not take it whole."""
        self._channels = {"bm25": self._bm25, "keyword": self._keyword, "dense": self._dense}

    def rank(
        self, channel: str, query: LawQuery, allowed: NDArray[np.int64] | None, depth: int
    ) -> list[tuple[int, float]]:
        """The best articles of one channel with their scores, best first, at most `depth`; those that fit in nothing
        are out.

        allowed: sorted article ids, or None for all.

        Raises:
            KeyError: there is no such channel.
        """
        if not self.size or depth < 1 or (allowed is not None and not len(allowed)):
            return []
        return self._channels[channel](query, allowed, depth)

    def no_dense(self, query: LawQuery) -> str:
        """The code of the note that says why the dense channel is silent; '' where it is not.

        Raises:
            StoreError: the model gives no vector of the question, or one of other dimensions than the pack's.
        """
        if not self.size or self._vectors is None or (self._vectoriser is None and self._embed is None):
            return "no_dense"
        return "long_query" if self._vectoriser is None and self._vector(query.text) is None else ""

    def _keyword(self, query: LawQuery, allowed: NDArray[np.int64] | None, depth: int) -> list[tuple[int, float]]:
        return best(self._by_bigrams(query), allowed, depth)

    def _bm25(self, query: LawQuery, allowed: NDArray[np.int64] | None, depth: int) -> list[tuple[int, float]]:
        terms = self._terms(query)
        if not terms:
            return []
        match = " OR ".join(f'"{term}"' for term in terms)
        low, high = (1, self.size) if allowed is None else (int(allowed[0]), int(allowed[-1]))
        found = self._pack.reader.all(
            f"SELECT rowid, -bm25({WORDS}, {', '.join(map(str, FIELDS))}) FROM {WORDS} WHERE {WORDS} MATCH ?"
            " AND rowid BETWEEN ? AND ?",
            (match, low, high),
        )
        scores = np.zeros(self.size, np.float32)
        if found:
            table = np.array(found)
            scores[table[:, 0].astype(np.int64) - 1] = table[:, 1]
        return best(scores * self._prior, allowed, depth)

    def _dense(self, query: LawQuery, allowed: NDArray[np.int64] | None, depth: int) -> list[tuple[int, float]]:
        if self.no_dense(query) or self._vectors is None:
            return []
        if self._vectoriser is None:
            asked = self._vector(query.text)
            return [] if asked is None else best(self._vectors.scores(asked, allowed, depth), allowed, depth)
        own, wider = _bigrams(query)
        vector = self._vectoriser.vector([(own, 1.0), (wider, WIDENED_DENSE)])
        first = best(self._by_bigrams(query) * self._prior, allowed, FEEDBACK)
        if first:
            rows = self._vectors.rows(np.array([number for number, _ in first]))
            weights = np.array([score for _, score in first], np.float32)
            vector = unit((vector + unit((weights @ rows)[None])[0])[None])[0]
        return best(self._vectors.scores(vector, allowed, depth) * self._prior, allowed, depth)

    def _by_bigrams(self, query: LawQuery) -> Floats:
        """Scores of the keyword channel; both it and the dense channel ask for them, mostly one after the other."""
        last = self._last
        if last is None or last[0] != query:
            own, wider = _bigrams(query)
            last = self._last = (query, self._postings.score([(own, 1.0), (wider, WIDENED)], self.size))
        return last[1]

    def _vector(self, text: str) -> Floats | None:
        """The vector of a question by the model; None where it does not take it whole."""
        assert self._embed is not None and self._vectors is not None
        if self._embedded[0] != text:
            try:
                vector = np.asarray(self._embed([text]), np.float32)
            except TextTooLong:
                self._embedded = (text, None)
                return None
            except MootError as error:
                raise StoreError(error.title, error.hint) from None
            if vector.shape != (1, self._vectors.dimensions):
                raise StoreError(
                    f"The vectors of pack {self._pack.name} have {self._vectors.dimensions} dimensions,"
                    f" the model gives {vector.shape[-1]}",
                    "Use the model that the pack was embedded with.",
                )
            self._embedded = (text, unit(vector)[0])
        return self._embedded[1]

    def _open_vectors(self) -> tuple[Vectors | None, Vectoriser | None]:
        embedder = self._pack.manifest.embedder
        if embedder is None:
            return None, None
        with self._pack.using(FILE) as file:
            vectors = Vectors(file, self.size)
        if embedder["kind"] != KIND:
            return vectors, None
        return vectors, Vectoriser(*(_array(self._pack, array_file(name)) for name in VECTORISER))

    def _terms(self, query: LawQuery) -> list[str]:
        """Words that are searched for: the rarest ones, and the numbers of articles."""
        idle = matter().stop_words
        wanted = dict.fromkeys(word for word in words(substance(query)) if word not in idle)
        marks = ", ".join("?" * len(wanted))
        counted = self._pack.reader.all(
            f"SELECT term, articles FROM {TERMS} WHERE term IN ({marks}) ORDER BY articles, term",
            tuple(word.lower() for word in wanted),
        )
        kept: list[str] = []
        rows = 0
        for term, articles in counted:
            rows += articles
            if rows > MOST_ROWS and len(kept) >= FEWEST_WORDS:
                break
            kept.append(term)
        return kept + [number_term(number) for number in query.numbers]


def best(scores: Floats, allowed: NDArray[np.int64] | None, depth: int) -> list[tuple[int, float]]:
    """Ids and scores of the `depth` highest positive scores; scores[i] is that of id i + 1; equal ones by id."""
    ids = np.flatnonzero(scores > 0) + 1 if allowed is None else allowed[scores[allowed - 1] > 0]
    chosen = scores[ids - 1]
    if len(ids) > depth:
        least = np.partition(chosen, len(chosen) - depth)[len(chosen) - depth]
        keep = chosen >= least
        ids, chosen = ids[keep], chosen[keep]
    order = np.lexsort((ids, -chosen))[:depth]
    return list(zip(ids[order].tolist(), chosen[order].tolist(), strict=True))


def substance(query: LawQuery) -> str:
    """The words of a question without its days and numbers of articles, which other means look after."""
    text = query.text[:LONGEST]
    for span in query.spans:
        text = text.replace(span.said, " ")
    if query.made_by != "rules":
        text = " ".join([text, *query.keywords])
    return _REFERENCE.sub(" ", fold_width(text))


def _bigrams(query: LawQuery) -> tuple[Ints, Ints]:
    """Bigrams of a question, and those that the vocabulary adds."""
    text = substance(query)
    own = distinct(text)
    return own, np.setdiff1d(distinct(" ".join(widened(text))), own)


def _array(pack: Pack, file: str) -> Any:
    """An array of the pack, mapped from disk; its hash is checked before.

    Raises:
        StoreError: the pack was built without it.
        Damaged: its bytes are not the ones that were written.
    """
    try:
        with pack.using(file) as path:
            return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise DamagedData(f"{path} cannot be read: {error}", "Build or import the pack again.") from None
