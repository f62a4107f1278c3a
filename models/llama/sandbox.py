"""The jinja a chat template may use: what templates of published models need, sandboxed and metered.

A template is a program that came with a model file. It can read its variables and make text. Every loop round, call
and copy counts against a budget (`models.llama.meter`), and every value is weighed before an operation goes through
it in one step: comparisons, tests, keys, arguments (and with them what a macro catches), filters, formats and prints.
Giant numbers are refused. Filters and string methods keep the origin of text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, cast

from jinja2 import nodes
from jinja2.exceptions import TemplateError, TemplateSyntaxError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context, LoopContext, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace, _PassArg, pass_context
from jinja2.visitor import NodeTransformer

from models.llama.meter import TooMuch, spend, steps_left, weighed
from models.llama.traced import METHODS, QUESTIONS, Traced, formatted, joined, owned

_SEQUENCES = (str, list, tuple)
_MOST_BITS = 4096
_WIDEST = 64
"""Widest indentation."""
_FINEST = 100
"""Digits that a number may be rounded to."""


class _Rounds(list[Any]):
    """What a loop goes through: the clock is looked at in every round."""

    def __iter__(self) -> Iterator[Any]:
        for item in super().__iter__():
            spend()
            yield item


class _Method(partial[Any]):
    """A method of a text; printed without the text."""

    def __repr__(self) -> str:
        return "<method>"


def _text(value: Any) -> str:
    """Any value as a template prints it."""
    weighed(value, printed=True)
    return value if isinstance(value, str) else owned(str(value), value)


def _counted(value: Any) -> list[Any]:
    """What a loop goes through, bounded."""
    items = _Rounds(islice(value, steps_left() + 1))
    spend(0, len(items))
    return items


def _copied(value: Any) -> Any:
    """A slice, counted after it was cut: members are cheap, texts are not."""
    if isinstance(value, str):
        spend(len(value))
    elif isinstance(value, (list, tuple)):
        spend(0, 1 + len(value) // 16)
    return value


def _tojson(
    value: Any, ensure_ascii: bool = False, indent: int | None = None, separators: Any = None, sort_keys: bool = False
) -> str:
    weighed((value, indent, separators), printed=True)
    if separators and max(map(len, separators)) > _WIDEST:
        raise TooMuch("it writes wide separators")
    width = None if indent is None else min(int(indent), _WIDEST)
    form = json.JSONEncoder(ensure_ascii=ensure_ascii, indent=width, separators=separators, sort_keys=sort_keys)
    if width is None:
        return owned(form.encode(value), value)
    return owned(joined(form.iterencode(value)), value)


def _filter_join(context: Context, value: Iterable[Any], d: str = "", attribute: str | None = None) -> str:
    items = _counted(value)
    if attribute is not None:
        items = [context.environment.getattr(item, attribute) for item in items]
    return str(METHODS["join"](_text(d), [_text(item) for item in items]))


def _indent(text: str, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    pad = width if isinstance(width, str) else " " * min(int(width), _WIDEST)
    lines: list[str] = METHODS["splitlines"](_text(text), True)
    padded = [
        joined([pad, line]) if (first or number) and (blank or line.strip()) else line
        for number, line in enumerate(lines)
    ]
    return joined(padded)


def _round(value: float, precision: int = 0) -> float:
    return round(value, max(-_FINEST, min(int(precision), _FINEST)))


def _method(name: str) -> Callable[..., Any]:
    def use(value: Any, *args: Any, **kwargs: Any) -> Any:
        return METHODS[name](_text(value), *args, **kwargs)

    return use


def _same(value: Any) -> Any:
    return value


def _weighing(use: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or test that goes through what it is given, weighed before it does."""
    wanted = _PassArg.from_obj(use)

    @pass_context
    def weighing(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        weighed((value, args, kwargs))
        if isinstance(value, str):
            spend(0, len(value))
        elif isinstance(value, Iterable) and not isinstance(value, (Mapping, Undefined)):
            value = _counted(value)
        first: dict[Any, tuple[Any, ...]] = {
            _PassArg.context: (context,),
            _PassArg.eval_context: (context.eval_ctx,),
            _PassArg.environment: (context.environment,),
        }
        result = use(*first.get(wanted, ()), value, *args, **kwargs)
        return _counted(result) if isinstance(result, Iterator) else result

    return weighing


def _comparing(test: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value, *args: test(weighed(value), *map(weighed, args))


_KEPT = "abs attr count d default first float int last length".split()
_KEPT_WEIGHING = "dictsort items list map max min reject rejectattr reverse select selectattr sort unique".split()
_COMPARING = (
    "in == eq equalto != ne > gt greaterthan >= ge < lt lessthan <= le lower upper divisibleby odd even".split()
)
_FILTERS: dict[str, Callable[..., Any]] = {
    "tojson": _tojson, "string": _text, "safe": _same, "join": pass_context(_filter_join), "indent": _indent,
    "round": _round, "trim": _method("strip"),
    **{name: _method(name) for name in ("lower", "upper", "title", "capitalize", "replace")},
    "format": lambda text, *args, **kwargs: formatted(
        _text(text), lambda: str(text) % (kwargs or args), args, kwargs
    ),
    "moot_counted": _counted, "moot_weighed": weighed, "moot_copied": _copied,
    "moot_joined": lambda parts: joined(map(_text, parts)),
}  # fmt: skip


class _Metering(NodeTransformer):
    """Puts loops, literals of several members, keys, comparisons and joined text under the meter."""

    @staticmethod
    def _through(name: str, node: nodes.Node) -> nodes.Filter:
        return nodes.Filter(cast(nodes.Expr, node), name, [], [], None, None, lineno=node.lineno)

    def _weighed(self, node: nodes.Expr) -> nodes.Expr:
        return node if isinstance(node, nodes.Const) else self._through("moot_weighed", node)

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802
        self.generic_visit(node)
        node.iter = self._through("moot_counted", node.iter)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Filter:  # noqa: N802
        self.generic_visit(node)
        return self._through("moot_joined", nodes.List(node.nodes, lineno=node.lineno))

    def visit_Compare(self, node: nodes.Compare) -> nodes.Compare:  # noqa: N802
        """A comparison goes through both sides at once, so one is enough; looking up hashes the other too."""
        self.generic_visit(node)
        if any(operand.op in ("in", "notin") for operand in node.ops):
            node.expr = self._weighed(node.expr)
        for operand in node.ops:
            operand.expr = self._weighed(operand.expr)
        return node

    def visit_List(self, node: nodes.List) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        return self._weighed(node)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        for pair in node.items:
            pair.key = self._weighed(pair.key)
        return self._weighed(node)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        return self._weighed(node) if node.ctx == "load" else node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        return self._through("moot_copied", node) if isinstance(node.arg, nodes.Slice) else node

    def visit_ScopedEvalContextModifier(self, node: nodes.ScopedEvalContextModifier) -> nodes.Node:  # noqa: N802
        raise TemplateSyntaxError("it escapes text for HTML", node.lineno)


class _Generation(Extension):
    """`{% generation %}…{% endgeneration %}` marks the model's part for training; it prints its body."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """The body alone."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class Refused(TemplateError):
    """The template called `raise_exception`: it does not take this conversation."""


def _raise_exception(message: Any) -> None:
    raise Refused(_text(message))


class Sandbox(ImmutableSandboxedEnvironment):
    """Environment of chat templates. Rendering gives a `Traced` text wherever contents were used."""

    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "%", "**"))
    concat = staticmethod(joined)

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation], finalize=_text, cache_size=0
        )
        weighing = {name: _weighing(self.filters[name]) for name in _KEPT_WEIGHING}
        self.filters = {name: self.filters[name] for name in _KEPT} | weighing | _FILTERS
        plain = cast(dict[str, Callable[..., Any]], self.tests)
        self.tests = plain | {name: _comparing(plain[name]) for name in _COMPARING}
        kept = {name: self.globals[name] for name in ("range", "dict", "namespace")}
        self.globals.clear()
        self.globals.update(kept, raise_exception=_raise_exception)

    def metered_template(self, source: str) -> Any:
        """The compiled template, with its loops and literals under the meter."""
        tree = _Metering().visit(self.parse(source))
        tree.set_environment(self)
        return self.from_string(tree)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`; methods of strings are those that keep origins and know bounds."""
        if isinstance(obj, str) and (method := METHODS.get(attribute)):
            return _Method(method, obj)
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]`, which may mean an attribute too."""
        if isinstance(obj, str) and isinstance(argument, str):
            return self.getattr(obj, argument)
        if not isinstance(argument, (str, int, slice)):
            weighed(argument)
        return super().getitem(obj, argument)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Only what is named here."""
        if isinstance(obj, str):
            return attr in QUESTIONS
        if isinstance(obj, dict):
            return attr in ("items", "keys", "values", "get")
        if isinstance(obj, (list, tuple)):
            return attr in ("index", "count")
        known = isinstance(obj, (LoopContext, Namespace, Macro, Undefined))
        return known and super().is_safe_attribute(obj, attr, value)

    def call(self, context: Context, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call in the template, counted."""
        spend(0, 1)
        for value in args:
            weighed(value)
        if kwargs:
            weighed(kwargs)
        if isinstance(owner := getattr(function, "__self__", None), (list, tuple)):  # it searches itself
            weighed(owner)
        if isinstance(function, LoopContext):
            args = (_counted(args[0]), *args[1:])
        return weighed(super().call(context, function, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """An operator whose result could be giant."""
        if operator == "+" and isinstance(left, str) and isinstance(right, str):
            return joined((left, right))
        if operator == "%" and isinstance(left, str):
            values = right if isinstance(right, (tuple, Mapping)) else (right,)
            return formatted(left, lambda: str(left) % values, right)
        if operator == "*" and isinstance(left, _SEQUENCES) != isinstance(right, _SEQUENCES):
            return _repeated(left, right) if isinstance(left, _SEQUENCES) else _repeated(right, left)
        bits = [number.bit_length() for number in (left, right) if isinstance(number, int)]
        if operator == "**" and len(bits) == 2:
            bits.append(bits[0] * abs(right))
        if max(bits, default=0) > _MOST_BITS:
            raise TooMuch("it computes a giant number")
        if operator == "+" and isinstance(left, (list, tuple)):
            spend(0, len(left) + len(right))
        return super().call_binop(context, operator, left, right)


def _repeated(value: Any, times: Any) -> Any:
    """A text or list, so many times."""
    if isinstance(times, int):
        rounds = max(times, 0)
        characters = len(value) if isinstance(value, str) else 0
        spend(characters * rounds, rounds if isinstance(value, Traced) else (len(value) - characters) * rounds)
    return joined([value] * times) if isinstance(value, Traced) else value * times
