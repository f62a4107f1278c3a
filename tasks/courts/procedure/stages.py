"""Where a trial is: the stage it has come to, the stages that words open, and whether an act has its place there."""

from __future__ import annotations

from typing import Literal

from tasks.courts.procedure import bench
from tasks.courts.procedure.acts import cut
from tasks.courts.procedure.tables import ActSpec, Profile
from tasks.courts.procedure.turns import Turn

Place = Literal["ok", "late", "early", "wrong"]
"""late: the opening has just been left."""


class Stages:
    """The stages of a profile in their order, the one that is open, and a floating one (调解) beside it."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.anywhere = [index for index, stage in enumerate(profile.stages) if stage.floating]
        self.at = self.begun = 0
        self.floating = ""

    @property
    def open(self) -> str:
        """The id of the stage that is open."""
        return self.floating or self.profile.stages[self.at].id

    @property
    def name(self) -> str:
        """The stage as courts call it; a floating one does not count."""
        return self.profile.stages[self.at].name

    def home(self, spec: ActSpec) -> int:
        """The first stage of an act."""
        return self.profile.stage(spec.stages[0])

    def touched(self, spec: ActSpec) -> set[int]:
        """The stages that an act is about: of several the one that is open, and the one that it ends."""
        places = [self.profile.stage(stage) for stage in spec.stages]
        return {self.at if self.at in places else places[0], *map(self.profile.stage, spec.closes)}

    def take_up(self, stage: str) -> None:
        """Begin in a stage; a floating one stands behind the last that is none before it."""
        self.at = max(self.profile.stage(stage), 0)
        if self.profile.stages[self.at].floating:
            self.floating = self.profile.stages[self.at].id
            self.at = max(i for i in range(self.at) if not self.profile.stages[i].floating)

    def begin(self) -> None:
        """A turn begins: what it does has its place in the stage that is open now, whatever stage it opens."""
        self.begun = self.at

    def tagged(self, turn: Turn) -> list[int]:
        """The stages that a turn names by a tag, or that it was said to be in; the first is the one meant."""
        tagged = bench.stages_tagged(turn.text, self.profile)
        given = self.profile.stage(turn.stage) if turn.stage else -1
        return [given, *tagged] if given >= 0 and given not in tagged else tagged

    def announced(self, text: str) -> list[int]:
        """The stages that words open, in their order."""
        kept = cut(text)
        return [index for index, stage in enumerate(self.profile.stages) if any(p.search(kept) for p in stage.enter)]

    def enter(self, index: int, text: str) -> bool:
        """Go to a stage with the words of a turn; False where that would be a step back which nothing reopens."""
        stage = self.profile.stages[index]
        if stage.floating:
            self.floating = stage.id
        elif index >= self.at or bench.reopens(text):
            self.at, self.floating = index, ""
        else:
            return False
        return True

    def next(self, spec: ActSpec) -> bool:
        """Whether an act would open the stage behind this one."""
        return spec.anchor and self.home(spec) == self.at + 1

    def place(self, spec: ActSpec, ready: bool) -> Place:
        """Whether an act has its place now; an anchor act whose ground is laid opens its stage."""
        places = [self.profile.stage(stage) for stage in spec.stages]
        if any(self.profile.stages[place].floating for place in places):
            self.floating = self.profile.stages[places[0]].id
            return "ok"
        if self.at in places or self.begun in places:
            return "ok"
        ahead = [place for place in places if place > self.at]
        if ahead and spec.anchor and ready:
            self.at, self.floating = min(ahead), ""
            return "ok"
        if self.at == 1 and 0 in places:  # what the opening forgot may be made up for; other stages must be reopened
            return "late"
        return "early" if ahead else "wrong"
