"""What a turn of the judge is read as: its acts beside one another, what it asks and is about, what it may be blamed
for."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tasks.courts.procedure.acts import SpeechAct, closing, sentences
from tasks.courts.procedure.credits import PendingQuestion
from tasks.courts.procedure.model import ActSpec, ProcedureViolation, Profile, Side, Turn

JUDGED = ("ruling", "verdict")
_RIGHTS = "rights"
_GRAVEST = ("judgment_before_debate", "wrong_addressee", "wrong_stage", "too_early")
"""Of what is out of its place in one turn the gravest is named: the others follow from it."""
CAP = 2
"""Demands that one turn may make: an act that is put to two sides is two."""


@dataclass
class JudgeTurn:
    """What a turn of the judge is read as, and what it asks and is about, until he speaks again.

    at: its place in the transcript; stage: the one in which it begins; sides: those spoken to; acts: in the order of
    the agenda; retells: whether it is a judgment behind a debate, which retells a whole trial; instead: the words in
    which it says what others have to say; settles: whether it records an agreement. Doubtful words count when they
    were understood: by then somebody has answered them.
    """

    turn: Turn
    at: int
    stage: str
    sides: tuple[Side, ...]
    acts: Sequence[tuple[ActSpec, SpeechAct]]
    retells: bool
    instead: str
    settles: bool = False
    demands: list[tuple[SpeechAct, ActSpec, tuple[Side, ...]]] = field(default_factory=list)
    """Words that ask for something, what, and of whom."""
    touched: list[tuple[SpeechAct | None, str, int]] = field(default_factory=list)
    """Words (None: a tag), act and stage that it is about."""
    suspected: list[tuple[ProcedureViolation, ActSpec, SpeechAct]] = field(default_factory=list)
    """What would be a fault if the words are read rightly."""
    _named: set[str] = field(default_factory=set)

    @cached_property
    def judged(self) -> bool:
        """Whether it pronounces a judgment."""
        return any(spec.id in JUDGED for spec, _ in self.acts)

    @cached_property
    def parts(self) -> set[str]:
        """The acts of a judgment in it."""
        return {spec.id for spec, _ in self.acts if spec.ends}

    @cached_property
    def judging(self) -> bool:
        """Whether it is a judgment with more than its rulings."""
        return self.judged and len(self.parts) > 1

    @cached_property
    def end(self) -> int:
        """Where it closes the hearing."""
        return closing(self.turn.text)

    @cached_property
    def _judgment(self) -> int:
        """Where a judgment begins, which retells from its first words on: that is no other stage, wherever the trial
        stands."""
        sure = (act.start for spec, act in self.acts if spec.ends and act.sure and self.judging)
        return min(sure, default=self.end)

    @cached_property
    def uncalled(self) -> set[Side]:
        """Sides that are spoken to and called by no question."""
        return set(self.sides).difference(*(act.named for spec, act in self.acts if spec.asked))

    @cached_property
    def _precise(self) -> bool:
        return any(spec.asked and not spec.fallback and act.sure for spec, act in self.acts)

    @cached_property
    def _tells_rights(self) -> bool:
        return any(spec.id == _RIGHTS and act.sure for spec, act in self.acts)

    @cached_property
    def _sentences(self) -> list[tuple[int, str]]:
        return list(sentences(self.turn.text))

    def around(self, act: SpeechAct) -> str:
        """The sentences of the turn that an act stands in."""
        first = max(bisect_right(self._sentences, (act.start, chr(sys.maxunicode))) - 1, 0)
        last = bisect_left(self._sentences, (act.end, ""))
        return "".join(said for _, said in self._sentences[first:last])

    def counts(self, spec: ActSpec, act: SpeechAct, *, ahead: bool) -> bool:
        """Whether words are what they seem beside the others of the turn. ahead: the act is of a later stage than the
        one in which the turn began."""
        if act.fallback and not spec.fallback:
            return False
        # An agreement tells of facts and costs as a judgment does; a question in a question on something else is that
        # one.
        if (self.settles and spec.ends) or (spec.fallback and self._precise and not act.sure):
            return False
        return not (self._tells_rights and not act.named and ahead)  # one of the rights that are told

    def about(self, spec: ActSpec, act: SpeechAct) -> bool:
        """Whether an act shows what the turn is about. An article may be named and a motion be refused anywhere:
        alone they are no judgment."""
        alone = spec.ends and not (self.judged or "deliberate" in self.parts)
        retold = not spec.ends and (self.retells or self._judgment < act.start < self.end)
        return not act.fallback and not alone and not retold

    def demand(self, spec: ActSpec, act: SpeechAct, whom: tuple[Side, ...]) -> None:
        """Count a question, unless it is the other reading of one that was counted."""
        for one, other, _ in self.demands:
            related = set(other.asked) <= set(spec.asked) or set(spec.asked) <= set(other.asked)
            if act.sure <= one.sure and act.shares(one.start, one.end) and related:
                return
        self.demands.append((act, spec, whom))

    def suspect(self, code: str, spec: ActSpec, act: SpeechAct, detail: str = "") -> None:
        """Note a fault that other words of the turn may still excuse."""
        self.suspected.append((ProcedureViolation(code, self.turn.number, spec.id, None, detail), spec, act))

    def blamed(self, pending: Sequence[PendingQuestion]) -> list[ProcedureViolation]:
        """The gravest of what is out of its place, seeing what is asked rightly. A judgment does not ask; a side that
        was rightly asked something was not asked wrongly: the other reading of the words is the doubtful one."""
        asked = [one.found for one in pending if one.credited and one.found.sure]
        everything = [one.found for one in pending]
        faults = [
            fault
            for fault, spec, act in self.suspected
            if not spec.asked or not (self.judged or _excused(fault.code, act, asked, everything))
        ]
        return sorted(faults, key=lambda fault: _GRAVEST.index(fault.code))[:1]

    @property
    def heavy(self) -> bool:
        """Whether its clear words ask too much."""
        return len(self._asked()) > CAP

    def overload(self, profile: Profile, answered: Container[str] = ()) -> Iterator[ProcedureViolation]:
        """What it throws together, each named once. answered: acts that got an answer."""
        demands = self._asked(answered)
        stages = {stage for act, name, stage in self.touched if act is None or act.sure or name in answered}
        if len(demands) > CAP and "bundled" not in self._named:
            names = "、".join(dict.fromkeys(spec.name for spec in demands))
            self._named.add("bundled")
            yield ProcedureViolation("bundled", self.turn.number, demands[CAP].id, None, names)
        if len(stages) >= 3 and "stages_bundled" not in self._named:
            names = "、".join(profile.stages[index].name for index in sorted(stages))
            self._named.add("stages_bundled")
            yield ProcedureViolation("stages_bundled", self.turn.number, "", None, names)

    def _asked(self, answered: Container[str] = ()) -> list[ActSpec]:
        return [spec for act, spec, whom in self.demands if act.sure or spec.id in answered for _ in whom]


def _excused(code: str, act: SpeechAct, asked: Sequence[SpeechAct], pending: Sequence[SpeechAct]) -> bool:
    """Whether words that ask something out of its place are read wrongly."""
    if code == "too_early":
        return any(act.shares(one.start, one.end) for one in asked)
    return bool(asked) or (code == "wrong_addressee" and any(not act.shares(one.start, one.end) for one in pending))
