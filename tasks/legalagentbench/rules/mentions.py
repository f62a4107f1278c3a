"""Mentions: the pieces of a question that may mean something, and the conditions and choices they carry."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tasks.legalagentbench.rules.recognise import Entity
from tasks.legalagentbench.rules.values import Cell


class Modifier(NamedTuple):
    """A condition or a choice.

    op: ">", ">=", "<", "<=", "=", "in" (year range), "max", "min", "mode", "role", "name", "cause", "type", "level",
    "listed", "exists", "other". concept: the attribute compared ('' = whatever fits). value: yuan, percent, years,
    text. nth: 1 = the extreme itself, 2 = the second.
    """

    op: str
    concepts: tuple[str, ...] = ()
    value: Cell = None
    nth: int = 1


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of the question with what it may mean.

    kind: entity, term (relations and/or attributes), modifier, select (a choice that may itself be asked for), count,
    sum, ask, money, focus, listed, days.
    """

    kind: str
    start: int
    end: int
    text: str
    weight: float
    relations: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    modifier: Modifier | None = None
    unit: str = ""
    pointing: bool = False
    entity: Entity | None = None
    factor: float = 1.0
    facts: tuple[str, ...] = field(default=())
