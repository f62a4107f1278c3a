"""What a worker does with chat templates: compiles one and renders conversations with it, in the sandbox of jinja.
Time and memory are limits of the worker.

A template may use the filters and methods whose texts keep their origin, and no others. Contents are followed through
it as `TracedText` strings, so trims, splits and tests of a template do what they do for its makers. Where a template
does not take a conversation (it raises, or silently leaves out what a system, a tool or a user said), the
conversation is put differently, in this order: tool messages as user messages; the system text in front of the next
user message; both; and neighbours of one role as one message. What none of these mends is tried with an empty list of
tools, which some templates want to go through, and is then a refusal. Orders and answers are JSON data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from typing import Any, cast

from jinja2 import nodes
from jinja2.exceptions import TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import pass_context
from jinja2.visitor import NodeTransformer

from models.llama.traced import METHODS, QUESTIONS, TracedText, joined, runs_of, with_origin

FIXED_DAY = date(2025, 1, 1)
"""The day told to a template that insists on one when none is given: a prompt must not change overnight."""
_BETWEEN = "\n\n"
_MUST_APPEAR = ("system", "user", "tool")


FROM_TOOLS = -1
"""Stands for a message where text comes from the tools."""


@dataclass(frozen=True, slots=True)
class _Turn:
    role: str
    content: str
    more: tuple[tuple[str, Any], ...] = ()
    """What a template is given of the message beside: calls, or what it answers."""


def answer(order: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out an order: {"source", "tokens", "day", "calls": [{"messages", "thinking", "generate", "tools"}]}.

    A message is [role, content], with [[name, arguments, id], ...] and the id that it answers behind where it has
    such. Gives {"renderings": [[[text, message]]]}, the stretches of one a call (none: the template has only been
    compiled), or {"failed": sentence}. A text is null where it is all of the message's.
    """
    try:
        template = _compiled(order["source"])
    except MemoryError:
        raise
    except RecursionError:
        return {"failed": "the chat template cannot be read: it is nested too deeply"}
    except Exception as error:
        return {"failed": f"the chat template cannot be read: {_sentence(error)}"}
    day = date.fromisoformat(order["day"]) if order["day"] else None
    try:
        return {"renderings": [_Rendering(template, order["tokens"], day, call).best() for call in order["calls"]]}
    except _Refusal as error:
        return {"failed": f"the chat template does not take this conversation: {_sentence(error.reason)}"}


def _text(value: Any) -> str:
    """Any value as a template prints it."""
    return value if isinstance(value, str) else with_origin(str(value), value)


def _tojson(
    value: Any, ensure_ascii: bool = False, indent: int | None = None, separators: Any = None, sort_keys: bool = False
) -> str:
    made = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    return with_origin(made, value)


@pass_context
def _join(context: Context, value: Iterable[Any], d: str = "", attribute: str | None = None) -> str:
    if attribute is not None:
        value = [context.environment.getattr(item, attribute) for item in value]
    return str(METHODS["join"](_text(d), [_text(item) for item in value]))


def _indent(text: str, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    pad = width if isinstance(width, str) else " " * width
    lines: list[str] = METHODS["splitlines"](_text(text), True)
    return joined(
        joined([pad, line]) if (first or number) and (blank or line.strip()) else line
        for number, line in enumerate(lines)
    )


def _method(name: str) -> Callable[..., Any]:
    return lambda value, *args, **kwargs: METHODS[name](_text(value), *args, **kwargs)


_KEPT = """abs attr count d default dictsort first float int items last length list map max min reject rejectattr
    reverse round select selectattr sort unique""".split()
_FILTERS: dict[str, Callable[..., Any]] = {
    "tojson": _tojson, "string": _text, "safe": lambda value: value, "join": _join, "indent": _indent,
    "trim": _method("strip"),
    **{name: _method(name) for name in ("lower", "upper", "title", "capitalize", "replace")},
    "format": lambda text, *args, **kwargs: with_origin(str(text) % (kwargs or args), text, args, kwargs),
    "moot_joined": lambda parts: joined(map(_text, parts)),
}  # fmt: skip


class _ConcatTransformer(NodeTransformer):
    """Joined text (`a ~ b`) keeps the origin of its parts."""

    def visit_Concat(self, node: nodes.Concat) -> nodes.Filter:  # noqa: N802
        self.generic_visit(node)
        parts = cast(nodes.Expr, nodes.List(node.nodes, lineno=node.lineno))
        return nodes.Filter(parts, "moot_joined", [], [], None, None, lineno=node.lineno)

    def visit_ScopedEvalContextModifier(self, node: nodes.ScopedEvalContextModifier) -> nodes.Node:  # noqa: N802
        raise TemplateSyntaxError("it escapes text for HTML", node.lineno)


class _Generation(Extension):
    """`{% generation %}…{% endgeneration %}` marks the model's part for training; it prints its body."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """The body alone."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _raise_exception(message: Any) -> None:
    raise TemplateError(_text(message))


class Sandbox(ImmutableSandboxedEnvironment):
    """Environment of chat templates. Rendering gives a `TracedText` text wherever contents were used."""

    intercepted_binops = frozenset(("+", "*", "%"))
    concat = staticmethod(joined)

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation], finalize=_text, cache_size=0
        )
        self.filters = {name: self.filters[name] for name in _KEPT} | _FILTERS
        kept = {name: self.globals[name] for name in ("range", "dict", "namespace")}
        self.globals.clear()
        self.globals.update(kept, raise_exception=_raise_exception)

    def template(self, source: str) -> Any:
        """The compiled template."""
        tree = _ConcatTransformer().visit(self.parse(source))
        tree.set_environment(self)
        return self.from_string(tree)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`; methods of strings are those that keep origins."""
        if isinstance(obj, str) and (method := METHODS.get(attribute)):
            return partial(method, obj)
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]`, which may mean an attribute too."""
        if isinstance(obj, str) and isinstance(argument, str):
            return self.getattr(obj, argument)
        return super().getitem(obj, argument)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Of texts, what asks a question of them."""
        return attr in QUESTIONS if isinstance(obj, str) else super().is_safe_attribute(obj, attr, value)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """An operator that makes text."""
        if operator == "+" and isinstance(left, str) and isinstance(right, str):
            return joined((left, right))
        if operator == "%" and isinstance(left, str):
            return with_origin(str(left) % (right if isinstance(right, (tuple, Mapping)) else (right,)), left, right)
        if operator == "*" and isinstance(right, TracedText):
            left, right = right, left
        if operator == "*" and isinstance(left, TracedText):
            return joined([left] * right)
        return super().call_binop(context, operator, left, right)


