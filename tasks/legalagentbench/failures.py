"""Why an attempt at LegalAgentBench failed: what the way to the answer needs, and where the record leaves it.

The gold card names the tools of the way and the values between; where a task file has the calls as well, they are not
needed. Evidence is complete when everything that a table can show was shown; what is left then is the answer. A
prediction without calls is read by its detailed answer, as the published process rate does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import Levenshtein

from store.importers.logs.calls import shape_of
from store.schema import LOOKUPS, TABLES
from store.text.normalise import fold_width, widen_brackets
from tasks.episode.events import Planned
from tasks.episode.state import State, imported
from tasks.legalagentbench.questions import ASKED, CALCULATORS, WRITING, LabGold, LabQuestion
from tasks.legalagentbench.tools import FINISH_NAMES, RETRIEVERS, TOOLS
from tasks.scoring.failures import (
    AttemptRecord,
    Detector,
    Diagnosis,
    Finding,
    ObservedCall,
    StepQuote,
    answer_step,
    last_step,
    verdict,
)
from tasks.scoring.strict import NUMBER, Amount, Canonical, PartialDate, canonical, is_derived, shows_key, strict_hit

CLOSE = 3
"""Characters in which a misread case number differs at most."""
LOOKED_AT = 20_000
"""Characters of a text in which case numbers are looked for, from either end."""

_BRACKETS = str.maketrans("〔〕﹝﹞[]【】{}", "()()()()()")
_CASE_NUMBER = re.compile(r"\([0-9]{4}\)[^\s,。;:、\"'“”‘’《》()]{1,24}?号")
_COUNTERS = "次家个起件条份位所笔处宗人名"
"""Units of a count, any of which may stand for another."""

Item = Amount | PartialDate


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A value of a row that was shown."""

    call: ObservedCall
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


def rows_of(call: ObservedCall) -> list[Mapping[str, object]]:
    """The rows that a call was shown."""
    values = call.value if isinstance(call.value, list) else [call.value]
    return [row for row in values if isinstance(row, Mapping)]


def shows(call: ObservedCall, key: str) -> bool:
    """Whether what came back shows a key."""
    if not call.ok:
        return False
    return shows_key(key, call.observation) or any(
        key in "".join(text_of(value) for value in row.values()) for row in rows_of(call)
    )


def first_shown(calls: Sequence[ObservedCall], key: str) -> ObservedCall | None:
    """The call that first showed a key."""
    return next((call for call in calls if shows(call, key)), None)


def cells_of(calls: Sequence[ObservedCall], key: str) -> Iterator[ShownCell]:
    """The cells whose value is a key."""
    for call in calls:
        for row in rows_of(call) if call.ok else ():
            for column, value in row.items():
                if (text := text_of(value)) and len(text) <= 4 * len(key) + 8 and shows_key(key, text):
                    yield ShownCell(call, row, column)


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
        if isinstance(item, PartialDate) or isinstance(found, PartialDate):
            if isinstance(item, PartialDate) and isinstance(found, PartialDate):
                yield found
        elif not unit or after.startswith(unit) or (units and after[:1] in units):
            yield found


def spoken(item: Item) -> str:
    """A figure as a text."""
    return f"{item.year}-{item.month}-{item.day}" if isinstance(item, PartialDate) else f"{item.value:f}"


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


