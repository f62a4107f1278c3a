"""A tool as a form: what a person fills in, made from the schema that a model's call is held to.

What is typed becomes the input of the tool, and is refused in one sentence where the schema forbids it, before
anything is called. Lists are typed with 、 ； commas or blanks between their parts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from models.schema import violation
from store.schema import LOOKUPS
from tasks.legalagentbench.schemas import input_schema
from tasks.legalagentbench.tools import FINISH_NAMES, RETRIEVERS, TOOLS, ToolSpec

Kind = Literal["text", "list", "choice", "number"]
_BETWEEN = re.compile(r"[、；;，,\s]+")
_YES, _NO = "true", "false"


@dataclass(frozen=True, slots=True)
class ParameterField:
    """One parameter. choices: what may stand there, or in its list; () where anything may. first: what it begins
    with."""

    name: str
    kind: Kind
    description: str
    choices: tuple[str, ...] = ()
    first: str = ""


def callable_tools() -> list[ToolSpec]:
    """Every tool but the one that ends an episode."""
    return [tool for tool in TOOLS.values() if tool.kind != "control"]


def fields(tool: ToolSpec) -> list[ParameterField]:
    """The fields of a tool in order."""
    schema = input_schema(tool, described=True)
    return [_field(tool, name, part) for name, part in schema["properties"].items()]


def _field(tool: ToolSpec, name: str, part: Mapping[str, Any]) -> ParameterField:
    said = str(part.get("description", ""))
    if part.get("type") == "array":
        return ParameterField(name, "list", said, tuple(map(str, part["items"].get("enum", ()))))
    if "enum" in part:
        first = str(RETRIEVERS[tool.name][1]) if tool.name in RETRIEVERS else ""
        return ParameterField(name, "choice", said, tuple(map(str, part["enum"])), first)
    if part.get("type") == "boolean":
        return ParameterField(name, "choice", said, (_NO, _YES), _NO)
    return ParameterField(name, "number" if "anyOf" in part else "text", said)


def parts(text: str) -> list[str]:
    """The parts of a typed list."""
    return [part for part in _BETWEEN.split(text) if part]


def read(tool: ToolSpec, typed: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """The input that was typed, and why it cannot be used ("" for one that can)."""
    properties = input_schema(tool)["properties"]
    given = {name: _value(part, typed.get(name, "").strip()) for name, part in properties.items()}
    return completed(tool.name, given), violation(input_schema(tool), given)


def _value(part: Mapping[str, Any], text: str) -> Any:
    if part.get("type") == "array":
        return parts(text)
    if part.get("type") == "boolean":
        return {_YES: True, _NO: False}.get(text.lower(), text)
    return next((choice for choice in part.get("enum", ()) if str(choice) == text), text)


def completed(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The input with what a database tool wants beside the schema: a list of columns, also where it gives a name
    only."""
    return {"columns": [], **given} if tool in LOOKUPS and "columns" not in given else dict(given)


def typed_call(tool: str, given: Mapping[str, Any]) -> str:
    """A call as the person in a seat would type it."""
    return f"/{tool} {json.dumps(given, ensure_ascii=False)}"


def refused(text: str, tools: Sequence[str] = ()) -> str:
    """Why what a person typed in a seat is no call that could succeed; "" for a call that can, and for an answer.

    tools: further tools that may be called, whose input nothing is known of.
    """
    if not text.startswith("/"):
        return ""
    name, _, rest = text[1:].partition(" ")
    if name in tools or name in FINISH_NAMES:
        return ""
    if name not in TOOLS:
        return f"没有名为“{name}”的工具"
    try:
        given = json.loads(rest) if rest.strip() else {}
    except (ValueError, RecursionError):
        return "工具参数应为 JSON"
    wanted = input_schema(TOOLS[name])
    if isinstance(given, Mapping):
        given = {key: value for key, value in given.items() if key in wanted["properties"] or key != "columns"}
    return violation(wanted, given)
