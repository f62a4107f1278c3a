"""Follows a trial turn by turn: where it is, what has been done towards whom, and what went wrong.

An act of the judge is credited when its words are there, its stage is open (what the opening forgot may be made up
for, and is marked), what must come before it has come from every side that owes it, it is put to the right side, and
that side answers before the judge speaks again. More than two demands in one turn, one for each side that is to
answer, are a fault; what was answered all the same is done. Clear words are blamed at once, doubtful ones when an
answer shows how they were taken; silence is the judge's fault only where all who were asked kept it, whatever the
question was. A judge who says the same again to the same people does nothing. Nothing here reads a judgment or a
model; the same turns give the same course.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tasks.agents.degenerate import EMPTY
from tasks.courts.procedure import bench
from tasks.courts.procedure.acts import INSTEAD, Found, Known, given_floor, parse, sentences
from tasks.courts.procedure.findings import Course, Violation, omissions
from tasks.courts.procedure.ledger import Demand, Ledger, Load
from tasks.courts.procedure.stages import Stages
from tasks.courts.procedure.tables import ActSpec, ProfileName, duties, profile
from tasks.courts.procedure.turn_classifiers import faults_of
from tasks.courts.procedure.turns import SIDE_OF, Hearing, Side, Turn
from tasks.courts.procedure.unmet import Pending
from tasks.courts.simulated.wording import Reason

_JUDGED = ("ruling", "verdict")
_RIGHTS = "rights"
_DEBATED = ("debate", "prosecution")
"""Acts that make a debate; where none is mandatory (the benchmark's civil court) its issues stand for it."""
_GRAVEST = ("judgment_before_debate", "wrong_addressee", "wrong_stage", "too_early")
"""Of what is out of its place in one turn the gravest is named: the others follow from it."""


class Machine:
    """One trial. `feed` turns in order, then ask for the `course`; it may be asked at any time."""

    def __init__(
        self, hearing: Hearing, name: ProfileName = "law", extra: Mapping[int, Sequence[Found]] | None = None
    ) -> None:
        """`extra`: acts found by other means, by place of the turn in the transcript; they pass the same checks."""
        self.hearing = hearing
        self._known = Known.of(hearing)
        self.profile = profile(name, hearing.env)
        self.duties = duties(hearing, name)
        self._extra = extra or {}
        self._stages = Stages(self.profile)
        self._ledger = Ledger(hearing, self.profile, self.duties)
        self._violations: list[Violation] = []
        self._load: Load | None = None
        self._uncalled: set[Side] = set()
        self._homes: list[tuple[int, str]] = []
        self._spoken_for = self._judging = False
        self._began_in = ""
        self._suspected: list[tuple[Violation, ActSpec, Found]] = []
        self._asked: Counter[Side] = Counter()
        self._stage_of: list[str] = []
        self._settled = False
        self._closed = False
        self._judge_turns = 0

    @classmethod
    def resumed(cls, hearing: Hearing, name: ProfileName = "law", *, stage: str, done: Iterable[str] = ()) -> Machine:
        """A trial taken up in a stage: all earlier stages count as held, and `done` (keys) of this one."""
        machine = cls(hearing, name)
        stages, acts = machine._stages, machine.profile.acts.values()
        stages.take_up(stage)
        held = stages.at + bool(stages.floating)
        machine._ledger.tried.update(
            (spec.id, side) for spec in acts if stages.home(spec) < held for side in spec.asked
        )
        given = list(done)
        machine._ledger.before.update(given)
        for key in given:
            act, *names = key.split("/")
            machine._ledger.tried.add((act, next((side for side in hearing.sides if side in names), None)))
        if any(spec.id == "exhibit" and stages.home(spec) < stages.at for spec in acts):
            given += [duty.key for duty in machine.duties if duty.exhibit]
        for key in given:
            act, _, rest = key.partition("/")
            identity, _, side = rest.partition("/")
            machine._ledger.exhibits.take_up(act, identity, side)
        return machine

    # --- feeding ----------------------------------------------------------------------------------------------------

    def feed(self, turn: Turn) -> None:
        """Take the next turn; any speaker, any text."""
        at = len(self._stage_of)
        reason: Reason = ""
        if turn.speaker == "judge":
            self._expire()
            self._ledger.waived(turn)
            # What somebody says before him in his words takes no act from the judge.
            idle = turn.fault in EMPTY and turn.fault != "echo"
            text = "" if idle else bench.spoken_by_judge(turn.text, self.hearing.texts)
            self._judge(replace(turn, text=text), at)
        elif side := SIDE_OF.get(turn.speaker):
            reason = self._ledger.hear(turn, side, at)
        elif turn.speaker == "clerk":
            self._clerk(turn, at)
        self._ledger.answers.hear(turn, reason)
        self._stage_of.append(self._stages.open)

    def _clerk(self, turn: Turn, at: int) -> None:
        for spec in self.profile.acts.values():
            if spec.speaker == "clerk" and re.search(spec.words, turn.text):
                self._ledger.credit(
                    spec, None, "", Found(spec.id, 0, len(turn.text), turn.text[:80]), turn, None, at, False
                )

    def _judge(self, turn: Turn, at: int) -> None:
        self._judge_turns += 1
        if self._closed:  # what is said behind the end is none of the trial
            self._fault("after_end", turn, detail=turn.text[:40])
            return
        self._began_in = self._stages.open
        tagged = self._stages.tagged(turn)
        if tagged and not self._stages.enter(tagged[0], turn.text):
            self._fault("back", turn, detail=self.profile.stages[tagged[0]].name)
        self._homes = list(sentences(turn.text))
        read = parse(turn.text, self.hearing.env, self._known)
        self._spoken_for = self._instead(turn, read)
        table = list(self.profile.acts)
        # In the order of the agenda: the places of words that several sentences say together are rough.
        found = sorted(
            (
                (spec.order, table.index(spec.id), not act.sure, act.start, spec, act)
                for act in (*read, *self._extra.get(at, ()))
                for spec in self.profile.by_family.get(act.act, ())
            ),
            key=lambda one: one[:4],
        )
        self._stages.begin()
        entered = self._stages.announced(turn.text)
        sides = tuple(dict.fromkeys(SIDE_OF[role] for role in turn.to if role in SIDE_OF))
        self._asked.update(sides)
        self._uncalled = set(sides).difference(*(act.named for *_, spec, act in found if spec.asked))
        load = self._load = Load(turn, touched=[(None, "", stage) for stage in tagged])
        end = bench.closing(turn.text)
        # An agreement tells of facts and costs as a judgment does; a question in a question on something else is that
        # one.
        judges = self._judges(read)
        judged = any(spec.id in _JUDGED for *_, spec, _ in found)
        parts = {spec.id for *_, spec, _ in found if spec.ends}
        self._judging = judged and len(parts) > 1
        # From its first words on a judgment retells: that is no other stage, wherever the trial stands.
        told = min((act.start for *_, spec, act in found if spec.ends and act.sure and self._judging), default=end)
        settling = not judged and any(spec.id == "settlement" and self._agrees(spec) for *_, spec, _ in found)
        precise = any(spec.asked and not spec.fallback and act.sure for *_, spec, act in found)
        telling = any(spec.id == _RIGHTS and act.sure for *_, spec, act in found)
        for *_, spec, act in found:
            while entered and entered[0] <= self.profile.stage(spec.stages[-1]):
                self._stages.enter(entered.pop(0), turn.text)
            if spec.level(self.hearing) == "none" or (act.fallback and not spec.fallback):
                continue
            if (settling and spec.ends) or (spec.fallback and precise and not act.sure):
                continue
            if telling and not act.named and self._stages.home(spec) > self._stages.begun:
                continue  # one of the rights that are told
            if spec.asked and act.start >= end:
                self._fault("after_end", turn, spec.id, detail=act.quote[:40])
                continue
            # An article may be named and a motion be refused anywhere: alone they are no judgment.
            alone = spec.ends and not (judged or "deliberate" in parts)
            retold = not spec.ends and (judges or told < act.start < end)
            if not act.fallback and not alone and not retold:
                load.touched += [(act, spec.id, stage) for stage in self._stages.touched(spec)]
            if spec.asked:
                self._ask(spec, act, turn, at, sides, load.demands)
            else:
                self._announce(spec, act, turn, at)
        for index in entered:
            self._stages.enter(index, turn.text)
        floor = given_floor(turn.text, self.hearing.env, self._known) if self.profile.name == "law" else frozenset()
        if self.profile.name == "law" and not found and len(sides) == 1 and turn.text.rstrip()[-1:] in ("？", "?"):
            floor |= set(sides)  # a question to one side that is read as nothing
        for side in floor - {one.side for one in self._ledger.pending}:
            self._hand_over(side, turn, at)
        self._ledger.asked()
        # A side that was rightly asked something was not asked wrongly, nor does a judgment ask: the other reading of
        # the words is the doubtful one.
        asked = [one.found for one in self._ledger.pending if one.credited and one.found.sure]
        blamed = [
            fault
            for fault, spec, act in self._suspected
            if not spec.asked or not (judged or self._excused(fault, act, asked))
        ]
        self._violations += sorted(blamed, key=lambda fault: _GRAVEST.index(fault.code))[:1]
        self._suspected.clear()
        if self._spoken_for:  # he does not demand what he says himself
            load.demands.clear()
        self._violations += load.faults(self.profile)
        if load.heavy:
            first = min((self._stages.home(one.spec) for one in self._ledger.pending if one.credited), default=-1)
            open_here = {first, *self._stages.anywhere}
            self._ledger.pending = [
                replace(one, earns=self._stages.home(one.spec) in open_here) for one in self._ledger.pending
            ]
        if self.profile.name == "j1" and len({pending.side for pending in self._ledger.pending}) > 1:
            self._fault("two_addressees", turn)
        self._closed = self._closed or bench.closes(turn.text)

    def _excused(self, fault: Violation, act: Found, asked: Sequence[Found]) -> bool:
        """Whether words that ask something out of its place are read wrongly, seeing what was asked rightly."""
        if fault.code == "too_early":
            return any(act.shares(one.start, one.end) for one in asked)
        others = (one.found for one in self._ledger.pending) if fault.code == "wrong_addressee" else ()
        return bool(asked) or any(not act.shares(one.start, one.end) for one in others)

    def _judges(self, read: Sequence[Found]) -> bool:
        """Whether a turn is a judgment behind a debate, which retells a whole trial."""
        law = profile("law", self.hearing.env).acts
        return self._debated() and len({act.act for act in read if act.act in law and law[act.act].ends}) > 1

    def _instead(self, turn: Turn, read: Sequence[Found]) -> bool:
        """Whether the judge says what others have to say; a judgment retells what they said."""
        told = [act.quote for act in read if act.act == INSTEAD and act.sure]
        law = profile("law", self.hearing.env).acts
        own = [(act.start, act.end) for act in read if act.sure and act.act in law and law[act.act].asked]
        words = bench.speaks_for(turn.text, own) or (told[0] if told and not self._judges(read) else "")
        if words:
            self._fault("speaks_for_party", turn, detail=words[:60])
        return bool(words)

    # --- acts -------------------------------------------------------------------------------------------------------

    def _ready(self, spec: ActSpec) -> str:
        """The act that should have come first and did not; a judgment does not wait for what it asks in the same
        breath."""
        return self._ledger.ready(spec, judging=self._judging)

    def _agrees(self, settlement: ActSpec) -> bool:
        """Whether all were asked to settle and nobody declined."""
        return not self._ledger.declined and not self._ready(settlement)

    def _needed(self, spec: ActSpec) -> bool:
        """Whether the case needs an act; nobody is blamed for where he speaks of what it does not need."""
        return set(spec.when) <= self.hearing.needs | {"settled"}

    def _announce(self, spec: ActSpec, act: Found, turn: Turn, at: int) -> None:
        if spec.id == "admission":
            told = {(fault.code, fault.detail) for fault in self._violations if fault.code == "uncrossed_relied"}
            for code, title in dict.fromkeys(self._ledger.exhibits.rule(turn)):
                if (code, title) not in told:
                    self._fault(code, turn, spec.id, detail=title)
        missing = self._ready(spec)
        place = self._stages.place(spec, not missing)
        sure = act.sure or (spec.id in _JUDGED and self._judging)
        undebated = spec.id in _JUDGED and sure and not self._debated()
        if undebated:
            self._suspected.append((Violation("judgment_before_debate", turn.number, spec.id), spec, act))
        if missing or place in ("early", "wrong"):
            fresh = (
                (spec.id, None) not in self._ledger.tried and (not spec.ends or spec.id in _JUDGED) and not undebated
            )
            if sure and fresh and self._needed(spec):
                code = "too_early" if missing else "wrong_stage"
                detail = self.profile.acts[missing].name if missing else self._stages.name
                self._suspected.append((Violation(code, turn.number, spec.id, None, detail), spec, act))
            return
        if spec.id == "settlement":
            if not self._agrees(spec):
                return
            self._settled = True
        self._ledger.tried.add((spec.id, None))
        self._ledger.credit(spec, None, "", act, turn, None, at, place == "late")

    def _ask(
        self,
        spec: ActSpec,
        act: Found,
        turn: Turn,
        at: int,
        sides: tuple[Side, ...],
        counted: list[Demand],
    ) -> None:
        """Put a question on the list of those that wait for an answer, or say why it is none."""
        unseen = spec.exhibits == "other" and any(
            self._ledger.exhibits.unseen(words, sides or spec.asked) for words in (turn.text, act.quote)
        )
        targets, wrong = self._targets(spec, act, sides, unseen)
        if spec.exhibits and sides and self._ledger.exhibits.misdirected(spec, self._around(act), act.named or sides):
            targets, wrong = (), True
        if not targets and not wrong:
            return
        if targets and not (targets := self._ledger.not_waiting(spec, targets)):
            return
        overlaps = any(
            act.sure <= one.sure and act.shares(one.start, one.end)
            and (set(other.asked) <= set(spec.asked) or set(spec.asked) <= set(other.asked))
            for one, other, _ in counted
        )  # fmt: skip
        again = bool(targets) and {f"{spec.id}/{side}" for side in targets} <= self._ledger.before
        # Doubtful words may earn what they ask for; nobody is blamed for them.
        if not overlaps and not again:
            counted.append((act, spec, targets))
        missing = self._ready(spec)
        showing = any(one.spec.exhibits == "owner" for one in self._ledger.pending)
        if unseen and not showing:
            missing = "exhibit"
        place = self._stages.place(spec, not missing)
        # What was asked in its place and got no answer may be spoken of again.
        stray = act.fallback or not self._needed(spec) or self._ledger.unmet.holds(spec.id)
        fine = not missing and place in ("ok", "late")
        if act.sure and sides and not stray and (wrong or not fine):
            if wrong and fine:
                code, detail = "wrong_addressee", "、".join(sides)
            elif missing and (place in ("ok", "late") or self._stages.next(spec)):
                code, detail = "too_early", self.profile.acts[missing].name
            else:
                code, detail = "wrong_stage", self._stages.name
            self._suspected.append((Violation(code, turn.number, spec.id, None, detail), spec, act))
        for side in targets:
            self._ledger.pending.append(
                Pending(spec, side, act, turn, at, place == "late", fine, bool(sides) and not self._spoken_for)
            )

    def _hand_over(self, side: Side, turn: Turn, at: int) -> None:
        """The floor is given to a side without a word of what for: for what it owes next. The answer may earn that;
        nobody is blamed for it."""
        owed = (
            spec
            for spec in sorted(self.profile.acts.values(), key=lambda spec: spec.order)
            if side in spec.asked
            and not spec.exhibits
            and self._stages.at in map(self.profile.stage, spec.stages)
            and spec.level(self.hearing) in ("must", "practice", "may")
            and self._needed(spec)
            and (spec.id, side) not in self._ledger.tried
            and not self._ready(spec)
        )
        if spec := next(owed, None):
            found = Found(spec.id, 0, len(turn.text), turn.text, sure=False)
            self._ledger.pending.append(Pending(spec, side, found, turn, at, False, True))

    def _targets(
        self, spec: ActSpec, act: Found, sides: tuple[Side, ...], unseen: bool
    ) -> tuple[tuple[Side, ...], bool]:
        """The sides a question reaches; and whether it went to a side that does not owe the answer. unseen: it is
        about exhibits that nobody has offered yet."""
        heard = sides or tuple(act.named) or self.hearing.sides
        if act.named and not act.named & set(heard):
            return (), self._ledger.open(spec, spec.asked)
        asked = [side for side in spec.asked if side in heard]
        if act.named <= set(heard):  # whoever is named and not spoken to is only spoken of
            asked = [side for side in asked if side in act.named | self._uncalled] or asked
        if spec.exhibits == "other" and not self.hearing.exhibits:
            return (), False
        if spec.exhibits == "other":
            showing = {pending.side for pending in self._ledger.pending if pending.spec.exhibits == "owner"}
            able = [side for side in asked if self._ledger.exhibits.to_hear(side) or showing - {side}]
            if not able and asked and any(self._ledger.exhibits.to_hear(side) for side in spec.asked):
                return (), True
            # A side that was heard on all that was shown owes nothing when it is asked about an exhibit once more.
            return tuple(able if showing or (self._ledger.exhibits.begun() and not unseen) else asked), False
        open_sides = tuple(side for side in asked if self._ledger.open(spec, (side,)))
        return open_sides, not asked and self._ledger.open(spec, spec.asked)

    def _around(self, act: Found) -> str:
        """The sentences of this turn that an act stands in."""
        first = max(bisect_right(self._homes, (act.start, chr(sys.maxunicode))) - 1, 0)
        last = bisect_left(self._homes, (act.end, ""))
        return "".join(said for _, said in self._homes[first:last])

    def _expire(self) -> None:
        if self._load:
            number = self._load.turn.number
            understood = {credit.act for credit in self._ledger.credits.values() if credit.turn == number}
            self._violations += self._load.faults(self.profile, understood)
            self._violations += self._as_a_whole()
            self._load = None
        self._ledger.expire()

    def _as_a_whole(self) -> list[Violation]:
        """What only the whole of the turn shows to be wrong; silence only where somebody who was asked kept it."""
        if self._load is None or self.profile.name != "law":
            return []
        turn = self._load.turn
        named = {fault.code for fault in self._violations if fault.turn == turn.number}
        if self._ledger.ignored() or self._ledger.spoke.issuperset(
            SIDE_OF[role] for role in turn.to if role in SIDE_OF
        ):
            named.add("no_answer")
        codes = faults_of(turn.text, f"{self.hearing.env}/{self._began_in}", self._known) - named
        return [Violation(code, turn.number, detail=turn.text[:40], clear=False) for code in sorted(codes)]

    # --- results ----------------------------------------------------------------------------------------------------

    def _debated(self) -> bool:
        """Whether there was a debate where one is owed; one that is only asked for in the same turn is none."""
        acts = [act for name, act in self.profile.acts.items() if name in _DEBATED and act.mandatory(self.hearing)]
        wanted = acts or [
            act for name, act in self.profile.acts.items() if name == "issues" and act.mandatory(self.hearing)
        ]
        return (
            not wanted
            or self._settled
            or any({(act.id, side) for side in act.asked} <= self._ledger.tried for act in wanted)
        )

    def _fault(self, code: str, turn: Turn, act: str = "", side: Side | None = None, detail: str = "") -> None:
        self._violations.append(Violation(code, turn.number, act, side, detail))

    def course(self, *, final: bool = True) -> Course:
        """Where the trial stands; `final` adds what was never done and what never got an answer."""
        course = Course(
            self.hearing, self.profile, self.duties, tuple(self._ledger.credits.values()), tuple(self._violations),
            dict(self._ledger.exhibits.state), self._stages.open, tuple(self._stage_of),
            self._settled, self._closed, self._judge_turns, self._ledger.unmet.all(), tuple(self._ledger.replies),
        )  # fmt: skip
        if not final:
            return course
        left = omissions(course, self._ledger.waiting(), self._ledger.exhibits.titles, self._asked)
        return replace(course, violations=(*course.violations, *self._as_a_whole(), *left))


def follow(
    turns: Iterable[Turn],
    hearing: Hearing,
    name: ProfileName = "law",
    extra: Mapping[int, Sequence[Found]] | None = None,
) -> Course:
    """The course of a whole transcript."""
    machine = Machine(hearing, name, extra)
    for turn in turns:
        machine.feed(turn)
    return machine.course()