class LabAttempt(AttemptRecord):
    """An attempt with the tools and values of its way."""

    def __init__(self, question: LabQuestion, state: State) -> None:
        super().__init__(state)
        self.gold: LabGold = question.gold
        self.asked = str(question.card.get("question", ""))
        self.missing = [key for key in dict.fromkeys(self.gold.keys) if not says(key, self.res)]
        self.from_summary = not self.calls and imported(state) and state.answered is not None
        if self.from_summary and state.answered:
            self.calls = [ObservedCall(answer_step(state), "", None, "ok", state.answered.summary)]

    @cached_property
    def unread_tools(self) -> list[str]:
        """Tools of the way that have told nothing; that there is no row for a known name tells something."""
        if self.from_summary:
            return []
        return self._unread({call.tool for call in self.calls if call.ok or self._answered_no(call)})

    @cached_property
    def due(self) -> str:
        """The first tool of the way that has given nothing; '' where all have."""
        return next(iter(self._unread({call.tool for call in self.calls if call.ok})), "")

    def _unread(self, told: set[str]) -> list[str]:
        rows = {table_of(tool) for tool in told}
        way = dict.fromkeys(self.gold.path)
        return [tool for tool in way if tool not in told and (lists(tool) or table_of(tool) not in rows)]

    def reached(self, call: ObservedCall) -> bool:
        """Whether the tools of the way before the one that is due had all been called before a call."""
        before = self.gold.path[: self.gold.path.index(self.due)]
        return all(any(other.tool == tool and other.step < call.step for other in self.calls) for tool in before)

    def on_way(self, tool: str) -> bool:
        """Whether a tool belongs to the way; one row of a table may come from any of its tools."""
        if tool in self.gold.path or not self.gold.path:
            return True
        return not lists(tool) and table_of(tool) in map(table_of, self.gold.path)

    def _answered_no(self, call: ObservedCall) -> bool:
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
    def complete(self) -> bool:  # type: ignore[override]
        """Whether the answer could have been given from what was seen."""
        if not self.calls:
            return False
        if self.missing and all(
            not is_derived(key) and first_shown(self.calls, key) is not None for key in self.missing
        ):
            return not self.unread_tools or all(len(key) >= SURE for key in self.missing)
        return not self.unseen and not self.unread_tools

    @property
    def excused(self) -> bool:
        """A limit is a reason where the agent was getting on: lately shown something needed, or asking tools of the
        way what it had not asked before."""
        lately = range(max(0, len(self.calls) - LATELY), len(self.calls))
        return bool(self.calls) and not any(map(self.gets_on, lately))

    def known_before(self, step: int) -> str:
        """What question and observations have said before a step, in one spelling."""
        return plain("\n".join([self.asked, *(call.observation for call in self.calls if call.step < step)]))

    @cached_property
    def known_numbers(self) -> set[str]:
        """Case numbers of question and observations."""
        return set().union(case_numbers(self.asked), *(case_numbers(call.observation) for call in self.calls))

    def new_by(self, call: ObservedCall) -> list[str]:
        """What is needed and a call was the first to show."""
        wanted = dict.fromkeys((*self.gold.keys, *self.gold.middle))
        return [key for key in wanted if not says(key, self.asked) and first_shown(self.calls, key) is call]

    def gets_on(self, place: int) -> bool:
        """Whether the call at this place showed something needed, or asked a tool of the way something new."""
        call, before = self.calls[place], self.calls[:place]
        fresh = all((call.tool, call.input) != (other.tool, other.input) for other in before)
        return bool(self.new_by(call)) or (fresh and call.tool in self.gold.path)

    def later_ok(self, call: ObservedCall) -> bool:
        """Whether the same tool gave something later."""
        return any(other.ok and other.tool == call.tool and other.step > call.step for other in self.calls)


def table_of(tool: str) -> str:
    """The table that a tool reads; its own name where it reads none."""
    return LOOKUPS[tool].table if tool in LOOKUPS else tool


def lists(tool: str) -> bool:
    """Whether a tool gives all rows of something; one row of a table may come from any of its tools."""
    return tool in LOOKUPS and LOOKUPS[tool].shape == "many"


def values_of(call: ObservedCall) -> list[str]:
    """What a lookup was asked for, in one spelling; columns are none of it."""
    if call.tool not in LOOKUPS or not isinstance(call.input, Mapping):
        return []
    given = (call.input.get(name) for name in LOOKUPS[call.tool].parameters)
    return [plain(value) for value in given if isinstance(value, str) and value.strip()]


def of_kind(call: ObservedCall) -> bool:
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


APPLIES = (
    "error", "context_full", "outside_pack", "format", "legal_knowledge", "argument_error", "wrong_tool", "planning",
    "loop",
    "limit", "missing_hop", "wrong_number", "evidence_unused", "other",
)  # fmt: skip
HELPERS = CALCULATORS | frozenset(FINISH_NAMES) | frozenset(RETRIEVERS)
"""Tools that no way names and that are never the wrong ones."""
LONG = 11
"""Digits from which on a bare numeral is a telephone or register number."""
LATELY = 3
"""Calls before a limit that show whether the agent was getting on."""


def failure_of(question: LabQuestion, state: State) -> Diagnosis:
    """Why an attempt failed; solved is what states every key by the strict rule."""
    if state.stopped is None:
        return Diagnosis("unfinished")
    if question.group == ASKED:
        return Diagnosis("unjudged")
    attempt = LabAttempt(question, state)
    if not attempt.missing and state.stopped.outcome not in ("error", "cancelled"):
        return Diagnosis("solved")
    return verdict(attempt, DETECTORS, from_summary=attempt.from_summary)


