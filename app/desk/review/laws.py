"""The law that a case cites: which version its days call for, by which rule, and its words where a pack has them.

Windows come from a pack with real statutes if there is one that knows the law, else from the index that comes with
Moot. Days are inclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from pydantic import ValidationError

from app.desk.law import shelf as law_shelf
from app.desk.law.shelf import Life, life_of
from store.errors import StoreError
from store.pack import Pack
from store.statutes.applicable import CaseDates, Mark, kind_of, mark
from store.statutes.book import StatuteBook
from store.statutes.model import LawVersion
from tasks.courts.casefile.law import Laws, shipped_laws
from tasks.courts.casefile.people import LawRef

_ORDER = ("applicable", "possible", "not")


@dataclass(frozen=True, slots=True)
class Cited:
    """An article as a case cites it: the version that fits best with its mark, and where its window lies in the law's
    life.

    version None: no version has the article. text None: its words are in no pack.
    """

    ref: LawRef
    version: LawVersion | None = None
    mark: Mark | None = None
    life: Life | None = None
    text: str | None = None
    pack: str = ""


def ref_of(value: object) -> LawRef | None:
    """An article as a case file writes it; None where it is none."""
    try:
        return LawRef.model_validate(value)
    except ValidationError:
        return None


def refs_in(value: object) -> Iterator[LawRef]:
    """All articles that some fields of a case name, in order."""
    if isinstance(value, Mapping):
        if "law" in value and "article" in value:
            if found := ref_of(value):
                yield found
            return
        for key, item in value.items():
            if key == "laws" and isinstance(item, list | tuple):
                yield from filter(None, map(ref_of, item))
            else:
                yield from refs_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from refs_in(item)


@contextmanager
def real_book() -> Iterator[tuple[StatuteBook | None, str]]:
    """The statutes of the first pack with real law, open for a moment; None where there is none."""
    real = [shelf for shelf in law_shelf.shelves() if not shelf.fictional]
    name = law_shelf.first_choice(real)
    with ExitStack() as stack:
        try:
            book = StatuteBook(stack.enter_context(Pack.open(name))) if name else None
        except StoreError:
            book = None
        yield book, name if book is not None and name else ""


def cited(refs: Iterable[LawRef], dates: CaseDates) -> dict[LawRef, Cited]:
    """Every article with the version that the days of the case call for."""
    with real_book() as (book, name):
        return {ref: _cited(ref, dates, book, name) for ref in dict.fromkeys(refs)}


def _cited(ref: LawRef, dates: CaseDates, book: StatuteBook | None, name: str) -> Cited:
    found: Cited | None = None
    for laws, pack in ((book, name), (shipped_laws(), "")):
        if laws is not None and (found := _in(ref, dates, laws, pack)).version is not None:
            return found
    return found or Cited(ref)


def _in(ref: LawRef, dates: CaseDates, laws: Laws, pack: str) -> Cited:
    versions = laws.versions(ref.law)
    having = [version for version in versions if ref.number in laws.numbers(ref.law, version.label)]
    if not having:
        return Cited(ref)
    # Rules on which law applies are rules of procedure: the court follows those of its own day.
    kind = "procedure" if "时间效力" in ref.law and kind_of(ref.law) == "civil" else kind_of(ref.law)
    doubt = laws.relations.doubt(ref.law) if isinstance(laws, StatuteBook) else None
    told = {
        "parent_ended": doubt.since if doubt else None,
        "as_of": laws.as_of if isinstance(laws, StatuteBook) else None,
    }
    marks = [(mark(version, dates, kind=kind, number=ref.number, **told), version) for version in having]
    day = dates.judged or dates.proceeding or dates.acted or law_shelf.today()
    best, version = min(marks, key=lambda pair: (_ORDER.index(pair[0].verdict), not pair[1].covers(day)))
    texts = [article.text for article in laws.article(ref.law, version.label, ref.number) if article.text]
    return Cited(ref, version, best, life_of(versions, law_shelf.today()), texts[0] if texts else None, pack)
