"""How a seat finds its expert: rules of substance that may be installed beside the courts, or not.

An expert is declared as an entry point of the group `moot.experts` and never imported: without it the judge keeps the
procedure and rules on what nobody disputes, and the trainee answers from the statutes.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any, Literal

Kind = Literal["civil", "criminal", "advice"]


@cache
def expert(kind: Kind) -> Any | None:
    """What decides matters of a kind; None where nothing is installed for it.

    civil: `Case -> Substance`; criminal: `Heard -> Decision`; advice: the class of a policy, made with a search.
    """
    for point in entry_points(group="moot.experts", name=kind):
        try:
            return point.load()
        except ModuleNotFoundError as missing:
            if not point.module.startswith(str(missing.name)):
                raise  # it is there, and something that it needs is not
    return None


def installed() -> bool:
    """Whether any expert is there."""
    return any(expert(kind) is not None for kind in ("civil", "criminal", "advice"))
