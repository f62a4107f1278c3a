"""The indexes over the articles of a pack, built once when the pack is finished.

In `corpus.db`: `article_words`, words of law name, headings and text in FTS5, and `article_terms`, in how many
articles a word stands. Beside it in `articles/`: bigrams as plain arrays, and for each article a prior. All of them
are caches of the rows: an article has the same place everywhere, its id; nothing in them depends on the clock, so
that the same rows always give the same bytes.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from store.errors import StoreError
from store.search import bigrams, vectors
from store.statutes.model import ArticleNumber
from store.statutes.names import key_of_name
from store.text.normalise import fold_width
from store.text.segment import words

FOLDER = "articles"
ARRAYS = ("keys", "starts", "places", "weights")
VECTORISER = {"lsa-keys": "keys", "lsa-rarity": "rarity", "lsa-projection": "projection"}
"""Array -> field of the vectoriser."""
KIND = "lsa"
"""The kind of embedder that stands in the manifest when the vectors were fitted to the pack."""
PRIOR = f"{FOLDER}/prior.npy"

WORDS, TERMS = "article_words", "article_terms"

LEVELS = {"宪法": 0.8, "法律": 1.25, "司法解释": 1.05, "行政法规": 0.9, "部门规章": 0.9}
"""How much more an article of a law of this level is asked for than one of a law whose level is not known."""

CITED = 0.08
"""Weight of the natural logarithm of 1 + the number of other laws that name a law: what others build on is asked for
more."""

_CITATION = re.compile(r"《([^《》\n]{2,60})》")
_RUN = re.compile(r"[^\W_]+")
_KEPT_RUNS = 200_000

Progress = Callable[[str, int, int | None], None]


def array_file(name: str) -> str:
    """Path of an array of the bigram index inside the pack."""
    return f"{FOLDER}/{name}.npy"


def number_term(number: ArticleNumber) -> str:
    """The word under which the number of an article is indexed: no text has such a word."""
    return f"n{number.number}s{number.sub}"


def build_indexes(database: sqlite3.Connection, folder: Path, progress: Progress) -> dict[str, Any] | None:
    """Index the articles of a database that is being written; gives the description of the vectors, if there are any.

    Files go below `folder`. Progress phases: indexing words, indexing bigrams, fitting vectors, writing vectors.
    """
    (size, last), *_ = database.execute("SELECT count(*), coalesce(max(id), 0) FROM articles").fetchall()
    if not size:
        return None
    if size != last:
        raise StoreError(f"{size} articles have ids up to {last}")
    _index_words(database, size, progress)
    (folder / FOLDER).mkdir(exist_ok=True)
    np.save(folder / PRIOR, _prior(database, size))
    progress("indexing bigrams", 0, None)
    names, headings, texts = _fields(database)
    counts = bigrams.count([(names, 1.0), (headings, 1.0), (texts, 1.0)])
    del names, headings, texts
    postings = bigrams.invert(counts)
    for name in ARRAYS:
        np.save(folder / array_file(name), getattr(postings, name))
    progress("indexing bigrams", size, size)
    del postings
    return _fit(counts, folder, progress)


def _fit(counts: bigrams.BigramCounts, folder: Path, progress: Progress) -> dict[str, Any] | None:
    fitted = vectors.fit(counts)
    if fitted is None:
        return None
    vectoriser, rows = fitted
    progress("fitting vectors", len(rows), len(rows))
    for name in VECTORISER:
        np.save(folder / array_file(name), getattr(vectoriser, VECTORISER[name]))
    vectors.write(folder / vectors.FILE, rows)
    progress("writing vectors", len(rows), len(rows))
    dimensions = rows.shape[1]
    return {
        "kind": KIND,
        "dimensions": dimensions,
        "terms": len(vectoriser.keys),
        "sample": min(len(rows), vectors.SAMPLE),
    }


def _articles(database: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """id, number, sub, law name, its version label, headings, text."""
    return database.execute(
        "SELECT a.id, a.number, a.sub, l.name, v.label,"
        " trim(a.part || ' ' || a.chapter || ' ' || a.section || ' ' || a.title),"
        " coalesce(a.text, '') FROM articles a JOIN law_versions v ON v.id = a.version JOIN laws l ON l.id = v.law"
        " ORDER BY a.id"
    )


def _fields(database: sqlite3.Connection) -> tuple[list[str], list[str], list[str]]:
    names: list[str] = []
    headings: list[str] = []
    texts: list[str] = []
    for _, _, _, name, _, heading, text in _articles(database):
        names.append(fold_width(name))
        headings.append(fold_width(heading))
        texts.append(fold_width(text))
    return names, headings, texts


def _index_words(database: sqlite3.Connection, size: int, progress: Progress) -> None:
    database.execute(
        f"CREATE VIRTUAL TABLE {WORDS} USING fts5(law, headings, text, content='',"
        " tokenize='unicode61 remove_diacritics 0')"
    )
    known: dict[str, str] = {}
    for number, *numbers, name, _, headings, text in _articles(database):
        row = (
            number,
            _cut(name, known),
            f"{number_term(ArticleNumber(*numbers))} {_cut(headings, known)}",
            _cut(text, known),
        )
        database.execute(f"INSERT INTO {WORDS} (rowid, law, headings, text) VALUES (?, ?, ?, ?)", row)
        if number % 1000 == 0:
            progress("indexing words", number, size)
    database.execute(f"INSERT INTO {WORDS} ({WORDS}) VALUES ('optimize')")
    database.execute(f"CREATE VIRTUAL TABLE temp.article_vocabulary USING fts5vocab('main', '{WORDS}', 'row')")
    database.execute(f"CREATE TABLE {TERMS} (term TEXT PRIMARY KEY, articles INTEGER NOT NULL) STRICT, WITHOUT ROWID")
    database.execute(f"INSERT INTO {TERMS} SELECT term, doc FROM temp.article_vocabulary ORDER BY term")
    database.execute("DROP TABLE temp.article_vocabulary")
    progress("indexing words", size, size)


def _cut(text: str, known: dict[str, str]) -> str:
    """The words of a text with blanks between; runs of letters come again and again, mostly in other versions of a
    law."""
    pieces = []
    for run in _RUN.findall(fold_width(text)):
        piece = known.get(run)
        if piece is None:
            if len(known) >= _KEPT_RUNS:
                known.clear()
            piece = known[run] = " ".join(words(run))
        pieces.append(piece)
    return " ".join(pieces)


def _prior(database: sqlite3.Connection, size: int) -> NDArray[np.float32]:
    """For each article how much more it is asked for than another one, before anything is asked: from its law
    alone."""
    keys = {key_of_name(name): law for law, name in database.execute("SELECT id, name FROM laws ORDER BY id")}
    citing: dict[int, set[int]] = defaultdict(set)
    rows = database.execute(
        "SELECT v.law, a.text FROM articles a JOIN law_versions v ON v.id = a.version WHERE a.text LIKE '%《%'"
    )
    for law, text in rows:
        for said in _CITATION.findall(text):
            cited = keys.get(key_of_name(said))
            if cited is not None and cited != law:
                citing[cited].add(law)
    priors = {
        law: LEVELS.get(level, 1.0) * (1 + CITED * float(np.log1p(len(citing[law]))))
        for law, level in database.execute("SELECT id, level FROM laws ORDER BY id")
    }
    laws = database.execute("SELECT v.law FROM articles a JOIN law_versions v ON v.id = a.version ORDER BY a.id")
    return np.fromiter((priors[law] for (law,) in laws), np.float32, size)
