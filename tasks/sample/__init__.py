"""The shipped pack `sample`: a jurisdiction that does not exist, written for this project.

Every place, court, company, person, statute and case is invented (provenance "authored"), so nothing here can be
confused with real law and no model can have memorised it. `tasks.sample.build.build_sample` writes the pack.
"""

from __future__ import annotations

JURISDICTION = "虚构法域"
"""Name of the jurisdiction in the pack manifest."""

FICTION_LABEL = "虚构数据"
"""What every screen and report shows beside rows and documents of this pack."""

PACK_NAME = "sample"


def fiction_label(provenance: str) -> str:
    """The label for one row or document: 虚构数据 when it was written for Moot, "" otherwise."""
    return FICTION_LABEL if provenance == "authored" else ""


def is_fictional(provenance: frozenset[str] | set[str]) -> bool:
    """Whether anything among these provenance classes is invented (a screen must then show the label)."""
    return "authored" in provenance


__all__ = ["FICTION_LABEL", "JURISDICTION", "PACK_NAME", "fiction_label", "is_fictional"]
