"""A trial as the procedure sees it: who said what to whom, and what the case needs beyond the words.

Roles are those of the seats; sides are what duties are owed to. A lawyer speaks for the side of the client in a civil
case; the accused and the 辩护人 are two sides of a criminal one, because each has rights of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tasks.episode.events import Fault

Role = Literal[
    "judge",
    "clerk",
    "plaintiff",
    "defendant",
    "plaintiff_lawyer",
    "defendant_lawyer",
    "procurator",
    "defence_lawyer",
    "accused",
]
Side = Literal["plaintiff", "defendant", "procurator", "accused", "defence"]
Procedure = Literal["普通程序", "简易程序", "小额诉讼程序", "速裁程序"]

SIDE_OF: Mapping[str, Side] = {
    "plaintiff": "plaintiff",
    "plaintiff_lawyer": "plaintiff",
    "defendant": "defendant",
    "defendant_lawyer": "defendant",
    "procurator": "procurator",
    "accused": "accused",
    "defence_lawyer": "defence",
}
SIDES: Mapping[str, tuple[Side, ...]] = {
    "CI": ("plaintiff", "defendant"),
    "CR": ("procurator", "accused", "defence"),
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. `to`: roles it is addressed to, none for the whole court; `stage`: an explicit tag, if any;
    `unfinished`: a limit of tokens ended it; `fault`: why it says nothing of its own, '' where it does."""

    number: int
    speaker: str
    to: tuple[str, ...]
    text: str
    stage: str = ""
    unfinished: bool = False
    fault: Fault = ""


@dataclass(frozen=True, slots=True)
class Item:
    """An exhibit as the procedure needs it. `number`: its place among the exhibits of its side, from 1."""

    id: str
    owner: Side
    title: str
    number: int
    disputed: bool = True


@dataclass(frozen=True, slots=True)
class Point:
    """Something that a case file gives a side to say. sums: the amounts it names, by value; of: what it answers (ids
    of claims)."""

    text: str
    sums: frozenset[str] = frozenset()
    of: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Holding:
    """What a side has to answer with. words: pairs of characters of all that it holds; points: act -> what it has to
    say when it is asked for that; contests: exhibit -> its objections."""

    words: frozenset[str] = frozenset()
    points: Mapping[str, tuple[Point, ...]] = field(default_factory=dict)
    contests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hearing:
    """What decides which duties apply to a case; nothing of the judgment that scorers hold.

    `names`: side -> names by which it may be known. `needs`: conditions that hold, out of `CONDITIONS` of the tables.
    `texts`: of the case file, for what is only quoted from it. `held`: side -> what it has to answer with; where
    nothing is known of that, replies are taken as they come.
    """

    env: Literal["CI", "CR"]
    procedure: Procedure = "普通程序"
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exhibits: tuple[Item, ...] = ()
    needs: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()
    held: Mapping[Side, Holding] = field(default_factory=dict)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides of the trial in the order in which they are asked."""
        return SIDES[self.env]