def _outside(attempt: LabAttempt) -> Iterator[Finding]:
    """What the pack lacks, where the tool belongs to the way and what it was asked for is known."""
    for call in attempt.calls:
        if call.status == "outside_pack" or call.unknown:
            founded = attempt.on_way(call.tool)
            founded &= all(value in attempt.known_before(call.step) for value in values_of(call))
            decisive = founded and not (attempt.complete or attempt.later_ok(call) or attempt.new_by(call))
            yield Finding("outside_pack", "cell" if call.unknown else "row", (call.place,), decisive)


def _arguments(attempt: LabAttempt) -> Iterator[Finding]:
    """What a tool refused: the shape of the call, a column, what is no number, a name that stands nowhere."""
    called = {"", *(call.tool for call in attempt.calls)}
    for call in attempt.calls:
        why = REFUSALS.get(call.status, "")
        if call.tool not in TOOLS and call.tool not in FINISH_NAMES:
            continue  # the tool itself is at fault
        if call.status in ("no_data", "outside_pack"):
            why = _refused_name(attempt, call)
        if why:
            made_good = attempt.later_ok(call) or attempt.complete and why != "operand"
            on_way = call.tool in HELPERS or attempt.on_way(call.tool)
            skipped = why in ("name", "kind") and attempt.due not in called  # what it asks for, that step would tell
            yield Finding("argument_error", why, (call.place,), on_way and not made_good and not skipped)


REFUSALS = {"call_error": "shape", "bad_column": "column", "math_error": "operand"}
"""Status of a call -> what its tool refused."""


def _refused_name(attempt: LabAttempt, call: ObservedCall) -> str:
    """Why nothing could be found: a value of another kind than the tool takes, or one that stands nowhere. A misread
    case number is another matter."""
    known = attempt.known_before(call.step)
    values = values_of(call)
    for value in values:
        if value not in known:
            return "" if any(misread(one, attempt.known_numbers) for one in case_numbers(value)) else "name"
    if not of_kind(call):
        return "kind"
    return ""


def _tools(attempt: LabAttempt) -> Iterator[Finding]:
    """A tool that does not exist; or others called in the place of the one that was due, which never was. Whoever
    goes on with later tools of the way has left a step out instead."""
    for call in attempt.calls:
        if call.tool not in TOOLS and call.tool not in HELPERS and call.status == "call_error":
            yield Finding("wrong_tool", "no_such_tool", (call.place,), bool(attempt.due) and not attempt.complete)
    if attempt.from_summary or not attempt.due or attempt.due in {call.tool for call in attempt.calls}:
        return
    way = list(attempt.gold.path)
    later = set(way[way.index(attempt.due) + 1 :])
    beside = [
        call
        for call in attempt.calls
        if call.tool in LOOKUPS and call.tool not in way and not attempt.new_by(call) and attempt.reached(call)
    ]
    if beside and not any(call.tool in later for call in attempt.calls):
        places = [call.place for call in sorted(beside, key=lambda call: call.ok)]
        yield Finding(
            "wrong_tool",
            "other_tool",
            (places[0], StepQuote.of(0, "→", attempt.due), *places[1:]),
            not attempt.complete,
        )


def _planning(attempt: LabAttempt) -> Iterator[Finding]:
    """The first plan against the way: tables that it never reads, and steps before the ones that they need."""
    events = [(record.step, record.event) for record in attempt.state.records]
    planned = next(((step, event) for step, event in events if isinstance(event, Planned)), None)
    named = [tool for tool in planned[1].tools if tool in LOOKUPS] if planned else []
    way = list(dict.fromkeys(tool for tool in attempt.gold.path if tool in LOOKUPS))
    if planned is None or not named or not way:
        return
    step, plan = planned
    tables = set(map(table_of, named))
    lacking = [tool for tool in way if table_of(tool) not in tables]
    if lacking:
        places = (StepQuote.of(step, "；".join(plan.steps)), StepQuote.of(0, "→", "、".join(lacking)))
        yield Finding("planning", "plan_lacks", places, not attempt.complete)
        return
    for before, after in zip(way, way[1:], strict=False):
        if before in named and after in named and named.index(after) < named.index(before):
            places = (StepQuote.of(step, "、".join(named)), StepQuote.of(0, before, "→", after))
            yield Finding("planning", "plan_order", places, not attempt.complete)
            return


