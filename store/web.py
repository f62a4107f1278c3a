"""The web snapshot of a pack: saved pages that are searched and read offline, in place of the live web.

Search fuses two keyword channels (any three characters; words) over title and text; scores have no unit and only
order one answer; equal scores are ordered by id. Lengths are in characters. Days are the ones pages state for
themselves.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, cast

from store.connection import Reader
from store.errors import StoreError
from store.pack import Pack
from store.schema import Provenance
from store.search.documents import DEPTH, fuse, ranked, scanned
from store.search.terms import folded, runs, trigrams, word_terms
from store.text.normalise import fold_width
from store.text.segment import segmenter, words
from store.web_tables import FILE, spellings

TITLE_WEIGHT = 2.0
"""What a term in the title counts, against 1 in the text."""

SNIPPET = 120

WINDOW = 4096
"""A window that a small local model can read beside its instructions (a context of 8,192 tokens)."""
PAPER_WINDOW = 40_960
"""The window of LegalSearch-R1 (browse tool)."""
MAX_WINDOWS = 5
"""Windows of a page that are read, as in LegalSearch-R1."""

_SENTENCE_ENDS = "。！？；!?;"
_HITS_A_TERM = 500
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_COLUMNS = "id, url, title, day, text, source, provenance"


@dataclass(frozen=True, slots=True)
class Page:
    """One saved page. day: when it says it was published; source: where the snapshot has it from."""

    id: int
    url: str
    title: str
    day: date | None
    text: str
    source: str
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class WebHit:
    """A page that was found; its text is left empty (`WebSnapshot.page` gives it). rank counts from 1."""

    page: Page
    snippet: str
    score: float
    rank: int


class WebSnapshot:
    """The pages of an open pack, read-only; may be used from any thread."""

    def __init__(self, pack: Pack) -> None:
        made_by = pack.manifest.segmenter
        if made_by != segmenter():
            raise StoreError(
                f"Pack {pack.name} was indexed by {made_by}, here is {segmenter()}", "Build or import it again."
            )
        self.name = pack.name
        self.pages = pack.manifest.counts.pages
        """How many pages it holds."""
        with pack.using(FILE) as file:
            self._reader = Reader(file)

    @classmethod
    def of(cls, pack: Pack) -> WebSnapshot | None:
        """The snapshot of a pack; None when it has no pages.

        Raises:
            StoreError: the pack was segmented by another version of the segmenter.
        """
        return cls(pack) if FILE in pack.manifest.files else None

    def search(self, query: str, k: int = 5, before: date | None = None) -> list[WebHit]:
        """The `k` best pages for any text, best first; fewer when fewer fit.

        before: only pages that were published on this day or earlier; a page without a day is then left out, because
        nobody can say that it had been written.
        """
        if k < 1:
            return []
        asked, depth = folded(query), max(DEPTH, k)
        given = (before.isoformat(),) if before else ()
        dated = "AND rowid IN (SELECT id FROM page WHERE day <= ?)" if before else ""
        weights = f", {TITLE_WEIGHT}, 1.0"
        channels = {
            index: ranked(self._reader, index, terms, depth, weights=weights, where=dated, given=given)
            for index, terms in (("trigram_page", trigrams(asked)), ("words_page", word_terms(asked)))
        }
        best = fuse(channels) or scanned(
            self._reader, "page", "id", {"title": TITLE_WEIGHT, "text": 1}, asked, depth,
            where="AND day <= ?" if before else "", given=given,
        )  # fmt: skip
        found = ((self._by("id", number), score) for number, score in best[:k])
        terms = _shown_terms(asked)
        return [
            WebHit(replace(page, text=""), snippet(page.text, terms), score, rank)
            for rank, (page, score) in enumerate(((page, score) for page, score in found if page), 1)
        ]

    def page(self, url: str) -> Page | None:
        """The page of an address; how its end and its host are written does not matter."""
        asked = url.encode(errors="ignore").decode()
        return next((page for spelling in spellings(asked) if (page := self._by("url", spelling))), None)

    def windows(self, page: Page, size: int = WINDOW, most: int | None = MAX_WINDOWS) -> list[str]:
        """The text of a page in verbatim pieces of at most `size` characters; see `cut`."""
        return cut(page.text, size)[:most]

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        self._reader.close()

    def __enter__(self) -> WebSnapshot:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _by(self, column: str, value: int | str) -> Page | None:
        found = self._reader.all(f"SELECT {_COLUMNS} FROM page WHERE {column} = ?", (value,))
        return _page(found[0]) if found else None


def cut(text: str, size: int) -> list[str]:
    """A text in pieces of at most `size` characters whose join is the text.

    A piece ends with a paragraph where it can, else with a sentence, and inside a sentence only when that alone is
    longer than a piece.

    Raises:
        ValueError: size below 1.
    """
    if size < 1:
        raise ValueError("a window has at least one character")
    pieces: list[str] = []
    start = 0
    while len(text) - start > size:
        end = text.rfind("\n", start, start + size) + 1
        if end <= start + size // 4:
            end = max(end, *(text.rfind(mark, start, start + size) + 1 for mark in _SENTENCE_ENDS))
        end = end if end > start else start + size
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]] if text[start:] or not pieces else pieces


def snippet(text: str, terms: list[str]) -> str:
    """The `SNIPPET` characters around the best matches: those with the most, and the longest, different terms."""
    plain = fold_width(text).translate(_LOWER)
    hits = sorted({(at, term) for term in terms for at in _places(plain, term.translate(_LOWER))})
    start = end = 0
    if hits:
        first, last = _densest(hits, SNIPPET)
        start = max(0, first - (SNIPPET - (last - first)) // 2)
        border = max(plain.rfind(mark, start, first) for mark in (*_SENTENCE_ENDS, "\n"))
        start = border + 1 if border >= 0 else start
    end = min(len(text), start + SNIPPET)
    shown = " ".join(text[start:end].split())
    return f"{'…' if start and shown else ''}{shown}{'…' if end < len(text) and shown else ''}"


def _densest(hits: list[tuple[int, str]], size: int) -> tuple[int, int]:
    """First and last character of the window with the heaviest matches; the earliest of equals."""
    places = [at for at, _ in hits]
    best, found = -1, (0, 0)
    for number, (at, _) in enumerate(hits):
        inside = hits[number : bisect_left(places, at + size)]
        inside = [(place, term) for place, term in inside if place + len(term) <= at + size] or inside[:1]
        weight = sum(len(term) ** 2 for term in {term for _, term in inside})
        if weight > best:
            best, found = weight, (at, min(at + size, max(place + len(term) for place, term in inside)))
    return found


def _places(text: str, term: str) -> Iterator[int]:
    at = -1
    for _ in range(_HITS_A_TERM):
        at = text.find(term, at + 1)
        if at < 0 or not term:
            return
        yield at


def _shown_terms(query: str) -> list[str]:
    """What a snippet looks for: words, the long ones when there are some; short runs as they stand."""
    found = list(dict.fromkeys([*word_terms(query), *(run for run in runs(query) if len(run) <= 8)]))
    return [term for term in found if len(term) > 1] or found or words(query)


def _page(found: tuple[Any, ...]) -> Page:
    number, url, title, day, text, source, provenance = found
    stated = date.fromisoformat(day) if day else None
    return Page(number, url, title, stated, text, source, cast(Provenance, provenance))
