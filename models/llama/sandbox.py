"""The jinja a chat template may use: what templates of published models need, sandboxed and metered.

A template is a program that came with a model file. It can read its variables and make text; every loop round, call and
copy counts against a budget (`models.llama.traced`), and what could hang in one step (giant powers, widths, nested
lists that double) is refused. Filters and string methods keep the origin of text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import islice
from typing import Any, cast

from jinja2 import nodes
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context, LoopContext, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace, _PassArg, pass_context
from jinja2.visitor import NodeTransformer

from models.llama.traced import METHODS, QUESTIONS, TooMuch, Traced, formatted, joined, owned, spend, steps_left

_MOST_BITS = 4096
_WIDEST = 64
"""Widest indentation."""


def _text(value: Any) -> str:
    """Any value as a template prints it."""
    if isinstance(value, str):
        spend(len(value))
        return value
    _measured(value, printed=True)
    return owned(str(value), value)


def _measured(value: Any, *, printed: bool = False) -> Any:
    """The value, after its members have been counted: shared lists count as often as they are reached.

    A namespace may lead to itself and is not counted, so it is not `printed`.
    """
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            waiting += part.values()
        elif isinstance(part, (list, tuple)):
            waiting += part
        elif printed and isinstance(part, Namespace):
            raise TooMuch("it prints a namespace")
        else:
            continue
        spend(0, len(part))
    return value


def _counted(value: Any) -> list[Any]:
    """What a loop goes through, bounded."""
    items = list(islice(value, steps_left() + 1))
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
    _measured(value)
    width = None if indent is None else min(int(indent), _WIDEST)
    return owned(
        json.dumps(value, ensure_ascii=ensure_ascii, indent=width, separators=separators, sort_keys=sort_keys), value
    )


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
    return round(value, precision)


def _method(name: str) -> Callable[..., Any]:
    def use(value: Any, *args: Any, **kwargs: Any) -> Any:
        return METHODS[name](_text(value), *args, **kwargs)

    return use


def _same(value: Any) -> Any:
    return value


def _at_once(use: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that gives a list in place of an iterator, so that nothing waits uncounted."""

    @pass_context
    def whole(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        given = value if isinstance(value, (str, Mapping)) else _counted(value)
        wanted = {
            _PassArg.context: (context,),
            _PassArg.eval_context: (context.eval_ctx,),
            _PassArg.environment: (context.environment,),
        }
        result = use(*wanted.get(_PassArg.from_obj(use), ()), given, *args, **kwargs)  # type: ignore[arg-type]
        return result if isinstance(result, str) else _counted(result)

    return whole


_KEPT = "abs attr count d default first float int last length max min".split()
_KEPT_AT_ONCE = "dictsort items list map reject rejectattr reverse select selectattr sort unique".split()
_FILTERS: dict[str, Callable[..., Any]] = {
    "tojson": _tojson, "string": _text, "safe": _same, "join": pass_context(_filter_join), "indent": _indent,
    "round": _round, "trim": _method("strip"),
    **{name: _method(name) for name in ("lower", "upper", "title", "capitalize", "replace")},
    "format": lambda text, *args, **kwargs: formatted(
        _text(text), lambda: str(text) % (kwargs or args), args, kwargs
    ),
    "moot_counted": _counted, "moot_measured": _measured, "moot_copied": _copied,
    "moot_joined": lambda parts: joined(map(_text, parts)),
}  # fmt: skip


class _Metering(NodeTransformer):
    """Puts loops, literals of several members and joined text under the meter."""

    @staticmethod
    def _through(name: str, node: nodes.Node) -> nodes.Filter:
        return nodes.Filter(cast(nodes.Expr, node), name, [], [], None, None, lineno=node.lineno)

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802
        self.generic_visit(node)
        node.iter = self._through("moot_counted", node.iter)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Filter:  # noqa: N802
        self.generic_visit(node)
        return self._through("moot_joined", nodes.List(node.nodes, lineno=node.lineno))

    def visit_List(self, node: nodes.List | nodes.Dict) -> nodes.Filter:  # noqa: N802
        self.generic_visit(node)
        return self._through("moot_measured", node)

    visit_Dict = visit_List

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        return self._through("moot_copied", node) if isinstance(node.arg, nodes.Slice) else node

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        return node if node.ctx != "load" else self._through("moot_measured", node)


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
    raise Refused(str(message))


class Sandbox(ImmutableSandboxedEnvironment):
    """Environment of chat templates. Rendering gives a `Traced` text wherever contents were used."""

    intercepted_binops = frozenset(("+", "*", "%", "**"))
    concat = staticmethod(joined)

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation], finalize=_text, cache_size=0
        )
        whole = {name: _at_once(self.filters[name]) for name in _KEPT_AT_ONCE}
        self.filters = {name: self.filters[name] for name in _KEPT} | whole | _FILTERS
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
            return partial(method, obj)
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]`, which may mean an attribute too."""
        if isinstance(obj, str) and isinstance(argument, str):
            return self.getattr(obj, argument)
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
        return _measured(super().call(context, function, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """An operator whose result could be giant."""
        if operator == "+" and isinstance(left, str) and isinstance(right, str):
            return joined((left, right))
        if operator == "%" and isinstance(left, str):
            values = right if isinstance(right, (tuple, Mapping)) else (right,)
            return formatted(left, lambda: str(left) % values, right)
        if operator == "**":
            if abs(right) > _MOST_BITS or abs(left) > 1 << 64:
                raise TooMuch("it computes a giant power")
        elif operator == "*":
            _bound_product(left, right)
            _bound_product(right, left)
            if isinstance(left, Traced) or isinstance(right, Traced):
                text, times = (left, right) if isinstance(left, str) else (right, left)
                return joined([text] * times)
        elif operator == "+" and isinstance(left, (list, tuple)):
            spend(0, len(left) + len(right))
        return super().call_binop(context, operator, left, right)


def _bound_product(left: Any, right: Any) -> None:
    if isinstance(left, int) and left.bit_length() > _MOST_BITS:
        raise TooMuch("it computes a giant number")
    if isinstance(left, (str, list, tuple)) and isinstance(right, int):
        size = len(left) * max(right, 0)
        spend(size if isinstance(left, str) else 0, max(right, 0) if isinstance(left, str) else size)
