"""The 37 tools: 28 database lookups (rows of `store.schema.LOOKUPS`), 3 retrievers, 5 calculators, and finish, with
the words that models, people and `moot tools list` read of them.

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
from tasks.legalagentbench.mathematics import FAILED, MathsError, ShapeError, calculate

if TYPE_CHECKING:
    from store.pack import Pack

PARAMETERS: dict[str, tuple[str, str, bool, str]] = {
    "identifier": ("identifier", "text", True, "查询对象，写法须与库中完全一致"),
    "columns": ("columns", "list", True, "要返回的列名，按此顺序给出；空列表表示全部列"),
    "prov": ("prov", "text", True, "省份；直辖市写市名，如北京市"),
    "city": ("city", "text", True, "城市；直辖市同样写市名"),
    "county": ("county", "text", True, "区县"),
    "query": ("identifier", "text", True, "检索内容，一句话或若干关键词"),
    "k": ("k", "integer", False, "返回条数"),
    "numbers": ("identifier", "list", True, "数值列表，元素为数字或“3.87亿”“459.15万”这样的文本"),
    "sortable": ("identifier", "list", True, "数值列表，也可以是“2014年05月12日”这样的日期"),
    "is_desc": ("is_desc", "boolean", False, "True 为从大到小；缺省 False，从小到大"),
    "minuend": ("minuend", "number", True, "被减数"),
    "subtrahend": ("subtrahend", "number", True, "减数"),
    "dividend": ("dividend", "number", True, "被除数"),
    "divisor": ("divisor", "number", True, "除数，不得为零"),
    "answer": ("answer", "text", True, "完整的答案"),
}
"""Kind of parameter -> its name, type, whether it must be given, and what to write."""

DESCRIPTIONS: dict[str, str] = {
    "get_company_info": "按公司名称、公司简称或公司代码查一家上市公司的基本信息。",
    "get_company_register": "按公司名称查一家公司的工商登记信息。",
    "get_company_register_name": "按统一社会信用代码查公司名称，只返回名称。",
    "get_sub_company_info": "按子公司名称查它与上市公司（母公司）的关系、参股比例和投资金额。",
    "get_sub_company_info_list": "按上市公司全称列出它投资的全部子公司。",
    "get_legal_document": "按案号查一份裁判文书的要点：当事人、律师事务所、案由、金额、结果。",
    "get_legal_document_company_list": "按公司名称列出以它为关联公司的全部裁判文书。",
    "get_legal_document_law_list": "按律师事务所名称列出由它代理原告或被告的裁判文书。",
    "get_court_info": "按法院名称查法院的负责人、地址、电话等信息。",
    "get_court_info_list": "按省、市、区县列出当地的全部法院。",
    "get_court_code": "按法院名称或法院代字互查，并给出法院级别和区划代码；案号中年份之后、"
    "案件类型之前的部分即法院代字。",
    "get_lawfirm_info": "按律师事务所名称查负责人、注册资本、成立日期、地址、电话等信息。",
    "get_lawfirm_info_list": "按省、市、区县列出当地的全部律师事务所。",
    "get_lawfirm_log": "按律师事务所名称查业务量排名和服务上市公司的记录。",
    "get_address_info": "按完整地址查它所属的省份、城市和区县。",
    "get_legal_abstract": "按案号查一份裁判文书的文本摘要。",
    "get_restriction_case": "按案号查一件限制高消费案件。",
    "get_restriction_case_company_list": "按公司名称列出它被限制高消费的全部案件。",
    "get_restriction_case_court_list": "按执行法院列出该院的全部限制高消费案件。",
    "get_finalized_case": "按案号查一件终结本次执行的案件。",
    "get_finalized_case_company_list": "按公司名称列出它的全部终本案件。",
    "get_finalized_case_court_list": "按执行法院列出该院的全部终本案件。",
    "get_dishonesty_case": "按案号查一件失信被执行案件。",
    "get_dishonesty_case_company_list": "按公司名称列出它的全部失信被执行案件。",
    "get_dishonesty_case_court_list": "按执行法院列出该院的全部失信被执行案件。",
    "get_administrative_case": "按文号查一件行政处罚。",
    "get_administrative_case_company_list": "按公司名称列出它受到的全部行政处罚。",
    "get_administrative_case_court_list": "按处罚单位列出该单位作出的全部行政处罚。",
    "legal_knowledge_retriever": "检索法律知识片段，默认返回五条。",
    "legal_article_retriever": "检索法律、行政法规和司法解释的条文，默认返回五条。",
    "legal_case_retriever": "检索指导性案例和典型案例，默认返回一篇。",
    "get_sum": "求一列数的和；带“万”“亿”的文本会换算成数。",
    "get_subtraction": "求两数之差。",
    "get_multiplication": "求一列数的积。",
    "get_division": "求两数之商。",
    "get_rank": "给一列数或日期排序，日期以八位整数给出。",
    "finish": "查明之后用它作答，任务随即结束；行动名也可写 Final Answer。",
}
"""Tool -> what it does."""

TABLE_DESCRIPTIONS: dict[str, str] = {
    "CompanyInfo": "上市公司基本信息",
    "CompanyRegister": "公司工商登记",
    "SubCompanyInfo": "子公司与其上市母公司",
    "LegalDoc": "裁判文书",
    "CourtInfo": "法院基本信息",
    "CourtCode": "法院代字与级别",
    "LawfirmInfo": "律师事务所基本信息",
    "LawfirmLog": "律师事务所业务记录",
    "AddrInfo": "地址所属省市区县",
    "LegalAbstract": "裁判文书摘要",
    "RestrictionCase": "限制高消费案件",
    "FinalizedCase": "终结本次执行案件",
    "DishonestyCase": "失信被执行案件",
    "AdministrativeCase": "行政处罚案件",
}
"""Table -> what it holds, in a few words."""


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
