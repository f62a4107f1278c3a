"""The 37 tools: 28 database lookups (rows of `store.schema.LOOKUPS`), 3 retrievers, 5 calculators, and finish.

What a tool says is what the published runs recorded, to the byte: values as Python prints them, `nan` for an empty
cell, upstream's own error texts. Checks come in its order: shape of the call, then the identifier, then the columns.
On top, a pack that holds only part of a database may have to say that it cannot know: status `outside_pack`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

from store.schema import LOOKUPS, TABLES, UNKNOWN, Lookup, LookupResult, Row
from tasks.added import Tool
from tasks.episode.events import ToolCalled
from tasks.episode.plain import plain, plain_text
from tasks.episode.seats import Steps, emit
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT, Caller, returned
from tasks.legalagentbench.descriptions import DESCRIPTIONS, PARAMETERS
from tasks.legalagentbench.mathematics import FAILED, MathsError, ShapeError, calculate

if TYPE_CHECKING:
    from store.pack import Pack

Status = Literal["ok", "no_data", "bad_column", "call_error", "math_error", "outside_pack"]
Kind = Literal["database", "retriever", "mathematics", "control", "added"]
Ranking = Literal["hybrid", "words"]

NO_DATA = "No data found for the specified identifier."
BAD_COLUMN = "One or more specified columns do not exist."
CALL_ERROR = "工具调用发生错误, 请检查传入工具的参数是否正确!"
OUTSIDE = "数据包未收录该查询对象，无法判断原数据库中是否有记录。"
OUTSIDE_COLUMNS = "数据包未收录该查询对象的这些列，无法给出内容。"
OUTSIDE_CORPUS = "数据包未收录该语料库，无法检索。"
UNKNOWN_CELL = "〔未收录〕"
"""Stands for a cell that the pack does not hold, beside cells that it does."""

FINISH_NAMES = ("finish", "Final Answer")
"""The tool's name in the paper, and the action name that ends an episode."""
RETRIEVERS: dict[str, tuple[str, int]] = {
    "legal_knowledge_retriever": ("LegalKnowledge", 5),
    "legal_article_retriever": ("LegalArticle", 5),
    "legal_case_retriever": ("LegalCases", 1),
}
"""Retriever -> its corpus and how many texts it gives when `k` is not said."""
RANKINGS: dict[Ranking, dict[str, float]] = {"hybrid": {}, "words": {"words": 5.0}}
"""How the retrievers may rank -> weights of the two keyword channels, 1 where none is named."""
MOST_TEXTS = 100
LONGEST_QUERY = 2000
"""Bounds of a retrieval; upstream's are not known, no recorded call comes near."""
_SMALLEST_INT, _LARGEST_INT = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool; `type` is text, list, integer, number or boolean."""

    name: str
    type: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a seat is told about a tool. `table` is the table or corpus it reads, empty for the others; `schema` that
    of its input where it comes from elsewhere."""

    name: str
    kind: Kind
    parameters: tuple[Parameter, ...]
    description: str
    table: str = ""
    schema: dict[str, Any] | None = field(default=None, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that may be asked for, in table order."""
        return TABLES.get(self.table, ())


@dataclass(frozen=True, slots=True)
class LabToolResult:
    """What a tool gave: the text a seat reads, the same as data, and how far the pack could know.

    complete: False when the real list may be longer. unknown: cells shown as 〔未收录〕. provenance: classes of the
    rows and texts shown.
    """

    status: Status
    observation: str
    value: Any = None
    complete: bool = True
    unknown: int = 0
    provenance: tuple[str, ...] = ()


def _spec(name: str, kind: Kind, parameters: Sequence[str], table: str = "") -> ToolSpec:
    given = tuple(Parameter(*PARAMETERS[parameter]) for parameter in parameters)
    return ToolSpec(name, kind, given, DESCRIPTIONS[name], table)


TOOLS: dict[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        *(_spec(name, "database", (*lookup.parameters, "columns"), lookup.table) for name, lookup in LOOKUPS.items()),
        *(_spec(name, "retriever", ("query", "k"), corpus) for name, (corpus, _) in RETRIEVERS.items()),
        _spec("get_sum", "mathematics", ("numbers",)),
        _spec("get_subtraction", "mathematics", ("minuend", "subtrahend")),
        _spec("get_multiplication", "mathematics", ("numbers",)),
        _spec("get_division", "mathematics", ("dividend", "divisor")),
        _spec("get_rank", "mathematics", ("sortable", "is_desc")),
        _spec("finish", "control", ("answer",)),
    )
}
"""Tool name -> what it is: 28 lookups in published order, 3 retrievers, 5 calculators, finish."""


def spec_of(tool: Tool) -> ToolSpec:
    """A tool from elsewhere as a seat is told of it."""
    given = tuple(
        Parameter(name, str(schema.get("type", "text")), True, json.dumps(schema, ensure_ascii=False))
        for name, schema in tool.arguments.items()
    )
    return ToolSpec(tool.name, "added", given, tool.description, schema=tool.schema)


LONGEST_GIVEN = 40
"""Characters of an input that a hint repeats."""


def takes(tool: str, given: object) -> dict[str, str]:
    """What a hint says of a call: the tool, what it looks up by, what it was given, its columns, its parameters."""
    spec, lookup = TOOLS.get(tool), LOOKUPS.get(tool)
    values = given if isinstance(given, Mapping) else {}
    asked = [str(values.get(name, "")) for name in lookup.parameters] if lookup else []
    return {
        "tool": tool,
        "takes": "、".join("或".join(columns) for columns in lookup.match) if lookup else "",
        "given": "、".join(asked)[:LONGEST_GIVEN],
        "columns": "、".join(spec.columns) if spec else "",
        "parameters": "；".join(f"{one.name}，{one.description}" for one in spec.parameters) if spec else "",
    }


def render(value: object) -> str:
    """Data as the published runs show it: Python's own spelling, with `nan` for an empty cell."""
    if value is None:
        return "nan"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {render(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(render, value)) + "]"
    return repr(value)


def _call_error() -> LabToolResult:
    return LabToolResult("call_error", CALL_ERROR)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and (value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value))


def _can_match(value: object) -> TypeGuard[str | int | float]:
    """Whether a cell could equal this at all: valid text, or a number that a database can hold."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return _SMALLEST_INT <= value <= _LARGEST_INT
    return math.isfinite(value) if isinstance(value, float) else _is_text(value)


class Toolbox:
    """The tools over one pack, and those `added` by other packages; without a pack only calculators and finish have
    something to say. ranking: of the three retrievers."""

    def __init__(
        self, pack: Pack | None, added: Mapping[str, Tool] | None = None, ranking: Ranking = "hybrid"
    ) -> None:
        self._pack = pack
        self._added = added or {}
        self._weights = RANKINGS[ranking]

    def call(self, tool: str, input: Any) -> LabToolResult:  # noqa: A002
        """Call a tool with its input as the action parser hands it on; every input has a result."""
        if isinstance(tool, str):
            if tool in LOOKUPS:
                return self._look_up(LOOKUPS[tool], input)
            if tool in RETRIEVERS:
                return self._retrieve(*RETRIEVERS[tool], input)
            if tool in FAILED:
                return _calculate(tool, input)
            if tool in FINISH_NAMES:
                answer = spoken(input)
                return LabToolResult("ok", answer, answer)
            if tool in self._added:
                return LabToolResult(*self._added[tool].call(self._pack, plain(input)))
        return _call_error()

    def _look_up(self, lookup: Lookup, given: object) -> LabToolResult:
        if not isinstance(given, Mapping) or not isinstance(given.get("columns"), list):
            return _call_error()
        values = [value for parameter in lookup.parameters if _can_match(value := given.get(parameter))]
        if len(values) < len(lookup.parameters):
            return _call_error()
        found = self._pack.find(lookup, values) if self._pack else LookupResult("outside", complete=False)
        if found.status == "miss":
            return LabToolResult("no_data", NO_DATA)
        if found.status == "outside" or not found.rows:
            return LabToolResult("outside_pack", OUTSIDE, complete=False)
        columns = [lookup.gives] if lookup.shape == "name" else given["columns"] or TABLES[lookup.table]
        if not all(isinstance(column, str) and column in TABLES[lookup.table] for column in columns):
            return LabToolResult("bad_column", BAD_COLUMN)
        return _show(lookup, found, list(dict.fromkeys(columns)))

    def _retrieve(self, corpus: str, default: int, given: object) -> LabToolResult:
        if isinstance(given, str):
            given = {"identifier": given}
        if not isinstance(given, Mapping) or not _is_text(given.get("identifier")):
            return _call_error()
        k = _count(given.get("k", default))
        if k is None:
            return _call_error()
        if not self._pack or not self._pack.counts()["documents"].get(corpus):
            return LabToolResult("outside_pack", OUTSIDE_CORPUS, complete=False)
        from store.search import search_documents

        query = given["identifier"][:LONGEST_QUERY]
        documents = search_documents(self._pack, corpus, query, min(k, MOST_TEXTS), self._weights)
        texts = [document.text for document in documents]
        return LabToolResult(
            "ok",
            render(texts),
            texts,
            complete=self._pack.manifest.coverage == "complete",
            provenance=tuple(sorted({document.provenance for document in documents})),
        )


def _show(lookup: Lookup, found: LookupResult, columns: list[str]) -> LabToolResult:
    """The asked columns of the rows, in the order asked."""
    rows: Sequence[Row] = found.rows if lookup.shape == "many" else found.rows[:1]
    cells = [row.cells[column] for row in rows for column in columns]
    unknown = sum(cell is UNKNOWN for cell in cells)
    provenance = tuple(sorted({row.provenance for row in rows}))
    if unknown == len(cells):
        return LabToolResult("outside_pack", OUTSIDE_COLUMNS, None, found.complete, unknown, provenance)
    shown = [
        {column: UNKNOWN_CELL if row.cells[column] is UNKNOWN else row.cells[column] for column in columns}
        for row in rows
    ]
    if lookup.shape == "name":
        name = shown[0][lookup.gives]
        return LabToolResult(
            "ok", name if isinstance(name, str) else render(name), name, found.complete, 0, provenance
        )
    value = shown if lookup.shape == "many" else shown[0]
    return LabToolResult("ok", render(value), value, found.complete, unknown, provenance)


def _count(value: object) -> int | None:
    """How many texts are wanted; None when that is no count."""
    if isinstance(value, str) and len(value) < 10 and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _calculate(tool: str, given: object) -> LabToolResult:
    try:
        value = calculate(tool, given)
    except MathsError:
        return LabToolResult("math_error", FAILED[tool])
    except ShapeError:
        return _call_error()
    return LabToolResult("ok", render(value), value)


def spoken(value: object) -> str:
    """The answer in the input of a final action: the text, the only value of an object, or the JSON of whatever it
    is."""
    if isinstance(value, Mapping) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, str):
        return plain_text(value)
    try:
        return json.dumps(plain(value), ensure_ascii=False)
    except ValueError:
        return ""


def caller(toolbox: Toolbox) -> Caller:
    """Carries out the calls of an episode with these tools."""

    def call(state: State, tool: str, arguments: object) -> Steps:
        asked = yield from emit(ToolCalled(seat=SEAT, tool=tool, input=plain(arguments)))
        started = time.perf_counter()
        result = toolbox.call(tool, arguments)
        given = (result.status, result.observation, result.value, result.provenance)
        event = returned(state, tool, started, *given, complete=result.complete, unknown=result.unknown)
        yield from emit(event, parent=asked)

    return call