@lru_cache(maxsize=4)
def _compiled(source: str) -> Any:
    return Sandbox().template(source)


class _Refusal(Exception):
    """No way to put a conversation is taken; `reason` is what the template said to the first."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__()
        self.reason = reason


class _ContentDropped(Exception):
    """The template rendered, but somebody's words are missing."""


@dataclass(frozen=True, slots=True)
class _Rendering:
    """One conversation before one template."""

    template: Any
    tokens: Mapping[str, str]
    day: date | None
    call: Mapping[str, Any]

    def best(self) -> list[tuple[str | None, int | None]]:
        """The rendering of the first way that the template takes, in stretches."""
        messages = self.call["messages"]
        turns = [
            _Turn(role, TracedText.content(content, at), _beside(more, at))
            for at, (role, content, *more) in enumerate(messages)
        ]
        offered = self.call["tools"]
        first: BaseException | None = None
        for mended, tools in _ways(turns, _traced(offered, FROM_TOOLS)):
            try:
                text = self._render(mended, tools)
                _check_all_there(messages, text, offered)
            except MemoryError:
                raise
            except (Exception, RecursionError) as error:
                first = first or error
                continue
            return list(_stretches(text, messages))
        assert first is not None
        raise _Refusal(first)

    def _render(self, turns: Sequence[_Turn], tools: list[Any] | None) -> str:
        values = {
            "messages": [{"role": turn.role, "content": turn.content, **dict(turn.more)} for turn in turns],
            "add_generation_prompt": self.call["generate"],
            "documents": None,
            **self.tokens,
            **dict.fromkeys(("enable_thinking", "thinking"), self.call["thinking"]),
            "tools": tools,
        }
        if self.day is not None:
            return str(self.template.render(values, strftime_now=_clock(self.day)))
        try:
            return str(self.template.render(values))
        except UndefinedError as error:
            if "strftime_now" not in str(error):
                raise
            return str(self.template.render(values, strftime_now=_clock(FIXED_DAY)))


def _beside(more: Sequence[Any], at: int) -> tuple[tuple[str, Any], ...]:
    """Calls of a message as templates know them, arguments as data where they are JSON; or what it answers."""
    if not more:
        return ()
    calls, answers = more
    if answers:
        return (("tool_call_id", answers),)
    made = [
        {"id": key, "type": "function", "function": _traced({"name": name, "arguments": _data(given)}, at)}
        for name, given, key in calls
    ]
    return (("tool_calls", made),)


