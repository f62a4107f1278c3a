"""What may be written to call a tool: JSON schemas for a model (the choice of tables, a plan, a call, an answer), and
a tool as a form for a person.

The same schema constrains generation where an engine can, and checks the reply everywhere. Tool names and column
names are enumerated for the tools of the task. Lengths are in characters; they keep a reply from running on, no
honest one comes near. What is typed into a form becomes the input of the tool, and is refused in one sentence where
the schema forbids it; lists are typed with 、 ； commas or blanks between their parts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from models.schema import Schema, object_schema, violation
from store.schema import LOOKUPS, TABLES
from tasks.legalagentbench.parser import MOST_COLUMNS
from tasks.legalagentbench.tools import FINISH_NAMES, RETRIEVERS, TOOLS, Parameter, ToolSpec

FINAL = "Final Answer"
"""The action that ends the search; the tool `finish` under its published name."""
MOST_STEPS = 10
LONGEST = {"thought": 200, "step": 80, "identifier": 200, "final": 400, "answer": 2000, "summary": 2000}
MOST_NUMBERS = 60
MOST_TEXTS = 10

THOUGHT: Schema = {"type": "string", "maxLength": LONGEST["thought"]}
_NUMBER: Schema = {"anyOf": [{"type": "number"}, {"type": "string", "minLength": 1, "maxLength": 40}]}
_NUMBERS: Schema = {"type": "array", "items": _NUMBER, "minItems": 1, "maxItems": MOST_NUMBERS}
_PARAMETERS: dict[str, Schema] = {
    "text": {"type": "string", "minLength": 1, "maxLength": LONGEST["identifier"]},
    "list": _NUMBERS,
    "integer": {"enum": list(range(1, MOST_TEXTS + 1))},
    "number": _NUMBER,
    "boolean": {"type": "boolean"},
}
"""Type of a parameter -> its schema; the columns of a table have one of their own."""


def tables_schema() -> Schema:
    """The choice of tables."""
    tables = {"type": "array", "items": {"enum": list(TABLES)}, "minItems": 1, "maxItems": len(TABLES)}
    return object_schema({"tables": tables})


def steps_schema() -> Schema:
    """The steps of a plan."""
    step = {"type": "string", "minLength": 1, "maxLength": LONGEST["step"]}
    return {"type": "array", "items": step, "minItems": 1, "maxItems": MOST_STEPS}


def plan_schema() -> Schema:
    """A plan and nothing else."""
    return object_schema({"plan": steps_schema()})


def answer_schema() -> Schema:
    """Answer, then the answer with every detail."""
    return object_schema({name: {"type": "string", "maxLength": LONGEST[name]} for name in ("answer", "summary")})


def action_schema(tools: Iterable[ToolSpec], before: Mapping[str, Schema] | None = None) -> Schema:
    """A tool call, after what stands before it in the same object (a thought, a plan).

    Tools that take the same input share an alternative, so that a grammar stays small: the lookups of a table differ
    in their name only.
    """
    groups: dict[str, tuple[list[str], Schema]] = {}
    for tool in tools:
        if tool.kind == "control":
            continue
        given = input_schema(tool)
        groups.setdefault(repr(given), ([], given))[0].append(tool.name)
    final = {"type": "string", "minLength": 1, "maxLength": LONGEST["final"]}
    alternatives = [*groups.values(), ([FINAL], final)]
    return {
        "anyOf": [
            object_schema({**(before or {}), "action": {"enum": names}, "action_input": given})
            for names, given in alternatives
        ]
    }


def input_schema(tool: ToolSpec, *, described: bool = False) -> Schema:
    """The input of one tool; every parameter is required, so that nothing depends on a default.

    `described`: each parameter with what it means.
    """
    if tool.schema is not None:
        return tool.schema
    parameters: Sequence[Parameter] = tool.parameters
    if tool.name in LOOKUPS and LOOKUPS[tool.name].shape == "name":
        parameters = [parameter for parameter in parameters if parameter.name != "columns"]
    made = {parameter.name: _parameter(tool, parameter) for parameter in parameters}
    if described:
        made = {p.name: {"description": p.description, **made[p.name]} for p in parameters}
    return object_schema(made)


def _parameter(tool: ToolSpec, parameter: Parameter) -> Schema:
    if parameter.name == "columns":
        return {"type": "array", "items": {"enum": list(tool.columns)}, "maxItems": MOST_COLUMNS}
    return _PARAMETERS[parameter.type]


def trimmed(tool: str, given: Any) -> object:
    """The input with the parameters of its tool only: a reply that was read forgivingly may carry more."""
    spec = TOOLS.get(tool)
    if spec is None or not isinstance(given, Mapping):
        return given
    wanted = input_schema(spec)["properties"]
    return {name: given[name] for name in wanted if name in given}


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
