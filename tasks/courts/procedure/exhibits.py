"""The exhibits of a trial on their way: 未出示, 已出示, 已质证, 采信, 部分采信 or 不采信 with the reason that was
given."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from tasks.courts.procedure.bench import rulings
from tasks.courts.procedure.findings import ExhibitState, Shown
from tasks.courts.procedure.replies import ALL_MEANT, items_named, responsive
from tasks.courts.procedure.tables import ActSpec, Duty, opposite
from tasks.courts.procedure.turns import Hearing, Item, Side, Turn

_SOURCE = re.compile(r"来源(?:于|是|为|：)[^，。；\n]{0,80}")
"""Where an exhibit comes from (办案机关的询问笔录) names no other exhibit."""


class Exhibits:
    """State of every exhibit of a hearing, by id."""

    def __init__(self, hearing: Hearing, duties: Iterable[Duty]) -> None:
        self.hearing = hearing
        self.state = {item.id: Shown() for item in hearing.exhibits}
        self.titles = {item.id: item.title for item in hearing.exhibits}
        self.excused: set[tuple[str, Side]] = set()
        """Exhibit and side that was asked about it and gave no valid answer: relying on it is no fault then."""
        self._owed: dict[str, set[Side]] = {}
        for duty in duties:
            if duty.mandatory and duty.spec.exhibits == "other" and duty.side:
                self._owed.setdefault(duty.exhibit, set()).add(duty.side)

    def unshown(self, side: Side) -> list[Item]:
        """What a side has not offered yet."""
        return [item for item in self.hearing.exhibits if item.owner == side and self.state[item.id].shown is None]

    def to_hear(self, side: Side) -> list[Item]:
        """What was offered and a side has not been heard on."""
        return [
            item
            for item in self.hearing.exhibits
            if side in opposite(item.owner, self.hearing)
            and self.state[item.id].shown is not None
            and side not in self.state[item.id].heard
        ]

    def unseen(self, text: str, sides: Iterable[Side]) -> bool:
        """Whether a text is about exhibits of others than these sides, and none that it names was offered yet."""
        theirs = {item.owner for item in self.hearing.exhibits} - set(sides)
        named = [
            item
            for side in theirs
            for item in items_named(text, [i for i in self.hearing.exhibits if i.owner == side])
        ]
        return bool(named) and all(self.state[item.id].shown is None for item in named)

    def misdirected(self, spec: ActSpec, text: str, sides: Collection[Side]) -> bool:
        """Whether words that ask to offer exhibits, or for a view on them, name those of one side alone, and are put
        to nobody who has them to offer, or to that side alone for its view on its own."""
        owners = {
            side
            for side in self.hearing.sides
            if items_named(text, [item for item in self.hearing.exhibits if item.owner == side])
        }
        if len(owners) != 1 or not sides:
            return False
        return not owners & set(sides) if spec.exhibits == "owner" else owners == set(sides)

    def begun(self) -> bool:
        """Whether anything was offered yet."""
        return any(one.shown is not None for one in self.state.values())

    def offered(self, side: Side, text: str) -> list[Item]:
        """Exhibits that a side offers in these words for the first time."""
        mine = [item for item in self.hearing.exhibits if item.owner == side]
        return [item for item in items_named(_SOURCE.sub("", text), mine) if self.state[item.id].shown is None]

    def heard_on(self, side: Side, asked: str, text: str) -> list[Item]:
        """Exhibits that an opinion is about: those named by judge or side, else all that wait for this side.

        Talk of something else is no opinion, however clearly the judge named the exhibit.
        """
        waiting = self.to_hear(side)
        named = {item.id for item in items_named(f"{asked}\n{text}", waiting)}
        if not (responsive("view", text) or (items_named(text, waiting) and responsive("short", text))):
            return []
        return [item for item in waiting if not named or item.id in named or ALL_MEANT.search(text)]

    def show(self, item: Item, turn: Turn) -> None:
        """Note that an exhibit was offered."""
        self.state[item.id] = replace(self.state[item.id], state="已出示", shown=turn.number)

    def hear(self, item: Item, side: Side, turn: Turn) -> None:
        """Note that a side was heard on an exhibit; it is 已质证 when all have been that must be."""
        known = self.state[item.id]
        heard = {**known.heard, side: turn.number}
        state = known.state
        if state in ("未出示", "已出示") and set(opposite(item.owner, self.hearing)) <= set(heard):
            state = "已质证"
        self.state[item.id] = replace(known, state=state, heard=heard)

    def rule(self, turn: Turn) -> Iterator[tuple[str, str]]:
        """Note what a turn decides about exhibits; yields the code of a violation and the title it concerns."""
        shown = [item for item in self.hearing.exhibits if self.state[item.id].shown is not None]
        for ruled in rulings(turn.text, self.hearing, shown):
            known = self.state[ruled.item.id]
            lacking = self._owed.get(ruled.item.id, set()) - set(known.heard)
            if ruled.admitted and any((ruled.item.id, side) not in self.excused for side in lacking):
                yield "uncrossed_relied", ruled.item.title
            if not ruled.admitted and not ruled.reasoned:
                yield "no_reason", ruled.item.title
            state: ExhibitState = "部分采信" if ruled.partly else "采信" if ruled.admitted else "不采信"
            self.state[ruled.item.id] = replace(known, state=state, ruled=turn.number, reason=ruled.reason)

    def take_up(self, act: str, identity: str, side: str) -> None:
        """Note an exhibit's state where a trial is taken up in the middle."""
        known = self.state.get(identity)
        if known is None:
            return
        if act == "exhibit" and known.shown is None:
            self.state[identity] = replace(known, state="已出示", shown=0)
        elif act == "cross":
            self.state[identity] = replace(known, state="已质证", heard={**known.heard, side: 0})
