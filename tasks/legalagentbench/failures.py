"""Why an attempt at LegalAgentBench failed: what the way to the answer needs, and where the record leaves it.

The gold card names the tools of the way and the values between; where a task file has the calls as well, they are not
needed. Evidence is complete when everything that a table can show was shown; what is left then is the answer. A
prediction without calls is read by its detailed answer, as the published process rate does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from rapidfuzz.distance import Levenshtein

from store.importers.logs.calls import shape_of
from store.schema import LOOKUPS, TABLES
from store.text.normalise import fold_width, widen_brackets
from tasks.episode.events import Planned
from tasks.episode.state import State, imported
from tasks.legalagentbench.questions import ASKED, CALCULATORS, WRITING, Question
from tasks.legalagentbench.tools import FINISH_NAMES, RETRIEVERS, TOOLS
from tasks.scoring.failures import Call, Finding, Place, Verdict, answer_step, calls_of, common, judged, last_step
from tasks.scoring.strict import Amount, Day, canonical, is_derived, seen_in, strict_hit

APPLIES = (
    "error", "context_full", "outside_pack", "format", "legal_knowledge", "argument_error", "wrong_tool", "planning",
    "loop", "limit", "missing_hop", "wrong_number", "evidence_unused", "other",
)  # fmt: skip
HELPERS = CALCULATORS | frozenset(FINISH_NAMES) | frozenset(RETRIEVERS)
"""Tools that no way names and that are never the wrong ones."""
LATELY = 3
"""Calls before a limit that show whether the agent was getting on."""
CLOSE = 3
"""Characters in which a misread case number differs at most."""
SURE = 4
"""Characters from which on a key that was seen is no chance find."""
LONG = 11
"""Digits from which on a bare numeral is a telephone or register number."""

_BRACKETS = str.maketrans("〔〕﹝﹞[]【】{}", "()()()()()")
_CASE_NUMBER = re.compile(r"\([0-9]{4}\)[^\s,。;:、\"'“”‘’《》()]{1,24}?号")
_COUNTERS = "次家个起件条份位所笔处宗人名"
"""Units of a count, any of which may stand for another."""
_ENDINGS = ("日期", "（元）")
"""Ends of the names of columns that hold days, and sums of money."""

Item = Amount | Day
Row = Mapping[str, object]


def failure_of(question: Question, state: State) -> Verdict:
    """Why an attempt failed; solved is what states every key by the strict rule."""
    if state.stopped is None:
        return Verdict("unfinished")
    if question.group == ASKED:
        return Verdict("unjudged")
    attempt = Attempt(question, state)
    if not attempt.missing and state.stopped.outcome not in ("error", "cancelled"):
        return Verdict("solved")
    found = [finding for detector in DETECTORS for finding in detector(attempt)]
    return judged(found, state, from_summary=attempt.from_summary)


# What a call shows
# ----------------------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """A text in one spelling of brackets and widths."""
    return fold_width(text).translate(_BRACKETS)


def case_numbers(text: str) -> set[str]:
    """The case numbers in a text, in one spelling of brackets and widths."""
    return set(_CASE_NUMBER.findall(plain(text)))


def text_of(value: object) -> str:
    """A value of a cell as a text; '' for what says nothing."""
    text = "" if value is None or isinstance(value, dict | list) else str(value).strip()
    return "" if text in ("-", "nan", "None") else text


def rows_of(call: Call) -> list[Row]:
    """The rows that a call was shown."""
    values = call.value if isinstance(call.value, list) else [call.value]
    return [row for row in values if call.ok and isinstance(row, Mapping)]


def shows(call: Call, key: str) -> bool:
    """Whether what came back shows a key."""
    if call.ok and seen_in(key, call.observation):
        return True
    return any(key in "".join(map(text_of, row.values())) for row in rows_of(call))


def figure(key: str) -> tuple[Item, str] | None:
    """The amount or day that a key is, and its unit; None for a key that is neither."""
    found = canonical(key)
    if len(found.items) != 1 or found.places != (0,) or len(found.skeleton) > 3:
        return None
    return found.items[0], found.skeleton[1:]


def figures_like(unit: str, item: Item, text: str) -> Iterator[Item]:
    """The figures of a text with the unit of a key, or the days where the key is one; units of a count agree."""
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
    """Whether what a lookup was asked for looks like what it is matched against: a court for the column of courts.

    Of a column whose values have no shape of their own, whether it is no number of a case or a company.
    """
    credit = shape_of("统一社会信用代码")
    for columns, value in zip(
        LOOKUPS[call.tool].match if call.tool in LOOKUPS else (), values_of(call), strict=False
    ):
        wide, shapes = widen_brackets(value), [shape_of(column) for column in columns]
        if None in shapes:
            fits = case_numbers(value) != {value} and not (credit and credit.fullmatch(value))
        else:
            fits = any(shape is not None and shape.fullmatch(wide) for shape in shapes)
        if not fits:
            return False
    return True


class Attempt:
    """An attempt beside its gold card: what the way needs, what was called for, what was shown."""

    def __init__(self, question: Question, state: State) -> None:
        self.state, self.gold = state, question.gold
        self.asked = str(question.card.get("question", ""))
        self.res = state.answered.res if state.answered else ""
        self.said = Place.of(answer_step(state), self.res)
        self.missing = [key for key in dict.fromkeys(self.gold.keys) if not strict_hit(key, self.res)]
        self.calls = calls_of(state.records)
        self.from_summary = not self.calls and imported(state) and state.answered is not None
        if self.from_summary and state.answered:
            self.calls = [Call(answer_step(state), "", None, "ok", state.answered.summary)]
        self.tools = {call.tool for call in self.calls}

    def first_shown(self, key: str) -> Call | None:
        """The call that first showed a key."""
        return next((call for call in self.calls if shows(call, key)), None)

    def cells(self, key: str) -> Iterator[tuple[Call, Row, str]]:
        """The cells whose value is a key: call, row, column."""
        for call in self.calls:
            for row in rows_of(call):
                for column, value in row.items():
                    if (text := text_of(value)) and len(text) <= 4 * len(key) + 8 and seen_in(key, text):
                        yield call, row, column

    def _left(self, given: set[str]) -> list[str]:
        tables = set(map(table_of, given))
        way = dict.fromkeys(self.gold.path)
        return [tool for tool in way if tool not in given and (lists(tool) or table_of(tool) not in tables)]

    @cached_property
    def unread_tools(self) -> list[str]:
        """Tools of the way that have told nothing; that there is no row for a known name tells something."""
        if self.from_summary:
            return []
        return self._left({call.tool for call in self.calls if call.ok or self._found_no_row(call)})

    def _found_no_row(self, call: Call) -> bool:
        return call.status == "no_data" and self.known(call) and of_kind(call)

    @cached_property
    def due(self) -> str:
        """The first tool of the way that has given nothing; '' where all have."""
        return next(iter(self._left({call.tool for call in self.calls if call.ok})), "")

    def on_way(self, tool: str) -> bool:
        """Whether a tool belongs to the way; one row of a table may come from any of its tools."""
        path = self.gold.path
        return not path or tool in path or (not lists(tool) and table_of(tool) in map(table_of, path))

    @cached_property
    def unseen(self) -> list[str]:
        """Values that a table can show and none has shown: of the way, and of the answer where it lacks them."""
        middle = () if self.gold.group == WRITING else self.gold.middle  # there it is what a writer has to argue
        wanted = [*dict.fromkeys(middle), *(key for key in self.missing if figure(key) is None)]
        return [
            key
            for key in wanted
            if not is_derived(key) and not strict_hit(key, self.asked) and self.first_shown(key) is None
        ]

    @cached_property
    def complete(self) -> bool:
        """Whether the answer could have been given from what was seen."""
        if self.missing and not any(is_derived(key) or self.first_shown(key) is None for key in self.missing):
            return not self.unread_tools or all(len(key) >= SURE for key in self.missing)
        return bool(self.calls) and not self.unseen and not self.unread_tools

    def known_before(self, step: int) -> str:
        """What question and observations have said before a step, in one spelling."""
        return plain("\n".join([self.asked, *(call.observation for call in self.calls if call.step < step)]))

    def known(self, call: Call) -> bool:
        """Whether all that a call asked for had been said before."""
        before = self.known_before(call.step)
        return all(value in before for value in values_of(call))

    @cached_property
    def known_numbers(self) -> set[str]:
        """Case numbers of question and observations."""
        return set().union(case_numbers(self.asked), *(case_numbers(call.observation) for call in self.calls))

    def misread(self, number: str) -> str:
        """The known case number that this one is, but for a few characters; '' where it is known itself."""
        if number in self.known_numbers:
            return ""
        near = [(Levenshtein.distance(number, one), one) for one in self.known_numbers]
        distance, found = min(near, default=(CLOSE + 1, ""))
        return found if distance <= CLOSE else ""

    def new_by(self, call: Call) -> bool:
        """Whether a call was the first to show something that is needed."""
        wanted = (*self.gold.keys, *self.gold.middle)
        return any(self.first_shown(key) is call and not strict_hit(key, self.asked) for key in wanted)

    def gets_on(self, place: int) -> bool:
        """Whether the call at this place showed something needed, or asked a tool of the way something new."""
        call, before = self.calls[place], self.calls[:place]
        fresh = all((call.tool, call.input) != (other.tool, other.input) for other in before)
        return (fresh and call.tool in self.gold.path) or self.new_by(call)

    def later_ok(self, call: Call) -> bool:
        """Whether the same tool gave something later."""
        return any(other.ok and other.tool == call.tool and other.step > call.step for other in self.calls)

    def instead(self, text: str) -> bool:
        """Whether the answer gives a value that is neither asked for nor told by the question or the reference."""
        if len(text) < 2 or not strict_hit(text, self.res) or strict_hit(text, f"{self.asked}\n{self.gold.answer}"):
            return False
        wanted = (*self.gold.keys, *self.gold.middle)
        return not any(
            strict_hit(text, key) or (strict_hit(key, text) and len(text) <= 2 * len(key)) for key in wanted
        )


# What went wrong
# ----------------------------------------------------------------------------------------------------------


def _record(attempt: Attempt) -> Iterator[Finding]:
    """What every record tells. A limit is a reason where the agent was getting on: lately shown something needed, or
    asking tools of the way what it had not asked before."""
    lately = range(max(0, len(attempt.calls) - LATELY), len(attempt.calls))
    astray = bool(attempt.calls) and not any(map(attempt.gets_on, lately))
    concluded = attempt.complete and bool(attempt.res.strip())
    yield from common(attempt.state, attempt.calls, complete=concluded, astray=astray)


def _outside(attempt: Attempt) -> Iterator[Finding]:
    """What the pack lacks, where the tool belongs to the way and what it was asked for is known."""
    for call in attempt.calls:
        if call.status == "outside_pack" or call.unknown:
            founded = attempt.on_way(call.tool) and attempt.known(call)
            decisive = founded and not (attempt.complete or attempt.later_ok(call) or attempt.new_by(call))
            yield Finding("outside_pack", "cell" if call.unknown else "row", (call.place,), decisive)


REFUSALS = {"call_error": "shape", "bad_column": "column", "math_error": "operand"}
"""Status of a call -> what its tool refused."""


def _arguments(attempt: Attempt) -> Iterator[Finding]:
    """What a tool refused: the shape of the call, a column, what is no number, a name that stands nowhere."""
    for call in attempt.calls:
        if call.tool not in TOOLS and call.tool not in FINISH_NAMES:
            continue  # the tool itself is at fault
        looked = call.status in ("no_data", "outside_pack")
        if why := _refused_name(attempt, call) if looked else REFUSALS.get(call.status, ""):
            made_good = attempt.later_ok(call) or (attempt.complete and why != "operand")
            on_way = call.tool in HELPERS or attempt.on_way(call.tool)
            skipped = looked and attempt.due not in {"", *attempt.tools}  # what it asks for, that step would tell
            yield Finding("argument_error", why, (call.place,), on_way and not made_good and not skipped)


def _refused_name(attempt: Attempt, call: Call) -> str:
    """Why nothing could be found: a value of another kind than the tool takes, or one that stands nowhere. A misread
    case number is another matter."""
    before = attempt.known_before(call.step)
    if value := next((value for value in values_of(call) if value not in before), ""):
        return "" if any(map(attempt.misread, case_numbers(value))) else "name"
    return "" if of_kind(call) else "kind"


def _tools(attempt: Attempt) -> Iterator[Finding]:
    """A tool that does not exist; or others called in the place of the one that was due, which never was. Whoever
    goes on with later tools of the way has left a step out instead."""
    way, due = list(attempt.gold.path), attempt.due
    for call in attempt.calls:
        if call.tool not in TOOLS and call.tool not in HELPERS and call.status == "call_error":
            yield Finding("wrong_tool", "no_such_tool", (call.place,), bool(due) and not attempt.complete)
    if attempt.from_summary or due in {"", *attempt.tools} or attempt.tools & set(way[way.index(due) + 1 :]):
        return
    first = {tool: min((call.step for call in attempt.calls if call.tool == tool), default=None) for tool in way}
    before = [first[tool] for tool in way[: way.index(due)]]
    wrong = [
        call
        for call in attempt.calls
        if call.tool in LOOKUPS
        and call.tool not in way
        and not attempt.new_by(call)
        and all(step is not None and step < call.step for step in before)
    ]
    if wrong:
        place, *places = [call.place for call in sorted(wrong, key=lambda call: call.ok)]
        yield Finding("wrong_tool", "other_tool", (place, Place.of(0, "→", due), *places), not attempt.complete)


def _planning(attempt: Attempt) -> Iterator[Finding]:
    """The first plan against the way: tables that it never reads, and steps before the ones that they need."""
    events = ((record.step, record.event) for record in attempt.state.records)
    step, plan = next(((step, event) for step, event in events if isinstance(event, Planned)), (0, None))
    named = [tool for tool in plan.tools if tool in LOOKUPS] if plan else []
    way = list(dict.fromkeys(tool for tool in attempt.gold.path if tool in LOOKUPS))
    if plan is None or not named:
        return
    tables = set(map(table_of, named))
    if lacking := [tool for tool in way if table_of(tool) not in tables]:
        places = (Place.of(step, "；".join(plan.steps)), Place.of(0, "→", "、".join(lacking)))
        yield Finding("planning", "plan_lacks", places, not attempt.complete)
        return
    for before, after in zip(way, way[1:], strict=False):
        if before in named and after in named and named.index(after) < named.index(before):
            places = (Place.of(step, "、".join(named)), Place.of(0, before, "→", after))
            yield Finding("planning", "plan_order", places, not attempt.complete)
            return


def _numbers(attempt: Attempt) -> Iterator[Finding]:
    """Case numbers that stand nowhere and are those of the record but for a few characters: in calls, in the
    answer."""
    if attempt.from_summary:
        return
    wanted = set().union(*map(case_numbers, attempt.missing))
    read = [
        (number, call.place, not attempt.complete and not call.ok and not attempt.later_ok(call))
        for call in attempt.calls
        for value in values_of(call)
        for number in case_numbers(value)
    ]
    answered = [(number, attempt.said, attempt.misread(number) in wanted) for number in case_numbers(attempt.res)]
    for number, place, decisive in (*read, *answered):
        if near := attempt.misread(number):
            yield Finding("legal_knowledge", "case_number", (place, Place.of(0, number, "→", near)), decisive)


def _columns(attempt: Attempt) -> Iterator[Finding]:
    """Another column of the row that holds a key was answered; or one of the kind of the key was asked for alone."""
    for key in attempt.missing:
        for call, row, column in attempt.cells(key):
            kind = _kind(text_of(row[column]))
            others = ((name, text_of(value)) for name, value in row.items() if name != column)
            if other := next((name for name, text in others if _kind(text) == kind and attempt.instead(text)), ""):
                cell = Place.of(call.step, f"{column}: {text_of(row[column])}", other)
                yield Finding("legal_knowledge", "other_column", (attempt.said, cell))
                break
        else:
            if attempt.first_shown(key) is None and (wanted := figure(key)):
                yield from _asked_beside(attempt, wanted[0])


def _kind(text: str) -> object:
    """Day or unit of a cell that is a figure; None for words, and for what has so many digits as a number has."""
    found = figure(text) if len(text) < LONG else None
    return (type(found[0]), found[1].strip("元%")) if found else None


def _asked_beside(attempt: Attempt, item: Item) -> Iterator[Finding]:
    """A day or sum was answered from a table of the way, of whose columns of that kind not all were looked at."""
    tables = set(map(table_of, attempt.gold.path))
    for call in attempt.calls:
        for row in rows_of(call) if call.tool in LOOKUPS and table_of(call.tool) in tables else ():
            for column, value in row.items():
                kind, text = next((one for one in _ENDINGS if column.endswith(one)), "?"), text_of(value)
                beside = [name for name in TABLES[table_of(call.tool)] if name not in row and name.endswith(kind)]
                if beside and any(True for _ in figures_like("", item, text)) and attempt.instead(text):
                    places = (call.place, attempt.said, Place.of(0, column, "→", "、".join(beside)))
                    yield Finding("legal_knowledge", "column_asked", places)
                    return


def _hops(attempt: Attempt) -> Iterator[Finding]:
    """Values that were never seen; the place is the step after the last one that brought something needed."""
    if attempt.complete:
        return
    useful = [call.step for call in attempt.calls if attempt.new_by(call)]
    step = min(max(useful, default=0) + 1, last_step(attempt.state))
    at = [call.place for call in attempt.calls if call.step == step][:1]
    lacking = attempt.unseen or attempt.unread_tools or ["、".join(attempt.missing)]
    why = "never_seen" if attempt.unseen else "never_called"
    yield Finding("missing_hop", why, (*(Place.of(step, what) for what in lacking[:3]), *at))


def _answer(attempt: Attempt) -> Iterator[Finding]:
    """Keys that the answer lacks though all was seen: another figure stands there, another row, or nothing."""
    for key in attempt.missing if attempt.res.strip() else ():
        shown = attempt.first_shown(key)
        if not attempt.complete and shown is None:
            continue
        seen = Place.of(shown.step, shown.observation) if shown else Place.of(0, key)
        given = ""
        if wanted := figure(key):
            item, unit = wanted
            aside = [one for text in (attempt.asked, *attempt.gold.keys) for one in figures_like(unit, item, text)]
            given = next((spoken(one) for one in figures_like(unit, item, attempt.res) if one not in aside), "")
        if why := _otherwise(key, attempt.res):
            places = (attempt.said, Place.of(0, "≈" if why == "worded" else "≠", key))
            yield Finding("other" if why == "worded" else "wrong_number", why, places, attempt.complete)
        elif given and attempt.complete:
            yield Finding("wrong_number", "number", (attempt.said, Place.of(0, given, "≠", key), seen))
        else:
            how = "other_row" if _other_row(attempt, key) else "unsaid" if shown else "unsaid_sum"
            yield Finding("evidence_unused", how, (attempt.said, Place.of(0, "→", key), seen), attempt.complete)


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


def _other_row(attempt: Attempt, key: str) -> bool:
    """Whether the answer gives the value of the key's column in another row instead."""
    return any(
        row is not held and attempt.instead(text_of(row.get(column)))
        for call, held, column in attempt.cells(key)
        for row in rows_of(call)
    )


DETECTORS: tuple[Callable[[Attempt], Iterator[Finding]], ...] = (
    _record, _outside, _numbers, _columns, _arguments, _tools, _planning, _hops, _answer,
)  # fmt: skip
