"""Interpretations that a criminal judgment cites beside the article of the charge, as data (law.toml)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks.courts.agents.citing import Cited, cite
from tasks.legalsearch.charges import canonical
from tasks.tables import beside


def table() -> Mapping[str, Any]:
    """interpretations: key -> title; see: charge -> entries."""
    return beside(__package__, "law")


def interpretations(charge: str) -> list[tuple[Cited, str]]:
    """The interpretations on a charge, each with the words of the facts on which it is cited; '' for always."""
    return [interpretation(entry) for entry in table()["see"].get(canonical(charge), ())]


def interpretation(entry: str) -> tuple[Cited, str]:
    """An entry of the table: 盗窃 3.4 扒窃."""
    key, place, cue = (*entry.split(), "")[:3]
    return cite(place, table()["interpretations"][key]), cue
