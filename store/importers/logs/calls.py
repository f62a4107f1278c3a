"""What was asked and what came of it: reads an action of a model, a step of a plan, and the text of an observation.

The recorded runs went through an action parser whose rules are repeated here for recorded text only: first ```json
fence, single quotes to double, round brackets widened, `columns` emptied when missing or longer than five names. A
plan log holds no calls; a call is inferred only when the step leaves no choice.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias, cast

from store.schema import LOOKUPS, TABLES, Lookup
from store.text.ideographs import HAN

_STRING = re.compile(r"""'(?:[^'\\\n]++|\\.)*+'|"(?:[^"\\\n]++|\\.)*+"|(['"].*)""", re.DOTALL)
_SKELETON = re.compile(r"[\[\]{},: 0-9.e+\-nas]*")
_JOINED = re.compile(r"s *s|[0-9nas\]}] *-|- *-|[^e]\+|s *[\[{]")

Literal: TypeAlias = "str | int | float | list[Literal] | dict[str, Literal]"
"""nan is kept as `math.nan`; the bare words True, False and None are no tool output and are refused."""


class NotALiteral(ValueError):
    """The text is not a list, dict, string or number as Python prints them."""


def read_literal(text: str) -> Literal:
    """The value that `text` prints.

    Raises:
        NotALiteral: whatever is wrong with the text; no other exception leaves this function.
    """
    text = text.strip(" ")
    if not text:
        raise NotALiteral("empty")
    _check_skeleton(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval")
        return _value(tree.body)
    except NotALiteral:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise NotALiteral(type(error).__name__) from None


def _check_skeleton(text: str) -> None:
    """Refuses, before any parsing, what no printed value has: operators, calls, names."""
    skeleton = _STRING.sub(lambda found: "!" if found[1] else "s", text)
    if not _SKELETON.fullmatch(skeleton) or _JOINED.search(skeleton):
        raise NotALiteral("holds more than plain values")


def _value(node: ast.expr) -> Literal:
    if isinstance(node, ast.Constant) and type(node.value) in (str, int, float):
        return _number(node.value)
    if isinstance(node, ast.Name) and node.id == "nan":
        return math.nan
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        operand = _value(node.operand)
        if isinstance(operand, int | float):
            return -operand
    if isinstance(node, ast.List):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return _mapping(node)
    raise NotALiteral(f"{type(node).__name__} is no plain literal")


def _number(value: object) -> Literal:
    if isinstance(value, float) and math.isinf(value):
        raise NotALiteral("number out of range")
    assert isinstance(value, str | int | float)
    return value


def _mapping(node: ast.Dict) -> Literal:
    found: dict[str, Literal] = {}
    for key, item in zip(node.keys, node.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)) or key.value in found:
            raise NotALiteral("a key is not a string, or stands twice")
        found[key.value] = _value(item)
    return found


Status = OneOf["ok", "no_data", "bad_column", "call_error", "math_error", "unread"]

RETRIEVERS: dict[str, str] = {
    "legal_knowledge_retriever": "LegalKnowledge",
    "legal_article_retriever": "LegalArticle",
    "legal_case_retriever": "LegalCases",
}
"""Tool -> the corpus it searches."""

MATHEMATICS = ("get_sum", "get_rank", "get_multiplication", "get_subtraction", "get_division")
KNOWN_TOOLS = frozenset((*LOOKUPS, *RETRIEVERS, *MATHEMATICS))
MAX_COLUMNS = 5
MAX_KEYWORD_CALL = 5_000

ERRORS: tuple[tuple[str, Status], ...] = (
    ("No data found for the specified identifier.", "no_data"),
    ("One or more specified columns do not exist.", "bad_column"),
    ("工具调用发生错误, 请检查传入工具的参数是否正确!", "call_error"),
    ("排序时发生错误，请检查参数格式！", "math_error"),
    ("求和时发生错误，请检查参数格式！", "math_error"),
)
"""Texts of the tools, verbatim; the loop glues its hint to the end of the first two."""