def _data(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _traced(value: Any, at: int) -> Any:
    """JSON data all of whose texts come from one message."""
    if isinstance(value, str):
        return TracedText.content(value, at)
    if isinstance(value, dict):
        return {name: _traced(item, at) for name, item in value.items()}
    return [_traced(item, at) for item in value] if isinstance(value, list) else value


def _stretches(text: str, messages: Sequence[Any]) -> Iterator[tuple[str | None, int | None]]:
    """What goes out of a rendering, with the message each stretch came from."""
    at = 0
    for length, message in runs_of(text):
        if not length:
            continue
        stretch = str.__getitem__(text, slice(at, at + length))
        whole = message is not None and message >= 0 and stretch == messages[message][1]
        yield (None if whole else stretch), message
        at += length


def _check_all_there(messages: Sequence[Any], text: str, offered: Sequence[Any]) -> None:
    there = {message for _, message in runs_of(text)}
    if offered and FROM_TOOLS not in there:
        raise _ContentDropped("it leaves out the tools")
    for at, (role, content, *more) in enumerate(messages):
        if role in _MUST_APPEAR and at not in there and content.strip():
            raise _ContentDropped(f"it leaves out message {at + 1}, of the {role}")
        if more and more[0] and not _names(text, at, more[0][0][0]):
            raise _ContentDropped(f"it leaves out the call in message {at + 1}")


def _names(text: str, message: int, name: str) -> bool:
    """Whether what came from a message holds the name of its call."""
    place, kept = 0, []
    for length, whose in runs_of(text):
        if whose == message:
            kept.append(str.__getitem__(text, slice(place, place + length)))
        place += length
    return name in "\n".join(kept)


def _ways(turns: list[_Turn], offered: list[Any]) -> Iterator[tuple[list[_Turn], list[Any] | None]]:
    """All ways to put a conversation, with a list of tools or none, without repetition; tools that are told go
    along."""
    ways: list[list[_Turn]] = []
    if offered or any(turn.more for turn in turns):
        yield from ((mend(turns), offered or None) for mend in _WITH_CALLS)
        return
    for mend in _MENDS:
        if (mended := mend(turns)) not in ways:
            ways.append(mended)
    yield from ((way, None) for way in ways)
    yield from ((way, []) for way in ways)


def _tools_as_user(turns: list[_Turn]) -> list[_Turn]:
    return [_Turn("user", turn.content) if turn.role == "tool" else turn for turn in turns]


def _system_in_user(turns: list[_Turn]) -> list[_Turn]:
    """System text in front of the next user message; at the end of a conversation it becomes one."""
    result: list[_Turn] = []
    waiting: list[str] = []
    for turn in turns:
        if turn.role == "system":
            waiting.append(turn.content)
        elif turn.role == "user" and waiting:
            result.append(_Turn("user", _merged([*waiting, turn.content])))
            waiting = []
        else:
            result.append(turn)
    return [*result, _Turn("user", _merged(waiting))] if waiting else result


def _neighbours_as_one(turns: list[_Turn]) -> list[_Turn]:
    result: list[_Turn] = []
    for turn in turns:
        if result and result[-1].role == turn.role and not turn.more and not result[-1].more:
            result[-1] = _Turn(turn.role, _merged([result[-1].content, turn.content]))
        else:
            result.append(turn)
    return result


def _merged(texts: Sequence[str]) -> str:
    """Several contents as one; the gap belongs to the one before it."""
    parts: list[str] = []
    for text in texts:
        if parts:
            parts.append(TracedText(_BETWEEN, ((len(_BETWEEN), runs_of(parts[-1])[-1][1]),)) if parts[-1] else "")
        parts.append(text)
    return joined(parts)


_MENDS: tuple[Callable[[list[_Turn]], list[_Turn]], ...] = (
    lambda turns: turns,
    _tools_as_user,
    _system_in_user,
    lambda turns: _system_in_user(_tools_as_user(turns)),
    lambda turns: _neighbours_as_one(_system_in_user(_tools_as_user(turns))),
)


def _user_into_tool(turns: list[_Turn]) -> list[_Turn]:
    """What a user says right after a result goes to its end: some templates want the model to speak in between."""
    result: list[_Turn] = []
    for turn in turns:
        if result and turn.role == "user" and result[-1].role == "tool":
            last = result[-1]
            result[-1] = _Turn(last.role, _merged([last.content, turn.content]), last.more)
        else:
            result.append(turn)
    return result


_WITH_CALLS: tuple[Callable[[list[_Turn]], list[_Turn]], ...] = (
    lambda turns: turns,
    _system_in_user,
    _user_into_tool,
    lambda turns: _neighbours_as_one(_system_in_user(_user_into_tool(turns))),
)
"""A result stays a result where calls are calls."""


def _clock(day: date) -> Callable[[str], str]:
    def strftime_now(form: str) -> str:
        if len(form) > 100 or not re.fullmatch(r"(?:[^%]|%-?[A-Za-z%])*", form):
            raise ValueError("strftime_now with an odd format")
        return day.strftime(str(form))

    return strftime_now


def _sentence(error: BaseException) -> str:
    """What an error says, on one line of bounded length."""
    if isinstance(error, RecursionError):
        return "it calls itself without end"
    text = " ".join("".join(c if c.isprintable() else " " for c in str.__str__(str(error))[:2000]).split())
    return f"{text[:200]}…" if len(text) > 200 else text or type(error).__name__
