"""JSON schemas of what a model may write: the choice of tables, a plan, a tool call, an answer.

The same schema constrains generation where an engine can, and checks the reply everywhere. Tool names and column
names are enumerated for the tools of the task. Lengths are in characters; they keep a reply from running on, no
honest one comes near.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from models.schema import Schema, object_schema
from store.schema import LOOKUPS, TABLES
from tasks.legalagentbench.parser import MOST_COLUMNS
from tasks.legalagentbench.tools import TOOLS, Parameter, ToolSpec

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


def steps_schema(most: int = MOST_STEPS) -> Schema:
    """The steps of a plan."""
    step = {"type": "string", "minLength": 1, "maxLength": LONGEST["step"]}
    return {"type": "array", "items": step, "minItems": 1, "maxItems": most}


def plan_schema(most: int = MOST_STEPS) -> Schema:
    """A plan and nothing else."""
    return object_schema({"plan": steps_schema(most)})


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
