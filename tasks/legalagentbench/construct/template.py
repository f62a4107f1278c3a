"""The form of a task template: hops over tools, filters, picks, and the answer's keys. Read from TOML, checked whole.

Bindings are names for values found on the way; `start` is the drawn entity. A feed or a taken column may carry a
function after a colon (案号:court_code).
"""

from __future__ import annotations

import tomllib
from typing import Literal

from pydantic import BaseModel, ConfigDict, model_validator

from store.schema import LOOKUPS, TABLES

PLACE = ("prov", "city", "county")
"""Bindings that the two place tools are fed with."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Hop(_Frozen):
    """One use of one tool, and what is kept of its rows.

    feed: binding that gives the identifier; a list binding calls the tool for each. where: (column, test, value)
    with tests year, is, has, over, under. pick: how one row is chosen of several: only, or max / min / second /
    latest / earliest / mode with a column. take: binding -> column of the chosen row. count, total, names: binding
    for the number of rows, the sum of a column, the distinct values of a column. least: rows needed after filtering.
    exists: binding for whether there is a row at all (yes and no words).
    """

    tool: str
    feed: str = "start"
    where: tuple[tuple[str, Literal["year", "is", "has", "over", "under", "not"], str], ...] = ()
    pick: str = ""
    take: dict[str, str] = {}
    count: str = ""
    total: tuple[str, str] | None = None
    names: tuple[str, str] | None = None
    least: int = 2
    exists: tuple[str, str, str] | None = None

    @property
    def columns(self) -> list[str]:
        """Columns the call asks for: what is filtered, picked and kept, in that order."""
        kept = [column.split(":")[0] for column in self.take.values()]
        asked = [column for column, _, _ in self.where]
        if ":" in self.pick:
            asked.append(self.pick.split(":")[1])
        asked += [pair[1] for pair in (self.total, self.names) if pair] + kept
        first = TABLES[LOOKUPS[self.tool].table][0]
        return list(dict.fromkeys(asked)) or [first]

    @model_validator(mode="after")
    def _known(self) -> Hop:
        if self.tool not in LOOKUPS:
            raise ValueError(f"no tool {self.tool}")
        table = LOOKUPS[self.tool].table
        strange = [column for column in self.columns if column not in TABLES[table]]
        if strange:
            raise ValueError(f"{table} has no {strange}")
        return self


class Template(_Frozen):
    """One kind of task. keys: "binding" or "binding|shape" (see keys.py). options: parameter -> values to try."""

    id: str
    hops: int
    start: str
    topic: str
    path: tuple[Hop, ...]
    keys: tuple[str, ...]
    middle: tuple[str, ...] = ()
    options: dict[str, tuple[str, ...]] = {}
    compute: tuple[tuple[str, str, str, str], ...] = ()
    ask: tuple[str, ...]
    reply: str

    @property
    def way(self) -> str:
        """Tool names joined as upstream writes them."""
        return "----".join(hop.tool for hop in self.path)

    @model_validator(mode="after")
    def _fits(self) -> Template:
        if len(self.path) != self.hops:
            raise ValueError(f"{self.id}: {self.hops} hops, {len(self.path)} tools")
        table, _, column = self.start.partition(".")
        if table not in TABLES or (column != "place" and column not in TABLES[table]):
            raise ValueError(f"{self.id}: no such start {self.start}")
        return self


def read_templates(text: str) -> list[Template]:
    """Templates of a TOML text, in its order."""
    return [Template.model_validate(entry) for entry in tomllib.loads(text)["template"]]
