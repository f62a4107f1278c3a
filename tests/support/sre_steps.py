"""How many characters Python's regular expressions look at: a model of its backtracking matcher that counts.

The real matcher tells nobody how long it searched, and a clock tells each time something else. The model walks the
same parse tree in the same order; `spans` gives what it found, so that whoever counts can compare it with the real
match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

Ends = Callable[[int], Iterator[int]]
"""Where a part of a pattern can end that begins at a position, in the order in which the matcher tries them."""

SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY}


class TooMuch(Exception):
    """More characters were looked at than any reading of such a text may cost."""


class Letters(dict[str, bool]):
    """Which characters one item of a pattern takes: the real matcher is asked once for each."""

    def __init__(self, item: re.Pattern[str]) -> None:
        self.item = item

    def __missing__(self, letter: str) -> bool:
        self[letter] = self.item.match(letter) is not None
        return self[letter]


_letters: dict[tuple[str, int], Letters] = {}
"""Items that stand in many patterns are compiled once."""


class Steps:
    """One pattern. `looked` counts the characters looked at so far, over all searches."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        parsed = _parser.parse(pattern.pattern, pattern.flags & ~re.LOCALE)
        self.state = parsed.state
        self.looked = 0
        self.most = float("inf")
        self.text, self.end = "", 0
        self.groups: dict[int, str] = {}
        self.begins = self._first(list(parsed), pattern.flags)
        self.whole = self._sequence(list(parsed), pattern.flags)

    def find(self, text: str, at: int, end: int, how: str = "search", besides: int = -1) -> tuple[int, int] | None:
        """The span of the first match from `at`; an empty one at `besides` does not count."""
        self.text, self.end = text, end
        for start in range(at, end + 1) if how == "search" else (at,):
            self._look(1)
            if self.begins is not None and not (start < end and self.begins[text[start]]):
                continue
            for stop in self.whole(start):
                if (how != "fullmatch" or stop == end) and not stop == start == besides:
                    return start, stop
        return None

    def _look(self, characters: int) -> None:
        self.looked += characters
        if self.looked > self.most:
            raise TooMuch

    def _real(self, item: Any, flags: int) -> re.Pattern[str]:
        made: re.Pattern[str] = _compiler.compile(_parser.SubPattern(self.state, [item]), flags)
        return made

    def _taken(self, item: Any, flags: int) -> Letters:
        written = (str(item), flags)
        if written not in _letters:
            _letters[written] = Letters(self._real(item, flags))
        return _letters[written]

    def _first(self, items: list[Any], flags: int) -> Letters | None:
        """What the first character must be, None when that is not one plain item."""
        if not items:
            return None
        op, value = items[0]
        if op in SINGLE:
            return self._taken(items[0], flags)
        if op is _constants.SUBPATTERN:
            return self._first(list(value[3]), (flags | value[1]) & ~value[2])
        return None

    def _sequence(self, items: list[Any], flags: int) -> Ends:
        parts: list[Ends] = []
        row: list[Letters] = []
        for item in items:
            if item[0] in SINGLE:
                if not row:
                    parts.append(self._row(row := []))
                row.append(self._taken(item, flags))
            else:
                row = []
                parts.append(self._part(item, flags))

        def ends(at: int, nth: int = 0) -> Iterator[int]:
            if nth == len(parts):
                yield at
            else:
                for stop in parts[nth](at):
                    yield from ends(stop, nth + 1)

        return parts[0] if len(parts) == 1 else ends

    def _row(self, row: list[Letters]) -> Ends:
        def ends(at: int) -> Iterator[int]:
            for stop, letters in enumerate(row, at):
                self._look(1)
                if stop >= self.end or not letters[self.text[stop]]:
                    return
            yield at + len(row)

        return ends

    def _part(self, item: Any, flags: int) -> Ends:
        op, value = item
        if op is _constants.AT:
            place = self._real(item, flags)
            return lambda at: iter((at,) if place.match(self.text, at, self.end) else ())
        if op is _constants.SUBPATTERN:
            return self._group(value[0], self._sequence(list(value[3]), (flags | value[1]) & ~value[2]))
        if op is _constants.BRANCH:
            return self._branch([list(items) for items in value[1]], flags)
        if op in (_constants.ASSERT, _constants.ASSERT_NOT):
            return self._assertion(op is _constants.ASSERT, value[0], value[1], flags)
        if op is _constants.GROUPREF:
            return self._again(value, bool(flags & re.IGNORECASE))
        if op is _constants.ATOMIC_GROUP:
            return self._once(self._sequence(list(value), flags))
        low, high, items = value
        if len(items) == 1 and items[0][0] in SINGLE:
            some = self._run(self._taken(items[0], flags), low, high, op is _constants.MIN_REPEAT)
        else:
            some = self._repeat(self._sequence(list(items), flags), low, high, op is _constants.MIN_REPEAT)
        return self._once(some) if op is _constants.POSSESSIVE_REPEAT else some

    def _group(self, number: int | None, body: Ends) -> Ends:
        if number is None:
            return body

        def ends(at: int) -> Iterator[int]:
            for stop in body(at):
                self.groups[number] = self.text[at:stop]
                yield stop

        return ends

    def _branch(self, ways: list[list[Any]], flags: int) -> Ends:
        bodies = [(self._first(items, flags), self._sequence(items, flags)) for items in ways]
        fitting: dict[str, list[Ends]] = {}

        def ends(at: int) -> Iterator[int]:
            self._look(1)
            letter = self.text[at] if at < self.end else ""
            if letter not in fitting:
                fitting[letter] = [body for first, body in bodies if first is None or (letter and first[letter])]
            for body in fitting[letter]:
                yield from body(at)

        return ends

    def _assertion(self, wanted: bool, direction: int, items: Any, flags: int) -> Ends:
        body = self._sequence(list(items), flags)
        back = items.getwidth()[0] if direction < 0 else 0

        def ends(at: int) -> Iterator[int]:
            if (at >= back and any(True for _ in body(at - back))) == wanted:
                yield at

        return ends

    def _again(self, number: int, folded: bool) -> Ends:
        def ends(at: int) -> Iterator[int]:
            said = self.groups.get(number)
            if said is not None:
                self._look(len(said))
                here = self.text[at : min(at + len(said), self.end)]
                if here == said or (folded and here.lower() == said.lower()):
                    yield at + len(said)

        return ends

    def _once(self, body: Ends) -> Ends:
        def ends(at: int) -> Iterator[int]:
            for stop in body(at):
                yield stop
                return

        return ends

    def _run(self, letters: Letters, low: int, high: int, lazy: bool) -> Ends:
        def ends(at: int) -> Iterator[int]:
            stop, last = at, min(self.end, at + high)
            if lazy:
                while True:
                    self._look(1)
                    if stop - at >= low:
                        yield stop
                    if stop >= last or not letters[self.text[stop]]:
                        return
                    stop += 1
            while stop < last and letters[self.text[stop]]:
                stop += 1
            self._look(stop - at + 1)
            for back in range(stop, at + low - 1, -1):
                self._look(1)
                yield back

        return ends

    def _repeat(self, body: Ends, low: int, high: int, lazy: bool) -> Ends:
        def ends(at: int) -> Iterator[int]:
            done = [(at, body(at))]
            if lazy and not low:
                yield at
            while done:
                here, tries = done[-1]
                stop = next(tries, None) if len(done) <= high else None
                if stop is None:
                    done.pop()
                    if not lazy and len(done) >= low:
                        yield here
                elif stop > here or len(done) <= low:
                    if lazy and len(done) >= low:
                        yield stop
                    done.append((stop, body(stop)))

        return ends
