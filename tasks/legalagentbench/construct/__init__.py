"""Makes LegalAgentBench tasks from any corpus: paths over the tool graph as data, walked over real rows.

A template names the tools, what is taken from each result and how the answer is asked for. Walking it from a drawn
entity gives answer, keys, middle keys and every call with its arguments; a walk with more than one reading is thrown
away.
"""

from __future__ import annotations

from importlib.resources import files
from random import Random

from tasks.legalagentbench.construct.phrasing import Phrasing
from tasks.legalagentbench.construct.sampler import construct
from tasks.legalagentbench.construct.source import PackSource, RowSource, Source
from tasks.legalagentbench.construct.template import Template, read_templates

__all__ = [
    "PackSource", "Phrasing", "RowSource", "Source", "Template", "construct", "read_templates", "shipped_phrasing",
    "shipped_templates",
]  # fmt: skip


def _data(name: str) -> str:
    return files("tasks.legalagentbench.construct").joinpath(name).read_text(encoding="utf-8")


def shipped_templates() -> list[Template]:
    """The templates that come with Moot: 48, of 1 to 5 hops, which use every database tool."""
    return read_templates(_data("templates.toml"))


def shipped_phrasing(rng: Random) -> Phrasing:
    """The openers that come with Moot."""
    return Phrasing(_data("openers.toml"), rng)