def _numbers(attempt: LabAttempt) -> Iterator[Finding]:
    """Case numbers that stand nowhere and are those of the record but for a few characters: in calls, in the
    answer."""
    if attempt.from_summary:
        return
    for call in attempt.calls:
        for value in values_of(call):
            for number in case_numbers(value):
                if near := misread(number, attempt.known_numbers):
                    decisive = not attempt.complete and not call.ok and not attempt.later_ok(call)
                    places = (call.place, StepQuote.of(0, number, "→", near))
                    yield Finding("legal_knowledge", "case_number", places, decisive)
    wanted = set().union(*map(case_numbers, attempt.missing)) if attempt.missing else set()
    for number in sorted(case_numbers(attempt.res)):
        near = misread(number, attempt.known_numbers)
        if near:
            place = StepQuote.of(answer_step(attempt.state), number, "→", near)
            yield Finding("legal_knowledge", "case_number", (place,), near in wanted)


def _columns(attempt: LabAttempt) -> Iterator[Finding]:
    """Another column of the row that holds a key was answered; or one of the kind of the key was asked for alone."""
    for key in attempt.missing:
        for cell in cells_of(attempt.calls, key):
            if column := _answered(attempt, cell):
                places = (attempt.said, StepQuote.of(cell.call.step, f"{cell.column}: {cell.text}", f"{column}"))
                yield Finding("legal_knowledge", "other_column", places)
                break
        else:
            if first_shown(attempt.calls, key) is None:
                yield from _asked_beside(attempt, key)
                yield from _asked_instead(attempt)


def _answered(attempt: LabAttempt, cell: ShownCell) -> str:
    """The column beside a cell whose value the answer gives instead."""
    for column, value in cell.row.items():
        text = text_of(value)
        alike = same_shape(text, cell.text) or not (_counted(cell.text) or _counted(text))
        if column != cell.column and len(text) > 1 and alike and _instead(attempt, text):
            return column
    return ""


def _instead(attempt: LabAttempt, text: str) -> bool:
    """Whether the answer gives a value that is neither asked for nor told by the question or the reference."""
    if not says(text, attempt.res) or says(text, f"{attempt.asked}\n{attempt.gold.answer}"):
        return False
    wanted = (*attempt.gold.keys, *attempt.gold.middle)
    return not any(says(text, key) or (says(key, text) and len(text) <= 2 * len(key)) for key in wanted)


def _counted(text: str) -> bool:
    """Whether a cell is an amount or a day; what has so many digits is a number of something."""
    return figure(text) is not None and len(text) < LONG


def _asked_beside(attempt: LabAttempt, key: str) -> Iterator[Finding]:
    """A day or sum was answered from a table of the way, of whose columns of that kind not all were looked at."""
    wanted = figure(key)
    tables = set(map(table_of, attempt.gold.path))
    for call in attempt.calls if wanted else ():
        for row in rows_of(call) if call.ok and call.tool in LOOKUPS and table_of(call.tool) in tables else ():
            for column, value in row.items():
                kind, text = _ending(column), text_of(value)
                beside = [name for name in TABLES[table_of(call.tool)] if name not in row and _ending(name) == kind]
                if kind and beside and text and _figure_of_kind(key, text) and _instead(attempt, text):
                    places = (call.place, attempt.said, StepQuote.of(0, column, "→", "、".join(beside)))
                    yield Finding("legal_knowledge", "column_asked", places)
                    return


def _asked_instead(attempt: LabAttempt) -> Iterator[Finding]:
    """A row of the way was asked for without a column that the task file's own call names, and another was
    answered."""
    for tool, given in attempt.gold.calls:
        wanted = given.get("columns") if isinstance(given, Mapping) else None
        meant = values_of(ObservedCall(0, tool, given))
        for call in attempt.calls if isinstance(wanted, list) and meant else ():
            if not call.ok or call.tool != tool or values_of(call) != meant:
                continue
            for row in rows_of(call):
                lacking = [str(name) for name in wanted or () if name not in row]
                beside = [name for name in row if name not in (wanted or ())]
                column = next((name for name in beside if _instead(attempt, text_of(row[name]))), "")
                if lacking and column and len(text_of(row[column])) > 1:
                    places = (call.place, attempt.said, StepQuote.of(0, column, "→", "、".join(lacking)))
                    yield Finding("legal_knowledge", "column_asked", places)
                    return


