"""What to run, as it was asked for: benchmark, agent, engine, pack, tasks, limits. A run stores it in its header.

`cast` says who sits where because of it, `plan` which tasks are played within which limits.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from store.journal_format import MOST_REPEATS
from tasks.agents.modes import Calls

PARALLEL_RULES = 16
"""Episodes driven together when no model decodes: their steps share one commit."""


class RunSpec(BaseModel):
    """What to run. Paths are as given; None means the default."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    benchmark: str
    agent: str = "rules"
    model: str = ""
    pack: str = "sample"
    tasks: str | None = None
    task_ids: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    """Only tasks of these groups: hops, tasks of LegalSearch, environments; () is all of them."""
    only: str = ""
    """Why `task_ids` are what they are: `failed:RUN`, the tasks that failed in that run."""
    limit: int | None = Field(default=None, ge=1)
    """A sample of so many of them, each group by its share, drawn by `task_seed`."""
    task_seed: int = 0
    """Apart from `seed`, so that runs of several seeds play the same tasks."""
    shard: tuple[int, int] | None = None
    """(k, n): of the tasks that are chosen otherwise, those at the places k, k + n, k + 2n … counted from 1."""
    epochs: int = Field(default=1, ge=1, le=MOST_REPEATS)
    seed: int = 0
    max_turns: int | None = Field(default=None, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_seconds: float | None = Field(default=None, gt=0)
    budget_tokens: int | None = Field(default=None, ge=1)
    """What the whole run may use, whereas those above are of an episode."""
    budget_seconds: float | None = Field(default=None, gt=0)
    """Of a clock on the wall, at each sitting."""
    cache: bool = False
    """Whether replies of earlier runs on this machine are taken, and those of this one kept."""
    parallel: int = Field(default=1, ge=1)
    paper: bool = False
    """The published call structure, free text; the default is the leaner form under grammar."""
    calls: Calls = "schema"
    """How the tested model calls tools: as JSON under a schema, in the form that it was trained with, or in free
    text."""
    seats: dict[str, str] = Field(default_factory=dict)
    """Role -> who sits there, for seats other than the tested one: rules, human or the SPEC of a model."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """What only this benchmark knows; its own model says what there is (`Benchmark.settings`). Stored, and given,
    flat beside the common settings."""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        held = given.get("settings", {})
        if not isinstance(held, dict):
            return given
        common = {name: value for name, value in given.items() if name in cls.model_fields}
        own = {name: value for name, value in {**held, **given}.items() if name not in cls.model_fields}
        return {**common, "settings": own}

    @model_validator(mode="after")
    def _agreed(self) -> RunSpec:
        if self.shard is not None and not 1 <= self.shard[0] <= self.shard[1]:
            raise ValueError(f"there is no shard {self.shard[0]} of {self.shard[1]}")
        return self

    @model_serializer(mode="wrap")
    def _flat(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        made: dict[str, Any] = handler(self)
        own = made.pop("settings", {})
        return {**made, **own}

    def having(self, **settings: object) -> RunSpec:
        """The same run under other settings of its benchmark."""
        return self.model_copy(update={"settings": {**self.settings, **settings}})


def fresh_id(spec: RunSpec) -> str:
    """A new run id: local time, benchmark, agent, four random digits."""
    agent = re.sub(r"[^a-z0-9]+", "-", spec.agent.lower())
    return f"{datetime.now(UTC).astimezone():%Y%m%d-%H%M%S}-{spec.benchmark}-{agent}-{secrets.token_hex(2)}"
