"""The names a pack knows, ready to be found inside a question.

Built from columns of the pack only. A name that the pack does not hold can still be recognised by its shape
(`recognise`); the index then only lends the near match that differs by left-out characters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Protocol

from rapidfuzz import process
from rapidfuzz.distance import Indel

from tasks.legalagentbench.construct.tree import HOLDS, PLACES
from tasks.legalagentbench.rules.places import Place
from tasks.legalagentbench.rules.values import court_code

MERGED = {"penalty": "case"}
"""Kinds of the planning tree that a question does not tell apart."""
_SHORTEST = {"short": 2, "stock": 6, "address": 6, "credit": 15, "court_code": 3}
_COUNTY_ENDS = ("自治县", "自治旗", "新区", "区", "县", "市", "旗")


class _Row(Protocol):
    @property
    def cells(self) -> Mapping[str, object]: ...


class NameSource(Protocol):
    """What the index needs of a pack."""

    def distinct(self, table: str, column: str) -> list[str]:
        """Distinct known strings of a column."""
        ...

    def rows(self, table: str) -> Iterable[_Row]:
        """All rows of a table."""
        ...


class NameIndex:
    """Names by kind, found by their first two characters; and the places the pack has seen."""

    def __init__(
        self,
        names: Mapping[str, Iterable[str]],
        places: Iterable[Place] = (),
        courts: Mapping[str, str] | None = None,
    ) -> None:
        self.courts = dict(courts or {})
        """法院代字 -> court, as the pack's case rows pair them: a name to try where get_court_code has none."""
        self.kinds: dict[str, frozenset[str]] = {}
        self._heads: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for kind, words in names.items():
            shortest = _SHORTEST.get(kind, 4)
            kept = {word.strip() for word in words if len(word.strip()) >= shortest}
            self.kinds[kind] = frozenset(kept)
            for word in kept:
                self._heads[word[:2]].append((word, kind))
        for bucket in self._heads.values():
            bucket.sort(key=lambda entry: (-len(entry[0]), entry))
        self.places = frozenset(place for place in places if place.county and place.city)
        self.counties: defaultdict[str, list[Place]] = defaultdict(list)
        for place in sorted(self.places):
            self.counties[place.county].append(place)
            for end in _COUNTY_ENDS:
                if place.county.endswith(end) and len(place.county) - len(end) >= 2:
                    self.counties[place.county.removesuffix(end)].append(place)
                    break

    @classmethod
    def of(cls, pack: NameSource) -> NameIndex:
        """The index of a pack."""
        names: defaultdict[str, list[str]] = defaultdict(list)
        for kind, columns in HOLDS.items():
            for table, _, column in (place.partition(".") for place in columns):
                names[MERGED.get(kind, kind)] += (word for word in pack.distinct(table, column) if "," not in word)
        places = (
            Place(*(value if isinstance(value := row.cells.get(column), str) else "" for column in columns))
            for table, columns in PLACES.items()
            for row in pack.rows(table)
        )
        return cls(names, places, _court_codes(pack))

    def at(self, text: str, position: int) -> list[tuple[str, str]]:
        """(name, kind) of the names that start at a position, longest first."""
        return [
            (word, kind)
            for word, kind in self._heads.get(text[position : position + 2], ())
            if text.startswith(word, position)
        ]

    def knows(self, kind: str, name: str) -> bool:
        """Whether the pack holds this very name."""
        return name in self.kinds.get(kind, ())

    def near(self, kind: str, name: str) -> str | None:
        """The one known name that is this name with a few characters left out or added, never exchanged.

        Exchanged characters (一建 and 三建) mark another company; left-out ones are slips of the pen.
        """
        best = process.extract(
            name, sorted(self.kinds.get(kind, ())), scorer=Indel.normalized_similarity, limit=2, score_cutoff=0.88
        )
        good = [found for found, _, _ in best if _contains(found, name) or _contains(name, found)]
        return good[0] if len(good) == 1 else None

    def place(self, place: Place, following: str) -> tuple[Place, int]:
        """A place completed from the pack's places, and how many characters of the following text name its county."""
        used = 0
        if not place.county:
            for size in range(min(8, len(following)), 1, -1):
                word = following[:size]
                fitting = [p for p in self.counties.get(word, ()) if _fits(p, place)]
                if fitting and (place.city or place.province or word == fitting[0].county):
                    return fitting[0], size
            return place, 0
        fitting = [p for p in self.counties.get(place.county, ()) if _fits(p, place)]
        return (fitting[0], used) if fitting else (place, used)


def _court_codes(pack: NameSource) -> dict[str, str]:
    """法院代字 of the case numbers in enforcement rows with the court of the row, where all rows agree."""
    courts: defaultdict[str, set[str]] = defaultdict(set)
    for table in ("RestrictionCase", "FinalizedCase", "DishonestyCase"):
        for row in pack.rows(table):
            code, court = court_code(str(row.cells.get("案号") or "")), row.cells.get("执行法院")
            if code and isinstance(court, str) and len(court) > 4:
                courts[code].add(court)
    return {code: next(iter(found)) for code, found in courts.items() if len(found) == 1}


def _fits(known: Place, given: Place) -> bool:
    return given.province in ("", known.province) and given.city in ("", known.city)


def _contains(long: str, short: str) -> bool:
    """Whether the short text is the long one with at most three characters left out."""
    if not 0 < len(long) - len(short) <= 3:
        return False
    rest = iter(long)
    return all(character in rest for character in short)
