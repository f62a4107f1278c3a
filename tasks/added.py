"""What packages add beside benchmarks, engines and importers: agents for tested seats, and tools for agents.

A registered `Agent` says in which benchmarks it may sit; it is offered there after their own, and a name that a
benchmark has itself stays with it. A `Tool` is a function with typed arguments; a run names the tools that it adds,
and its header keeps those names, so that figures with and without them are never taken for the same. One that cannot
be loaded is left out where it is only offered, and an error where it is named; `moot doctor` says why.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints

from models.schema import violation
from store.pack import Pack
from tasks import registry
from tasks.episode.seats import Policy

Schema = dict[str, object]

_SCHEMAS: Mapping[type, Schema] = {
    str: {"type": "string", "minLength": 1, "maxLength": 200},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}
MOST_ITEMS = 20
"""Of a list that is given to a tool; texts in it, and texts alone, have up to 200 characters."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent from elsewhere.

    Args:
        policy: name and version of its policy, "guesser/1": what a record says sat there. A changed behaviour is a
            new version.
        make: the policy, given the corpus pack of the run; made once a run.
        benchmarks: where it may sit; none: everywhere.
        needs_model: whether its moves ask an engine.
    """

    policy: str
    make: Callable[[Pack], Policy]
    benchmarks: tuple[str, ...] = ()
    needs_model: bool = False


def agents_of(benchmark: str) -> dict[str, Agent]:
    """The agents that packages have added to a benchmark, by the name that `--agent` takes."""
    every = registry.offered("agents", Agent).items()
    return {name: agent for name, agent in every if not agent.benchmarks or benchmark in agent.benchmarks}


def check_agent(name: str) -> None:
    """Say what is wrong with an agent that is registered and offered nowhere; nothing where nothing is."""
    if name in registry.names("agents"):
        registry.load("agents", name, Agent)


def makers_of(benchmark: str, pack: Pack) -> dict[str, Callable[[], Policy]]:
    """Name of a policy -> what makes it, of every agent added to a benchmark."""
    return {agent.policy: lambda make=agent.make: make(pack) for agent in agents_of(benchmark).values()}  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool from elsewhere.

    Args:
        name: how an agent calls it: letters, digits, `_`.
        description: what it does, one sentence; a model reads it.
        function: is given the arguments by name, and the pack of the run as `pack` where it wants it. What it returns
            is shown: a text as it is, anything else as JSON. It must give the same for the same arguments: a record
            is played again.
        arguments: name -> JSON schema of its value.
    """

    name: str
    description: str
    function: Callable[..., object] = field(compare=False)
    arguments: Mapping[str, Schema] = field(compare=False)
    wants_pack: bool = False

    @classmethod
    def of(cls, function: Callable[..., object], name: str = "", description: str = "") -> Tool:
        """A tool out of a function: its arguments by their types (str, int, float, bool, Literal, lists of them), its
        description by the first line of its docstring, unless they are given.

        Raises:
            TypeError: an argument has no type, or one that a model cannot write; or there is no description.
        """
        hints = get_type_hints(function)
        parameters = list(inspect.signature(function).parameters)
        told = description or (inspect.getdoc(function) or "").partition("\n")[0]
        if not told:
            raise TypeError(f"tool {name or function.__name__} has no description")
        given = {each: _schema_of(hints.get(each), each) for each in parameters if each != "pack"}
        return cls(name or function.__name__, told, function, given, "pack" in parameters)

    @property
    def schema(self) -> Schema:
        """JSON schema of its input: all arguments, and no others."""
        return {
            "type": "object", "properties": dict(self.arguments), "required": list(self.arguments),
            "additionalProperties": False,
        }  # fmt: skip

    def call(self, pack: Pack | None, given: object) -> tuple[Literal["ok", "call_error"], str, object]:
        """Status, what is shown, and the same as data. Whatever a model gives has an answer."""
        if not isinstance(given, Mapping):
            return "call_error", f"{self.name} 的参数应为一个 JSON 对象。", None
        if wrong := violation(self.schema, dict(given)):
            return "call_error", f"{self.name} 的参数不对：{wrong}", None
        try:
            value = self.function(**({"pack": pack} if self.wants_pack else {}), **given)
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            return "ok", shown, json.loads(json.dumps(value))
        except Exception as error:  # it is somebody else's: an episode goes on, and says so
            return "call_error", f"{self.name} 出错：{type(error).__name__}: {error}"[:500], None

    def __call__(self, *arguments: object, **named: object) -> object:
        """The function itself, for whoever wrote it."""
        return self.function(*arguments, **named)


def _schema_of(hint: object, name: str) -> Schema:
    if isinstance(hint, type) and hint in _SCHEMAS:
        return dict(_SCHEMAS[hint])
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (list, tuple) and inner:
        return {"type": "array", "items": _schema_of(inner[0], name), "minItems": 1, "maxItems": MOST_ITEMS}
    if origin in (Union, UnionType):
        return {"anyOf": [_schema_of(one, name) for one in inner]}
    raise TypeError(f"argument {name}: {hint!r} is no type that a model can write")


def tools_named(names: Iterable[str]) -> dict[str, Tool]:
    """The tools that a run names.

    Raises:
        UsageError: there is no such tool, or its package cannot be loaded.
    """
    # one name for whoever starts the run and for the model
    return {name: replace(registry.load("tools", name, Tool), name=name) for name in names}
