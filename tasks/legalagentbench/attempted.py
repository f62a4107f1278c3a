"""An attempt at LegalAgentBench beside its gold card: what the way needs, what was called for, what was shown.

Evidence is complete when everything that a table can show was shown: what is left then is the answer. A prediction
without calls is read by its detailed answer, as the published process rate does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import Levenshtein

from store.importers.logs.calls import shape_of
from store.schema import LOOKUPS
from store.text.normalise import fold_width, widen_brackets
from tasks.episode.state import State, imported
from tasks.legalagentbench.questions import WRITING, Gold, Question
from tasks.scoring.failures import Call, Place, answer_step, calls_of
from tasks.scoring.strict import NUMBER, Amount, Canonical, Day, canonical, is_derived, seen_in, strict_hit

CLOSE = 3
"""Characters in which a misread case number differs at most."""
LOOKED_AT = 20_000
"""Characters of a text in which case numbers are looked for, from either end."""

_BRACKETS = str.maketrans("〔〕﹝﹞[]【】{}", "()()()()()")
_CASE_NUMBER = re.compile(r"\([0-9]{4}\)[^\s,。;:、\"'“”‘’《》()]{1,24}?号")
_COUNTERS = "次家个起件条份位所笔处宗人名"
"""Units of a count, any of which may stand for another."""

Item = Amount | Day


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of a row that was shown."""

    call: Call
    row: Mapping[str, object]
    column: str

    @property
    def text(self) -> str:
        """The value as a text; '' for an empty one."""
        return text_of(self.row.get(self.column))


def text_of(value: object) -> str:
    """A value of a cell as a text; '' for what says nothing."""
    text = "" if value is None or isinstance(value, dict | list) else str(value).strip()
    return "" if text in ("-", "nan", "None") else text


def rows_of(call: Call) -> list[Mapping[str, object]]:
    """The rows that a call was shown."""
    values = call.value if isinstance(call.value, list) else [call.value]
    return [row for row in values if isinstance(row, Mapping)]


def shows(call: Call, key: str) -> bool:
    """Whether what came back shows a key."""
    if not call.ok:
        return False
    return seen_in(key, call.observation) or any(
        key in "".join(text_of(value) for value in row.values()) for row in rows_of(call)
    )


def first_shown(calls: Sequence[Call], key: str) -> Call | None:
    """The call that first showed a key."""
    return next((call for call in calls if shows(call, key)), None)


def cells_of(calls: Sequence[Call], key: str) -> Iterator[Cell]:
    """The cells whose value is a key."""
    for call in calls:
        for row in rows_of(call) if call.ok else ():
            for column, value in row.items():
                if (text := text_of(value)) and len(text) <= 4 * len(key) + 8 and seen_in(key, text):
                    yield Cell(call, row, column)


def figure(key: str) -> tuple[Item, str] | None:
    """The amount or day that a key is, and its unit; None for a key that is neither."""
    found = canonical(key)
    if len(found.items) != 1 or found.places != (0,) or len(found.skeleton) > 3:
        return None
    return found.items[0], found.skeleton[1:]


def figures_like(unit: str, item: Item, text: str) -> Iterator[Item]:
    """The figures of a text with the unit of a key, or the days where the key is one; other units of a count
    agree."""
    units = _COUNTERS if unit and unit in _COUNTERS else ""
    given = canonical(text)
    for place, found in zip(given.places, given.items, strict=True):
        after = given.skeleton[place + 1 :]
        if isinstance(item, Day) or isinstance(found, Day):
            if isinstance(item, Day) and isinstance(found, Day):
                yield found
        elif not unit or after.startswith(unit) or (units and after[:1] in units):
            yield found


def spoken(item: Item) -> str:
    """A figure as a text."""
    return f"{item.year}-{item.month}-{item.day}" if isinstance(item, Day) else f"{item.value:f}"


def same_shape(text: str, other: str) -> bool:
    """Whether two cells are figures of one kind: days, or amounts in one unit."""
    a, b = canonical(text), canonical(other)
    return _bare(a) == _bare(b) and len(a.items) == 1


def _bare(found: Canonical) -> str:
    """The skeleton of a cell; an amount in 元 is often a bare number there."""
    return NUMBER if found.skeleton in (f"{NUMBER}元", f"{NUMBER}%") else found.skeleton


def case_numbers(text: str) -> set[str]:
    """The case numbers in a text, in one spelling of brackets and widths."""
    text = text if len(text) <= 2 * LOOKED_AT else text[:LOOKED_AT] + text[-LOOKED_AT:]
    return set(_CASE_NUMBER.findall(plain(text)))


def plain(text: str) -> str:
    """A text in one spelling of brackets and widths."""
    return fold_width(text).translate(_BRACKETS)


def misread(number: str, known: set[str]) -> str:
    """The known case number that this one is, but for a few characters; '' where it is known itself, or is none."""
    if number in known:
        return ""
    near = [(Levenshtein.distance(number, one, score_cutoff=CLOSE), one) for one in sorted(known)]
    distance, found = min(near, default=(CLOSE + 1, ""))
    return found if distance <= CLOSE else ""


def says(key: str, text: str) -> bool:
    """Whether a text states a key, by the strict rule."""
    return strict_hit(key, text)


SURE = 4
"""Characters from which on a key that was seen is no chance find."""