_LOOP_TEXTS = ("行动格式非法", "原因可能是")
_FENCE = re.compile(r"```json(.*?)```", re.DOTALL)
_KEYWORD_CALL = re.compile(r"([a-z_]+)[^a-z_`]*```[a-z]*\s*(?:python)?tool_call\((.*?)\)\s*```", re.DOTALL)
_WIDEN = str.maketrans({"'": '"', "(": "（", ")": "）"})
_BRACKETS = str.maketrans({"(": "（", ")": "）"})


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """A tool and its input after the action parser; `known` is False for an invented tool name."""

    tool: str
    input: Literal
    known: bool = True

    @property
    def key(self) -> str:
        """Equal for equal calls, whatever the order of the parameters."""
        return json.dumps([self.tool, self.input], ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Observation:
    """What a tool printed: its text without the hint of the loop, and the value when it is one."""

    status: Status
    text: str
    value: Literal = ""


def read_action(text: str) -> LoggedCall | None:
    """The call an action made; None for a final answer or a text that the action parser refused."""
    fence = _FENCE.search(text)
    call = _keyword_call(text) if fence is None else _fenced_call(fence[1])
    if call is None:
        return None
    try:
        json.dumps(call.input, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return call


def _fenced_call(text: str) -> LoggedCall | None:
    try:
        action = json.loads(text.translate(_WIDEN), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    if not isinstance(action, dict) or not isinstance(action.get("action"), str) or "action_input" not in action:
        return None
    if action["action"] == "Final Answer":
        return None
    return _normalised(action["action"], action["action_input"])


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _normalised(tool: str, given: Literal) -> LoggedCall:
    if isinstance(given, dict) and (tool in LOOKUPS or tool in RETRIEVERS):
        columns = given.get("columns", [])
        given = {**given, "columns": [] if isinstance(columns, list) and len(columns) > MAX_COLUMNS else columns}
    return LoggedCall(tool, given, tool in KNOWN_TOOLS)


def _keyword_call(text: str) -> LoggedCall | None:
    """The one other accepted form, tool name and tool_call(keywords) in a fence; it skips the rules for columns."""
    match = _KEYWORD_CALL.search(text) if "tool_call(" in text and len(text) < MAX_KEYWORD_CALL else None
    if match is None:
        return None
    try:
        tree = ast.parse(f"f({match[2]})", mode="eval").body
        assert isinstance(tree, ast.Call)
        given = {k.arg: read_literal(ast.unparse(k.value)) for k in tree.keywords if k.arg}
    except (SyntaxError, ValueError, RecursionError, MemoryError, AssertionError):
        return None
    return LoggedCall(match[1], cast(Literal, given), match[1] in KNOWN_TOOLS)


def read_observation(text: str, lookup: Lookup | None = None) -> Observation:
    """Status and value of an observation.

    A value must print back to the very same text: model text that only resembles tool output rarely does. A text that
    spans lines is read as it stands, then with its newlines as Python would have printed them, then its first line.
    """
    for error, status in ERRORS:
        if text.startswith(error):
            return Observation(status, error)
    if not text or text.startswith(_LOOP_TEXTS):
        return Observation("unread", text)
    shapes = (text, text.replace("\n", "\\n"), text.split("\n", 1)[0]) if "\n" in text else (text,)
    for shape in shapes:
        try:
            value = read_literal(shape)
        except NotALiteral:
            continue
        if str(value) == shape:
            return Observation("ok", shape, value)
    if lookup is not None and lookup.shape == "name" and "\n" not in text and len(text) < 200:
        return Observation("ok", text, text)
    return Observation("unread", text)


def lookup_values(lookup: Lookup, given: Literal) -> tuple[str, ...] | None:
    """The values that identify what was looked up; None when the call cannot have reached the database."""
    if not isinstance(given, dict) or "columns" not in given and lookup.shape != "name":
        return None
    values = [given.get(parameter) for parameter in lookup.parameters]
    return tuple(v for v in values if isinstance(v, str)) if all(isinstance(v, str) for v in values) else None


def rows_of(lookup: Lookup, value: Literal, values: Sequence[str] | None) -> list[dict[str, Literal]] | None:
    """The value as rows of the lookup's table; None when it cannot be what this lookup gives."""
    if lookup.shape == "name":
        return [{lookup.gives: value}] if isinstance(value, str) else None
    rows = [value] if lookup.shape == "one" else value
    if not isinstance(rows, list) or not rows:
        return None
    known = set(TABLES[lookup.table])
    found: list[dict[str, Literal]] = []
    for row in rows:
        if not isinstance(row, dict) or not row or not known.issuperset(row):
            return None
        if list(row) != list(cast("dict[str, Literal]", rows[0])) or any(
            isinstance(c, list | dict) for c in row.values()
        ):
            return None
        if values is not None and not _agrees(lookup, row, values):
            return None
        found.append(row)
    return found


def _agrees(lookup: Lookup, row: Mapping[str, Literal], values: Sequence[str]) -> bool:
    """Whether the row may match: not when every column that could equal a value is shown and none does."""
    return all(
        any(column not in row or row[column] == value for column in columns)
        for columns, value in zip(lookup.match, values, strict=True)
    )


# Steps of a plan
# -----------------------------------------------------------------------------------------------------

_TOOL_NAME = re.compile("|".join(sorted(KNOWN_TOOLS, key=len, reverse=True)))
_LIST = re.compile(r"[\[【][^\[\]【】]*[\]】]")
_QUOTED = re.compile("|".join(rf"{a}([^{a}{b}]{{1,120}}){b}" for a, b in ('""', "“”", "‘’", "''", "「」")))
_PLACEHOLDER = re.compile(r"上一步|上述|步骤|第.{1,3}步|得到|获取|返回|查询|某|该|XX|名称$|案号$|代码$")
_NARROWED = re.compile(
    r"筛选|过滤|排除|去重|大于|小于|超过|高于|低于|不少于|以上|以下|最[高低多少大小早晚近长短新]|第一个"
    r"|前[一二三四五0-9]"
)
_SHAPES: dict[str, re.Pattern[str]] = {
    "公司名称": re.compile(r"[^，。；、]{2,40}(?:公司|集团|厂|中心|企业|合伙）?)"),
    "统一社会信用代码": re.compile(r"[0-9A-Z]{18}"),
    "案号": re.compile(r"(?=.*[0-9]).{4,40}号"),
    "法院名称": re.compile(rf".{{2,30}}法院|[{HAN}](?:[0-9]{{2,4}})?"),
    "律师事务所名称": re.compile(r".{2,30}(?:律师事务所|事务所|律师行)"),
    "地址": re.compile(r"(?=.*[省市区县路街道号]).{6,80}"),
    "处罚单位": re.compile(r".{3,40}(?:局|委员会|政府|队|所|处|厅|院|办|会|海关|银行|中心|分行|支行)"),
}
"""What an identifier looks like, by the first column it is matched against."""

_SHAPE_OF: dict[str, str] = {
    "关联上市公司全称": "公司名称",
    "关联公司": "公司名称",
    "限制高消费企业名称": "公司名称",
    "终本公司名称": "公司名称",
    "失信被执行公司名称": "公司名称",
    "行政处罚公司名称": "公司名称",
    "原告律师事务所": "律师事务所名称",
    "执行法院": "法院名称",
}


def shape_of(column: str) -> re.Pattern[str] | None:
    """What the values of an identifying column look like; None where they have no shape of their own."""
    return _SHAPES.get(_SHAPE_OF.get(column, column))


def tools_named(step: str) -> tuple[str, ...]:
    """The different tools that a step names, in order."""
    return tuple(dict.fromkeys(_TOOL_NAME.findall(step)))


def infer_call(step: str) -> tuple[Lookup, tuple[str, ...]] | None:
    """The lookup and identifier of a step that names exactly one tool and quotes exactly one identifier."""
    tools = tools_named(step)
    if len(tools) != 1 or tools[0] not in LOOKUPS:
        return None
    lookup = LOOKUPS[tools[0]]
    if len(lookup.parameters) != 1 or (lookup.shape == "many" and _NARROWED.search(step)):
        return None
    quoted = {text.strip() for groups in _QUOTED.findall(_LIST.sub("", step)) for text in groups if text}
    quoted -= {*TABLES[lookup.table], *lookup.parameters, *TABLES, *tools, "columns"}
    if len(quoted) != 1:
        return None
    identifier = quoted.pop().translate(_BRACKETS)
    first = lookup.match[0][0]
    shape = _SHAPES.get(_SHAPE_OF.get(first, first))
    if shape is None or not shape.fullmatch(identifier) or _PLACEHOLDER.search(identifier):
        return None
    return lookup, (identifier,)


def columns_quoted(step: str, table: str) -> tuple[str, ...]:
    """The columns of a list such as ['案号', '日期'] in a step; empty when it holds none or several lists."""
    lists = [tuple(names) for names in lists_quoted(step) if set(TABLES[table]).issuperset(names)]
    return lists[0] if len(lists) == 1 else ()


def lists_quoted(step: str) -> list[list[str]]:
    """The lists of quoted names in a step, whatever they name; empty ones are left out."""
    lists = [[t for groups in _QUOTED.findall(part) for t in groups if t] for part in _LIST.findall(step)]
    return [names for names in lists if names]