def _figure_of_kind(key: str, text: str) -> bool:
    """Whether a cell is a figure of the kind of a key; sums of tables leave 元 out."""
    wanted = figure(key)
    return wanted is not None and any(True for _ in figures_like("", wanted[0], text))


_ENDINGS = ("日期", "（元）")


def _ending(column: str) -> str:
    """Columns of days, and of sums of money, say so at their end."""
    return next((ending for ending in _ENDINGS if column.endswith(ending)), "")


def _hops(attempt: LabAttempt) -> Iterator[Finding]:
    """Values that were never seen; the place is the step after the last one that brought something needed."""
    if attempt.complete:
        return
    useful = [call.step for call in attempt.calls if attempt.new_by(call)]
    step = min(max(useful, default=0) + 1, last_step(attempt.state))
    at = next((call.place for call in attempt.calls if call.step == step), None)
    lacking = [StepQuote.of(step, key) for key in attempt.unseen]
    if lacking:
        yield Finding("missing_hop", "never_seen", (*lacking[:3], *((at,) if at else ())))
    else:
        lacks = [StepQuote.of(step, tool) for tool in attempt.unread_tools] or [
            StepQuote.of(step, "、".join(attempt.missing))
        ]
        yield Finding("missing_hop", "never_called", (*lacks[:3], *((at,) if at else ())))


def _answer(attempt: LabAttempt) -> Iterator[Finding]:
    """Keys that the answer lacks though all was seen: another figure stands there, another row, or nothing."""
    if not attempt.res.strip():
        return
    for key in attempt.missing:
        shown = first_shown(attempt.calls, key)
        if not attempt.complete and shown is None:
            continue
        seen = StepQuote.of(shown.step, shown.observation) if shown else StepQuote.of(0, key)
        wanted, given = figure(key), ""
        if wanted is not None:
            item, unit = wanted
            aside = [one for text in (attempt.asked, *attempt.gold.keys) for one in figures_like(unit, item, text)]
            given = next((spoken(one) for one in figures_like(unit, item, attempt.res) if one not in aside), "")
        if why := _otherwise(key, attempt.res):
            places = (attempt.said, StepQuote.of(0, "≈" if why == "worded" else "≠", key))
            yield Finding("other" if why == "worded" else "wrong_number", why, places, attempt.complete)
        elif given and attempt.complete:
            yield Finding("wrong_number", "number", (attempt.said, StepQuote.of(0, given, "≠", key), seen))
        else:
            how = "other_row" if _other_row(attempt, key) else "unsaid" if shown else "unsaid_sum"
            yield Finding("evidence_unused", how, (attempt.said, StepQuote.of(0, "→", key), seen), attempt.complete)


_DENIAL = re.compile("不是|并非|非|不属于|不为|未|没有|无")
_NONE = re.compile("(?:没有|不存在|未|无)(?![能法查找提得直明足从此])")
"""There is none; not: none could be found."""
_YES = re.compile("(?:不是|是|非)(?P<what>.{2,12})")


def _otherwise(key: str, answer: str) -> str:
    """How an answer speaks of a yes-or-no key, or of a count, without its words: `worded` where it means the
    same, `judged` where it means the opposite, '' where it says nothing of it."""
    if (wanted := figure(key)) is not None:
        none = spoken(wanted[0]) == "0" and wanted[1] and _NONE.search(answer)
        return "worded" if none or wanted[0] in figures_like(wanted[1], wanted[0], answer) else ""
    match = _YES.fullmatch(key) if is_derived(key) else None
    if match is None or match["what"] not in answer:
        return ""
    what = re.escape(match["what"])
    denied = re.search(f"(?:{_DENIAL.pattern})[^，。；,;]{{0,6}}{what}", answer) is not None
    return "worded" if denied == (key[0] != "是") else "judged"


def _other_row(attempt: LabAttempt, key: str) -> str:
    """The value of the key's column in another row that the answer gives instead."""
    for cell in cells_of(attempt.calls, key):
        for row in rows_of(cell.call):
            text = text_of(row.get(cell.column))
            if row is not cell.row and len(text) > 1 and _instead(attempt, text):
                return text
    return ""


DETECTORS: tuple[Detector[LabAttempt], ...] = (
    _outside, _numbers, _columns, _arguments, _tools, _planning, _hops, _answer,
)  # fmt: skip
