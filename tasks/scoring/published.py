"""Figures that papers have printed, beside which own runs are shown: facts in a TOML file a benchmark.

They were made with other data, other graders or by other rules, and say so wherever they are shown. Points from 0 to
100; sizes in billions of parameters.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict

Place = tuple[str, str]
"""Measure and group."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of a paper: a model and how it was used. tables: where the figures stand; tasks: how many tasks it was
    made on, of a group where tables have a mean over groups; tokens: of all tasks, None where nobody says."""

    paper: str
    model: str
    way: str
    tables: str
    tasks: int | None
    values: Mapping[Place, float] = field(default_factory=dict)
    size: float | None = None
    tokens: int | None = None


class _PublishedTable(BaseModel):
    model_config = ConfigDict(extra="forbid")
    table: str
    measure: str
    rows: str
    groups: list[str] = []


class _PublishedFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    paper: str
    scale: float
    tasks: int
    groups: list[str] = []
    sizes: dict[str, float] = {}
    tables: list[_PublishedTable]


def published(path: Path) -> Sequence[PublishedRow]:
    """The rows of a file, each model and way once with all that its tables say."""
    file = _PublishedFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    values: dict[tuple[str, str], dict[Place, float]] = {}
    tables: dict[tuple[str, str], list[str]] = {}
    tokens: dict[tuple[str, str], int] = {}
    for table in file.tables:
        for line in table.rows.strip().splitlines():
            model, way, figures, *counted = (cell.strip() for cell in line.split("|"))
            own = zip(table.groups or file.groups, figures.split(), strict=True)
            places = {(table.measure, group): round(file.scale * float(figure), 4) for group, figure in own}
            values.setdefault((model, way), {}).update(places)
            tables.setdefault((model, way), []).append(table.table)
            if counted:
                tokens[model, way] = int(counted[0])
    return [
        PublishedRow(
            file.paper, model, way, ", ".join(tables[model, way]), file.tasks, found, file.sizes.get(model),
            tokens.get((model, way)),
        )
        for (model, way), found in values.items()
    ]  # fmt: skip
