"""Gathers what recorded calls prove about the corpora: lists, single rows, misses, documents, and disagreements.

A lookup that was recorded several times with other columns shows the same rows in the same order, so its recordings
are laid over each other position by position. Nothing is overwritten: what disagrees with what came before is
counted, described and left out. Merging the rows of different lookups is the work of `merging`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from store.importers.logs.calls import (
    RETRIEVERS,
    Literal,
    LoggedCall,
    Observation,
    columns_quoted,
    infer_call,
    lookup_values,
    read_action,
    read_observation,
    rows_of,
    tools_named,
)
from store.importers.logs.reading import Recording
from store.schema import LOOKUPS, TABLES, Lookup

Value = str | int | float | None
Key = tuple[str, tuple[str, ...]]
"""Tool and the values it was given."""

DESCRIBED = 50
MAX_DOCUMENT = 200_000
SQLITE_INTEGER = 2**63

IDENTITY: dict[str, tuple[str, ...]] = {
    "CompanyInfo": ("公司名称", "公司代码", "公司简称"),
    "CompanyRegister": ("公司名称", "统一社会信用代码"),
    "SubCompanyInfo": ("公司名称",),
    "LegalDoc": ("案号",),
    "LegalAbstract": ("案号",),
    "CourtInfo": ("法院名称",),
    "CourtCode": ("法院名称", "法院代字"),
    "LawfirmInfo": ("律师事务所名称",),
    "LawfirmLog": ("律师事务所名称",),
    "AddrInfo": ("地址",),
    "RestrictionCase": ("案号",),
    "FinalizedCase": ("案号",),
    "DishonestyCase": ("案号",),
    "AdministrativeCase": ("案号",),
}
"""Columns by which a row is recognised; a table may name one thing in several ways."""


@dataclass(slots=True)
class Fragment:
    """The cells of one row as one lookup or one step showed them; `where` is the file and line seen first."""

    table: str
    cells: dict[str, Value]
    where: str


@dataclass(slots=True)
class RecordedCall:
    """One distinct call of the logs and how often it was recorded."""

    call: LoggedCall
    observation: Observation
    seen: int = 1


@dataclass(slots=True)
class Harvest:
    """Everything that the recordings prove, before rows are merged."""

    calls: dict[str, RecordedCall] = field(default_factory=dict)
    lookups: dict[Key, list[Fragment]] = field(default_factory=dict)
    missing: dict[Key, str] = field(default_factory=dict)
    present: dict[Key, str] = field(default_factory=dict)
    loose: list[Fragment] = field(default_factory=list)
    documents: dict[str, dict[str, None]] = field(default_factory=lambda: {c: {} for c in RETRIEVERS.values()})
    tally: Counter[str] = field(default_factory=Counter)
    contradictions: int = 0
    described: list[str] = field(default_factory=list)
    steps: list[tuple[Recording, str]] = field(default_factory=list)

    def take(self, recording: Recording) -> None:
        """Adds one recording; steps of plans wait, because what they prove is weaker than a recorded call."""
        where = f"{recording.file.name}:{recording.line}"
        if recording.layout == "react":
            self._take_action(recording, where)
        else:
            self.steps.append((recording, where))

    def take_steps(self) -> None:
        """Takes the steps of plans, once all recorded calls are known."""
        for recording, where in self.steps:
            self._take_step(recording, where)
        self.steps.clear()

    def lay_over(self, key: Key, table: str, rows: Sequence[dict[str, Value]], where: str) -> str:
        """Lay an answer over earlier ones to the same call: the same rows in the same order, perhaps other columns.

        Gives what contradicts them, '' where nothing does.
        """
        earlier = self.lookups.setdefault(key, [Fragment(table, {}, where) for _ in rows])
        if len(earlier) != len(rows):
            return f" gave {len(rows)} rows, earlier {len(earlier)}"
        for old, new in zip(earlier, rows, strict=True):
            if clash := clashing(old.cells, new):
                return f": {'、'.join(clash)} differ from an earlier answer"
        for old, new in zip(earlier, rows, strict=True):
            old.cells.update(new)
        return ""

    def contradict(self, text: str) -> None:
        """Counts a disagreement; the first ones are described."""
        self.contradictions += 1
        if len(self.described) < DESCRIBED:
            self.described.append(text)

    def _take_action(self, recording: Recording, where: str) -> None:
        call = read_action(recording.said)
        if call is None:
            self.tally["steps without a call"] += 1
            return
        lookup = LOOKUPS.get(call.tool)
        observation = read_observation(recording.result, lookup)
        if observation.status == "unread" or not writable(call.key + observation.text):
            self.tally["observations not read"] += 1
            return
        known = self.calls.get(call.key)
        if known is not None:
            if known.observation.text == observation.text:
                known.seen += 1
            else:
                self.contradict(f"{where}: {call.tool} answered differently from an earlier, equal call")
            return
        if self._learn(call, lookup, observation, where):
            self.calls[call.key] = RecordedCall(call, observation)

    def _learn(self, call: LoggedCall, lookup: Lookup | None, observation: Observation, where: str) -> bool:
        """Takes what a call proves; False when the call fits nothing and must not be kept."""
        if call.tool in RETRIEVERS and observation.status == "ok":
            return self._documents(RETRIEVERS[call.tool], observation.value)
        if lookup is None or observation.status in ("call_error", "math_error"):
            return True
        values = lookup_values(lookup, call.input)
        if values is None:
            self.tally["observations that fit no table"] += 1
            return False
        key = (lookup.tool, values)
        if observation.status == "ok":
            return self._rows(key, lookup, observation.value, where)
        mine, other = (
            (self.missing, self.present) if observation.status == "no_data" else (self.present, self.missing)
        )
        if key in other or (mine is self.missing and key in self.lookups):
            self.contradict(f"{where}: {lookup.tool} {' '.join(values)} is both found and not found")
            return False
        mine.setdefault(key, where)
        return True

    def _rows(self, key: Key, lookup: Lookup, value: Literal, where: str) -> bool:
        found = rows_of(lookup, value, key[1])
        rows = None if found is None else [as_cells(row) for row in found]
        if rows is None or any(row is None for row in rows):
            self.tally["observations that fit no table"] += 1
            return False
        shown = [row for row in rows if row is not None]
        if key in self.missing:
            self.contradict(f"{where}: {lookup.tool} {' '.join(key[1])} is both found and not found")
            return False
        if wrong := self.lay_over(key, lookup.table, shown, where):
            self.contradict(f"{where}: {lookup.tool} {' '.join(key[1])}{wrong}")
        return not wrong

    def _documents(self, corpus: str, value: Literal) -> bool:
        if not isinstance(value, list) or not all(isinstance(t, str) and 0 < len(t) <= MAX_DOCUMENT for t in value):
            self.tally["observations that fit no table"] += 1
            return False
        for text in value:
            self.documents[corpus].setdefault(str(text))
        return True

    def _take_step(self, recording: Recording, where: str) -> None:
        tools = tools_named(recording.said)
        inferred = infer_call(recording.said)
        observation = read_observation(recording.result, inferred[0] if inferred else None)
        if observation.status != "ok" or not writable(recording.said + observation.text):
            self.tally["plan steps without rows"] += 1
            return
        if len(tools) == 1 and tools[0] in RETRIEVERS:
            self._documents(RETRIEVERS[tools[0]], observation.value)
            return
        if inferred is not None and self._fits_step(recording.said, inferred, observation.value):
            lookup, values = inferred
            if self._rows((lookup.tool, values), lookup, observation.value, where):
                self.tally["calls inferred from plan steps"] += 1
            return
        if not self._loose_rows(tools, observation.value, where):
            self.tally["plan steps without rows"] += 1

    def _fits_step(self, step: str, inferred: tuple[Lookup, tuple[str, ...]], value: Literal) -> bool:
        lookup, values = inferred
        rows = rows_of(lookup, value, values)
        if rows is None or lookup.shape == "name":
            return rows is not None
        wanted = columns_quoted(step, lookup.table)
        return not wanted or tuple(rows[0]) == wanted or tuple(rows[0]) == TABLES[lookup.table]

    def _loose_rows(self, tools: Iterable[str], value: Literal, where: str) -> bool:
        """Rows of a step whose call is unknown: only of a table that a named tool reads and no other table could
        hold."""
        rows = value if isinstance(value, list) else [value]
        if not rows or not all(isinstance(row, dict) and row for row in rows):
            return False
        names = {name for row in rows if isinstance(row, dict) for name in row}
        tables = [table for table, columns in TABLES.items() if names.issubset(columns)]
        if len(tables) != 1 or tables[0] not in {LOOKUPS[tool].table for tool in tools if tool in LOOKUPS}:
            return False
        taken = 0
        for row in rows:
            cells = as_cells(row) if isinstance(row, dict) else None
            if cells is not None and any(telling(cells.get(column)) for column in IDENTITY[tables[0]]):
                self.loose.append(Fragment(tables[0], cells, where))
                taken += 1
        self.tally["rows of plan steps whose call is unknown"] += taken
        return taken > 0


def writable(text: str) -> bool:
    """Whether a text is valid Unicode; escapes in a log can spell half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_cells(row: Mapping[str, Literal]) -> dict[str, Value] | None:
    """Cells as the pack keeps them (nan becomes None); None when a value cannot be a cell."""
    cells: dict[str, Value] = {}
    for column, value in row.items():
        if isinstance(value, list | dict) or (
            isinstance(value, int) and not -SQLITE_INTEGER <= value < SQLITE_INTEGER
        ):
            return None
        cells[column] = None if isinstance(value, float) and math.isnan(value) else value
    return cells


def same(one: Value, other: Value) -> bool:
    """Equal in type and value: 5, 5.0 and "5" are three cells."""
    return type(one) is type(other) and one == other


def clashing(one: Mapping[str, Value], other: Mapping[str, Value]) -> tuple[str, ...]:
    """The columns that both hold with different values."""
    return tuple(column for column, value in one.items() if column in other and not same(value, other[column]))


def telling(value: Value) -> bool:
    """Whether a cell can identify a row: a string that is no mark for a missing value."""
    return isinstance(value, str) and value.strip() not in ("", "-")
