"""The meter of chat templates: what a rendering may still use, and what a value weighs before anything walks through
it.

Templates come with model files and run files and may be hostile. One step of a template can do endless work inside a
single call of the interpreter, where no clock is looked at: values that share parts are compared, hashed, printed and
sorted as often as their parts are reached. So every operation that goes through a value weighs it first, part by part
and under the budget, and refuses before it begins. What slips through is ended with its process (`template_process`).
Units: characters, steps, seconds of processor time.
"""

from __future__ import annotations

import time
from collections.abc import Collection, ItemsView, Iterator, KeysView, ValuesView
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from jinja2.utils import Namespace

T = TypeVar("T")

LONGEST = 1 << 18
"""Characters of one text a template makes, beside twice what the messages hold; its own source has at most half of
that."""
MOST_COPIED = 64 << 20
"""Characters made in all, beside 32 times what the messages hold."""
MOST_STEPS = 50_000
"""Loop rounds, calls and members in one rendering, beside twice the square of the number of messages: some templates
look at all messages for each of them."""
SECONDS = 2.0
"""Processor time of one request. Honest templates take milliseconds: 43 ms for four million characters."""
_GLANCED = 4
"""Comparing and hashing goes through texts and members much faster than they are made: by this power of two."""
_A_CALL, _A_LOOK = 100, 10_000
"""The clock is looked at after so much work, as looking costs as much as a small piece of it."""
_LIGHT = {bool, int, float, type(None)}
_VIEWS = (KeysView, ValuesView, ItemsView)


class TooMuch(Exception):
    """A template asked for more text, rounds or time than any honest one."""


class Budget:
    """What one rendering may still use; `until` is the processor time at which its request is over."""

    __slots__ = ("characters", "longest", "steps", "unseen", "until")

    def __init__(self, given: int = 0, messages: int = 0, until: float | None = None) -> None:
        self.longest = LONGEST + 2 * given
        self.characters = MOST_COPIED + 32 * given
        self.steps = MOST_STEPS + 2 * messages**2
        self.until = deadline() if until is None else until
        self.unseen = 0


def deadline() -> float:
    """When a request that begins now is over, by the processor time of this thread."""
    return time.thread_time() + SECONDS


_BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def metered(given: int = 0, messages: int = 0, until: float | None = None) -> Iterator[None]:
    """Meter the work inside; `given` is how many characters the messages hold, `until` comes from `deadline`."""
    token = _BUDGET.set(Budget(given, messages, until))
    try:
        yield
    finally:
        _BUDGET.reset(token)


def spend(characters: int = 0, steps: int = 0) -> None:
    """Count work against the rendering in progress. Raises TooMuch."""
    budget = _BUDGET.get()
    if budget is None:
        return
    if characters > budget.longest:
        raise TooMuch(f"it makes more than {budget.longest} characters")
    budget.characters -= characters
    budget.steps -= steps
    if budget.characters < 0:
        raise TooMuch("it copies text without end")
    if budget.steps < 0:
        raise TooMuch("it takes steps without end")
    budget.unseen += _A_CALL + characters + steps
    if budget.unseen < _A_LOOK:
        return
    budget.unseen = 0
    if time.thread_time() > budget.until:
        raise TooMuch(f"it takes more than {SECONDS:g} seconds of processor time")


def steps_left() -> int:
    """Steps that the rendering in progress may still take."""
    budget = _BUDGET.get()
    return MOST_STEPS if budget is None else budget.steps


def inside(value: object) -> Collection[Any] | None:
    """The parts of a value that operations walk into, None for one without parts."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple, set, frozenset, *_VIEWS)):
        return value
    if isinstance(value, Namespace):
        return [*value._Namespace__attrs.values()]
    return None


def weight(value: object) -> tuple[int, int]:
    """Members and characters that an operation meets in a value; shared parts count as often as they are reached.

    Raises:
        TooMuch: it has more members than steps are left.
    """
    waiting: list[Collection[object]] = [(value,)]
    members, characters, most = 0, 0, steps_left()
    while waiting:
        parts = waiting.pop()
        members += len(parts)
        if members > most:
            raise TooMuch("it takes steps without end")
        for part in parts:
            if isinstance(part, str):
                characters += len(part)
            elif isinstance(part, int):
                characters += part.bit_length() // 3
            elif isinstance(part, range):
                members += len(part)
            elif (more := inside(part)) is not None:
                waiting.append(more)
    return members, characters


def weighed(value: T, *, printed: bool = False) -> T:
    """The value, once what is in it has been counted: before it is compared, hashed, sorted or `printed`."""
    if isinstance(value, str):  # by far the most
        spend(len(value) if printed else len(value) >> _GLANCED)
    elif value.__class__ not in _LIGHT:
        members, characters = weight(value)
        spend(*((characters, members) if printed else (characters >> _GLANCED, members >> _GLANCED)))
    return value