class Attempt:
    """An attempt, read once."""

    def __init__(self, question: Question, state: State) -> None:
        self.state = state
        self.gold: Gold = question.gold
        self.asked = str(question.card.get("question", ""))
        self.res = state.answered.res if state.answered else ""
        self.missing = [key for key in dict.fromkeys(self.gold.keys) if not says(key, self.res)]
        self.calls = calls_of(state.records)
        self.from_summary = not self.calls and imported(state) and state.answered is not None
        if self.from_summary and state.answered:
            self.calls = [Call(answer_step(state), "", None, "ok", state.answered.summary)]

    @cached_property
    def unread_tools(self) -> list[str]:
        """Tools of the way that have told nothing; that there is no row for a known name tells something."""
        if self.from_summary:
            return []
        told = {call.tool for call in self.calls if call.ok or self._answered_no(call)}
        rows = {table_of(tool) for tool in told}
        way = dict.fromkeys(self.gold.path)
        return [tool for tool in way if tool not in told and (lists(tool) or table_of(tool) not in rows)]

    @cached_property
    def due(self) -> str:
        """The first tool of the way that has given nothing; '' where all have."""
        given = {call.tool for call in self.calls if call.ok}
        rows = {table_of(tool) for tool in given}
        left = [tool for tool in self.gold.path if tool not in given and (lists(tool) or table_of(tool) not in rows)]
        return left[0] if left else ""

    def reached(self, call: Call) -> bool:
        """Whether the tools of the way before the one that is due had all been called before a call."""
        before = self.gold.path[: self.gold.path.index(self.due)]
        return all(any(other.tool == tool and other.step < call.step for other in self.calls) for tool in before)

    def on_way(self, tool: str) -> bool:
        """Whether a tool belongs to the way; one row of a table may come from any of its tools."""
        if tool in self.gold.path or not self.gold.path:
            return True
        return not lists(tool) and table_of(tool) in map(table_of, self.gold.path)

    def _answered_no(self, call: Call) -> bool:
        values = values_of(call)
        known = all(value in self.known_before(call.step) for value in values)
        return call.status == "no_data" and known and of_kind(call)

    @cached_property
    def unseen(self) -> list[str]:
        """Values that a table can show and none has shown: of the way, and of the answer where it lacks them."""
        middle = () if self.gold.group == WRITING else self.gold.middle  # there it is what a writer has to argue
        literal = [key for key in dict.fromkeys(middle) if not is_derived(key)]
        wanted = [*literal, *(key for key in self.missing if not is_derived(key) and figure(key) is None)]
        return [key for key in wanted if not says(key, self.asked) and first_shown(self.calls, key) is None]

    @cached_property
    def complete(self) -> bool:
        """Whether the answer could have been given from what was seen."""
        if not self.calls:
            return False
        if self.missing and all(
            not is_derived(key) and first_shown(self.calls, key) is not None for key in self.missing
        ):
            return not self.unread_tools or all(len(key) >= SURE for key in self.missing)
        return not self.unseen and not self.unread_tools

    @property
    def concluded(self) -> bool:
        """Whether all was seen and something answered, so that what happened on the way is no reason."""
        return self.complete and bool(self.res.strip())

    def known_before(self, step: int) -> str:
        """What question and observations have said before a step, in one spelling."""
        return plain("\n".join([self.asked, *(call.observation for call in self.calls if call.step < step)]))

    @cached_property
    def known_numbers(self) -> set[str]:
        """Case numbers of question and observations."""
        return set().union(case_numbers(self.asked), *(case_numbers(call.observation) for call in self.calls))

    def new_by(self, call: Call) -> list[str]:
        """What is needed and a call was the first to show."""
        wanted = dict.fromkeys((*self.gold.keys, *self.gold.middle))
        return [key for key in wanted if not says(key, self.asked) and first_shown(self.calls, key) is call]

    def gets_on(self, place: int) -> bool:
        """Whether the call at this place showed something needed, or asked a tool of the way something new."""
        call, before = self.calls[place], self.calls[:place]
        fresh = all((call.tool, call.input) != (other.tool, other.input) for other in before)
        return bool(self.new_by(call)) or (fresh and call.tool in self.gold.path)

    def later_ok(self, call: Call) -> bool:
        """Whether the same tool gave something later."""
        return any(other.ok and other.tool == call.tool and other.step > call.step for other in self.calls)

    @property
    def said(self) -> Place:
        """The answer."""
        return Place.of(answer_step(self.state), self.res)


def table_of(tool: str) -> str:
    """The table that a tool reads; its own name where it reads none."""
    return LOOKUPS[tool].table if tool in LOOKUPS else tool


def lists(tool: str) -> bool:
    """Whether a tool gives all rows of something; one row of a table may come from any of its tools."""
    return tool in LOOKUPS and LOOKUPS[tool].shape == "many"


def values_of(call: Call) -> list[str]:
    """What a lookup was asked for, in one spelling; columns are none of it."""
    if call.tool not in LOOKUPS or not isinstance(call.input, Mapping):
        return []
    given = (call.input.get(name) for name in LOOKUPS[call.tool].parameters)
    return [plain(value) for value in given if isinstance(value, str) and value.strip()]


def of_kind(call: Call) -> bool:
    """Whether what a lookup was asked for looks like what it is matched against: a court for the column of courts."""
    lookup = LOOKUPS.get(call.tool)
    asked = zip(lookup.match, values_of(call), strict=False) if lookup else ()
    return all(_looks_like(value, columns) for columns, value in asked)


def _looks_like(value: str, columns: Sequence[str]) -> bool:
    """Whether a value may stand in one of these columns; of a column whose values have no shape of their own, whether
    it is no number of a case or a company."""
    wide = widen_brackets(value)
    shapes = [shape_of(column) for column in columns]
    if None not in shapes:
        return any(shape is not None and shape.fullmatch(wide) for shape in shapes)
    credit = shape_of("统一社会信用代码")
    return case_numbers(value) != {value} and not (credit and credit.fullmatch(value))
