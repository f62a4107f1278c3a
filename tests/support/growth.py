"""How the work of a reader grows with its text, counted and never timed: the same figures on every machine.

Work is lines of Python run, characters that regular expressions look at (sre_steps.py), and characters that methods
of strings, slices and `in` look at or copy. To see those, code is compiled anew with a meter at each of these places:
give `compiled` its source, or call `meter` before the product is imported. Each place is judged by itself, so that
one squared search among a hundred linear ones is seen, and named. Not seen: what C code does inside one call
(`sorted`, `join`, json, lxml), what is added with `+` or put into an f-string, and methods handed on without being
called (`map(PATTERN.sub, ...)`).
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.machinery import FileFinder, SourceFileLoader
from inspect import signature
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.support.sre_steps import Steps, TooMuch

TIMES = 4
MOST = 10
"""What `TIMES` the text may cost more at each place: a line costs 4 times as much, one that begins late a little
more, a square 16 times."""
HOPELESS = 2000
"""Looks at each character of a text after which one search is given up as endless."""
ONE_MATCH = ("search", "match", "fullmatch")
MANY = ("finditer", "findall", "sub", "subn", "split")
WHOLE = ("count", "replace", "split", "rsplit", "splitlines", "partition", "rpartition", "lower", "upper", "casefold",
    "translate",
         "encode", "isascii", "isdigit", "isspace")  # fmt: skip
ENDS = ("strip", "lstrip", "rstrip", "removeprefix", "removesuffix")
FINDS = ("find", "rfind", "index", "rindex")
METERED = {*ONE_MATCH, *MANY, *WHOLE, *ENDS, *FINDS}
ROOT = Path(__file__).resolve().parents[2]
HERE = (__file__, str(Path(__file__).with_name("sre_steps.py")))

work: Counter[str] = Counter()
_steps: dict[re.Pattern[str], Steps] = {}


class _Places(dict[re.Pattern[str], str]):
    """How a search is named."""

    def __missing__(self, pattern: re.Pattern[str]) -> str:
        return self.setdefault(pattern, f"the search for {pattern.pattern[:80]!r}")


_places = _Places()
_looked_at: dict[tuple[object, ...], int] = {}
"""What a search has cost once it costs again."""


def faults(read: Callable[[str], object], unit: str, size: int) -> list[str]:
    """Places whose work grows faster than the text, when `unit` is repeated up to `size` characters."""

    def cost(length: int) -> Counter[str]:
        work.clear()
        _looked_at.clear()
        _counts.clear()
        text = unit * (length // len(unit))
        sys.settrace(_lines)
        try:
            read(text)
        except TooMuch:
            pass
        finally:
            sys.settrace(None)
        for code, (ran, _) in _counts.items():
            for line, times in ran.items():
                work[f"{code.co_filename}:{line}"] += times
        return Counter(work)

    cost(10 * len(unit))  # what is made once
    least = size // TIMES
    small, large = cost(least), cost(size)
    return [
        f"{unit!r}: {place} does {done} for {size} characters, {small[place]} for {least}"
        for place, done in large.items()
        if done > MOST * max(small[place], least)
    ]


def _lines(frame: FrameType, event: str, _: object) -> Any:
    return _counts[frame.f_code][1]


class _Counts(dict[CodeType, tuple[Counter[int], Any]]):
    """How often each line of a function ran, and what is told of each line: this is asked millions of times."""

    def __missing__(self, code: CodeType) -> tuple[Counter[int], Any]:
        ran: Counter[int] = Counter()

        def line(frame: FrameType, event: str, _: object) -> Any:
            if event == "line":
                ran[frame.f_lineno] += 1
            return line

        return self.setdefault(code, (ran, None if code.co_filename in HERE else line))


_counts = _Counts()


def compiled(source: str | bytes, path: str) -> CodeType:
    """The code of a module with a meter at each search, slice and method of a string."""
    tree = ast.fix_missing_locations(_Meters().visit(ast.parse(source)))
    code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    return code


def meter(*packages: str) -> None:
    """From now on, modules of these packages are imported with meters. For a process of its own."""
    import builtins

    vars(builtins).update(_METERS)
    rooms = tuple(str(ROOT / package) for package in packages)
    finder = FileFinder.path_hook((_Loader, [".py"]))

    def hook(path: str) -> Any:
        if not path.startswith(rooms):
            raise ImportError(path)
        return finder(path)

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return compiled(self.get_data(path), path)


class _Meters(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in METERED:
            return _called(
                "_metered_call",
                node,
                node.func.value,
                ast.Constant(node.func.attr),
                *node.args,
                keywords=node.keywords,
            )
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            return _called("_metered_slice", node, node.value, *(part or ast.Constant(None) for part in parts))
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            found = _called("_metered_in", node, node.left, node.comparators[0])
            return (
                found if isinstance(node.ops[0], ast.In) else ast.copy_location(ast.UnaryOp(ast.Not(), found), node)
            )
        return node


def _called(name: str, node: ast.expr, *args: ast.expr, keywords: list[ast.keyword] | None = None) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), list(args), keywords or []), node)


def _slice(value: Any, lower: Any, upper: Any, step: Any) -> Any:
    part = value[lower:upper:step]
    if isinstance(value, str | bytes | list | tuple):
        _spent(len(part))
    return part


def _in(wanted: Any, value: Any) -> bool:
    found = wanted in value
    if isinstance(value, str):
        _spent(value.find(wanted) + 1 if found else len(value))
    elif isinstance(value, list | tuple):
        _spent(len(value))
    return found


def _call(owner: Any, name: str, *args: Any, **named: Any) -> Any:
    if owner is re:
        given = signature(getattr(re, name)).bind(*args, **named).arguments
        owner = re.compile(given.pop("pattern"), given.pop("flags", 0))
        args, named = (), given
    if isinstance(owner, re.Pattern) and isinstance(owner.pattern, str):
        return _match(owner, name, *args, **named)
    if isinstance(owner, str):
        _spent(_looked(owner, name, *args))
    return getattr(owner, name)(*args, **named)


def _looked(text: str, name: str, *args: Any) -> int:
    """Characters that a method of a string looks at or copies."""
    if name in ENDS:
        left = len(getattr(text, name)(*args))
        return 1 if left == len(text) else len(text)
    if name in WHOLE and name != "count":
        return len(text)
    first, end, _ = slice(*(*args[1:], None, None)[:2]).indices(len(text))
    if name == "count":
        return max(0, end - first)
    found = getattr(text, name.replace("index", "find"))(*args)
    if found < 0:
        return max(0, end - first)
    return found - first + 1 if name in ("find", "index") else end - found


def _match(pattern: re.Pattern[str], name: str, *args: Any, **named: Any) -> Any:
    result = getattr(pattern, name)(*args, **named)
    given = {**dict(zip(_GIVEN.get(name, ("string", "pos", "endpos")), args, strict=False)), **named}
    text, first = given["string"], given.get("pos", 0)
    end = min(given.get("endpos", len(text)), len(text))
    if name in ONE_MATCH:
        _searched(pattern, text, first, end, name, -1, result)
        return result
    walk = _walk(pattern, text, first, end)
    if name == "finditer":
        return walk
    for number, _ in enumerate(walk, 1):
        if number == (given.get("count") or given.get("maxsplit") or 0):
            break
    return result


def _walk(pattern: re.Pattern[str], text: str, at: int, end: int) -> Iterator[re.Match[str]]:
    besides = -1
    for match in pattern.finditer(text, at, end):
        _searched(pattern, text, at, end, "search", besides, match)
        yield match
        at = match.end()
        besides = at if match.start() == at else -1
    _searched(pattern, text, at, end, "search", besides, None)


def _searched(
    pattern: re.Pattern[str], text: str, at: int, end: int, how: str, besides: int, real: re.Match[str] | None
) -> None:
    asked = (pattern, text, at, end, how, besides)
    place = _places[pattern]
    if asked in _looked_at:
        work[place] += _looked_at[asked]
    else:
        tracing = sys.gettrace()
        sys.settrace(None)  # the model's own lines are not the reader's
        steps = _steps.get(pattern) or _steps.setdefault(pattern, Steps(pattern))
        before = steps.looked
        steps.most = before + HOPELESS * (len(text) + 100)
        try:
            span = steps.find(text, at, end, how, besides)
        finally:
            sys.settrace(tracing)
            _looked_at[asked] = steps.looked - before
            work[place] += _looked_at[asked]
        assert span == (real and real.span()), f"the model of the matcher is wrong: {pattern.pattern!r} in {text!r}"


def _spent(characters: int) -> None:
    caller = sys._getframe(2)
    work[f"strings at {caller.f_code.co_filename}:{caller.f_lineno}"] += characters


_GIVEN = {"sub": ("repl", "string", "count"), "subn": ("repl", "string", "count"), "split": ("string", "maxsplit")}
_METERS = {"_metered_call": _call, "_metered_slice": _slice, "_metered_in": _in}
