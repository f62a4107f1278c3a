"""Tracks a trial turn by turn: where it is, what has been done towards whom, and what went wrong.

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
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from threading import Lock
from typing import Literal

from tasks.agents.degenerate import EMPTY
from tasks.courts.procedure.acts import (
    INSTEAD,
    CaseNames,
    SpeechAct,
    answer_for_other,
    closes,
    cut,
    faults_of,
    given_floor,
    parse,
    reopens,
    spoken_by_judge,
    stages_tagged,
)
from tasks.courts.procedure.credits import Act, Credits, PendingQuestion
from tasks.courts.procedure.model import (
    ActSpec,
    Hearing,
    ProcedureViolation,
    Profile,
    ProfileName,
    Reason,
    Side,
    TrialState,
    Turn,
    duties,
    omissions,
    profile,
    sides_of,
)
from tasks.courts.procedure.reading import JUDGED, JudgeTurn

_DEBATED = ("debate", "prosecution")
"""Acts that make a debate; where none is mandatory (the benchmark's civil court) its issues stand for it."""
KEPT = 32
"""Trials whose trackers are kept."""
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
        tagged = stages_tagged(turn.text, self.profile)
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
        elif index >= self.at or reopens(text):
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


class Tracker:
    """One trial. `feed` turns in order, then ask for the `course`; it may be asked at any time."""

    def __init__(self, hearing: Hearing, name: ProfileName = "law") -> None:
        self.hearing = hearing
        self.profile = profile(name, hearing.env)
        self.duties = duties(hearing, name)
        self.turns: list[Turn] = []
        self._known = CaseNames.of(hearing)
        self._stages = Stages(self.profile)
        self._credits = Credits(hearing, self.profile, self.duties)
        self._violations: list[ProcedureViolation] = []
        self._reading: JudgeTurn | None = None
        self._asked: Counter[Side] = Counter()
        self._stage_of: list[str] = []
        self._settled = False
        self._closed = False
        self._judge_turns = 0

    @classmethod
    def resumed(cls, hearing: Hearing, name: ProfileName = "law", *, stage: str, done: Iterable[str] = ()) -> Tracker:
        """A trial taken up in a stage: all earlier stages count as held, and `done` (keys) of this one."""
        tracker = cls(hearing, name)
        stages, acts = tracker._stages, tracker.profile.acts.values()
        stages.take_up(stage)
        held = stages.at + bool(stages.floating)
        tracker._credits.tried.update(
            (spec.id, side) for spec in acts if stages.home(spec) < held for side in spec.asked
        )
        given = list(done)
        tracker._credits.before.update(given)
        for key in given:
            act, *names = key.split("/")
            tracker._credits.tried.add((act, next((side for side in hearing.sides if side in names), None)))
        if any(spec.id == "exhibit" and stages.home(spec) < stages.at for spec in acts):
            given += [duty.key for duty in tracker.duties if duty.exhibit]
        for key in given:
            act, _, rest = key.partition("/")
            identity, _, side = rest.partition("/")
            tracker._credits.exhibits.take_up(act, identity, side)
        return tracker

    # --- feeding ----------------------------------------------------------------------------------------------------

    def feed(self, turn: Turn) -> None:
        """Take the next turn; any speaker, any text."""
        at = len(self.turns)
        reason: Reason = ""
        if turn.speaker == "judge":
            self._expire()
            self._credits.waived(turn)
            # What somebody says before him in his words takes no act from the judge.
            idle = turn.fault in EMPTY and turn.fault != "echo"
            text = "" if idle else spoken_by_judge(turn.text, self.hearing.texts)
            self._judge(replace(turn, text=text), at)
        elif side := self.hearing.side(turn.speaker):
            reason = self._credits.hear(turn, side, at)
        elif turn.speaker == "clerk":
            for spec in self.profile.acts.values():
                if spec.speaker == "clerk" and re.search(spec.words, turn.text):
                    found = SpeechAct(spec.id, 0, len(turn.text), turn.text[:80])
                    self._credits.credit(Act(spec=spec, found=found, turn=turn, at=at))
        self._credits.answers.hear(turn, reason)
        self.turns.append(turn)
        self._stage_of.append(self._stages.open)

    def _judge(self, turn: Turn, at: int) -> None:
        self._judge_turns += 1
        if self._closed:  # what is said behind the end is none of the trial
            self._fault("after_end", turn, detail=turn.text[:40])
            return
        began_in = self._stages.open
        tagged = self._stages.tagged(turn)
        if tagged and not self._stages.enter(tagged[0], turn.text):
            self._fault("back", turn, detail=self.profile.stages[tagged[0]].name)
        now = self._reading = self._read(turn, at, began_in)
        now.touched += [(None, "", stage) for stage in tagged]
        self._asked.update(now.sides)
        if now.instead:
            self._fault("speaks_for_party", turn, detail=now.instead[:60])
        self._stages.begin()
        entered = self._stages.announced(turn.text)
        for spec, act in now.acts:
            while entered and entered[0] <= self.profile.stage(spec.stages[-1]):
                self._stages.enter(entered.pop(0), turn.text)
            self._act(now, spec, act)
        for index in entered:
            self._stages.enter(index, turn.text)
        self._give_floor(now)
        self._credits.asked()
        self._violations += now.blamed(self._credits.pending)
        if now.instead:  # he does not demand what he says himself
            now.demands.clear()
        self._violations += now.overload(self.profile)
        if now.heavy:
            self._earn_one_stage()
        if self.profile.name == "j1" and len({one.side for one in self._credits.pending}) > 1:
            self._fault("two_addressees", turn)
        self._closed = closes(turn.text)

    def _read(self, turn: Turn, at: int, stage: str) -> JudgeTurn:
        law = profile("law", self.hearing.env).acts
        read = parse(turn.text, self.hearing.env, self._known)
        retells = self._debated() and len({one.act for one in read if one.act in law and law[one.act].ends}) > 1
        own = [(one.start, one.end) for one in read if one.sure and one.act in law and law[one.act].asked]
        told = [one.quote for one in read if one.act == INSTEAD and one.sure]
        instead = answer_for_other(turn.text, own) or (told[0] if told and not retells else "")
        table = list(self.profile.acts)
        # In the order of the agenda: the places of words that several sentences say together are rough.
        acts = sorted(
            ((spec, act) for act in read for spec in self.profile.by_family.get(act.act, ())),
            key=lambda one: (one[0].order, table.index(one[0].id), not one[1].sure, one[1].start),
        )
        now = JudgeTurn(turn, at, stage, sides_of(self.hearing.env, turn.to), acts, retells, instead)
        settlements = (spec for spec, _ in acts if spec.id == "settlement")
        now.settles = not now.judged and any(self._agrees(spec, now) for spec in settlements)
        return now

    def _act(self, now: JudgeTurn, spec: ActSpec, act: SpeechAct) -> None:
        ahead = self._stages.home(spec) > self._stages.begun
        if spec.level(self.hearing) == "none" or not now.counts(spec, act, ahead=ahead):
            return
        if spec.asked and act.start >= now.end:
            self._fault("after_end", now.turn, spec.id, detail=act.quote[:40])
            return
        if now.about(spec, act):
            now.touched += [(act, spec.id, stage) for stage in self._stages.touched(spec)]
        if spec.asked:
            self._ask(now, spec, act)
        else:
            self._announce(now, spec, act)

    def _give_floor(self, now: JudgeTurn) -> None:
        """Sides that are called upon without a word of what for speak on what they owe next. The answer may earn
        that; nobody is blamed for it."""
        if self.profile.name != "law":
            return
        called = given_floor(now.turn.text, self.hearing.env, self._known)
        if not now.acts and len(now.sides) == 1 and now.turn.text.rstrip()[-1:] in ("？", "?"):
            called |= set(now.sides)  # a question to one side that is read as nothing
        for side in called - {one.side for one in self._credits.pending}:
            owed = (
                spec
                for spec in sorted(self.profile.acts.values(), key=lambda spec: spec.order)
                if side in spec.asked
                and not spec.exhibits
                and self._stages.at in map(self.profile.stage, spec.stages)
                and spec.level(self.hearing) in ("must", "practice", "may")
                and self._needed(spec)
                and (spec.id, side) not in self._credits.tried
                and not self._ready(spec, now)
            )
            if spec := next(owed, None):
                found = SpeechAct(spec.id, 0, len(now.turn.text), now.turn.text, sure=False)
                self._credits.pending.append(
                    PendingQuestion(spec=spec, side=side, found=found, turn=now.turn, at=now.at)
                )

    def _earn_one_stage(self) -> None:
        """Of a turn that asks too much only what belongs to the first stage earns."""
        home, pending = self._stages.home, self._credits.pending
        first = min((home(one.spec) for one in pending if one.credited), default=-1)
        here = {first, *self._stages.anywhere}
        self._credits.pending = [replace(one, earns=home(one.spec) in here) for one in pending]

    # --- acts -------------------------------------------------------------------------------------------------------

    def _ready(self, spec: ActSpec, now: JudgeTurn) -> str:
        """The act that should have come first and did not; a judgment does not wait for what it asks in the same
        breath."""
        return self._credits.ready(spec, judging=now.judging)

    def _agrees(self, settlement: ActSpec, now: JudgeTurn) -> bool:
        """Whether all were asked to settle and nobody declined."""
        return not self._credits.declined and not self._ready(settlement, now)

    def _needed(self, spec: ActSpec) -> bool:
        """Whether the case needs an act; nobody is blamed for where he speaks of what it does not need."""
        return set(spec.when) <= self.hearing.needs | {"settled"}

    def _announce(self, now: JudgeTurn, spec: ActSpec, act: SpeechAct) -> None:
        if spec.id == "admission":
            self._rule_on_exhibits(now.turn)
        missing = self._ready(spec, now)
        place = self._stages.place(spec, not missing)
        sure = act.sure or (spec.id in JUDGED and now.judging)
        undebated = spec.id in JUDGED and sure and not self._debated()
        if undebated:
            now.suspect("judgment_before_debate", spec, act)
        if missing or place in ("early", "wrong"):
            fresh = (spec.id, None) not in self._credits.tried and not undebated
            if sure and fresh and (not spec.ends or spec.id in JUDGED) and self._needed(spec):
                detail = self.profile.acts[missing].name if missing else self._stages.name
                now.suspect("too_early" if missing else "wrong_stage", spec, act, detail)
            return
        if spec.id == "settlement":
            if not self._agrees(spec, now):
                return
            self._settled = True
        self._credits.tried.add((spec.id, None))
        self._credits.credit(Act(spec=spec, found=act, turn=now.turn, at=now.at, late=place == "late"))

    def _rule_on_exhibits(self, turn: Turn) -> None:
        told = {fault.detail for fault in self._violations if fault.code == "uncrossed_relied"}
        for code, title in dict.fromkeys(self._credits.exhibits.rule(turn)):
            if code != "uncrossed_relied" or title not in told:
                self._fault(code, turn, "admission", detail=title)

    def _ask(self, now: JudgeTurn, spec: ActSpec, act: SpeechAct) -> None:
        """Put a question on the list of those that wait for an answer, or say why it is none."""
        exhibits = self._credits.exhibits
        unseen = spec.exhibits == "other" and any(
            exhibits.unseen(words, now.sides or spec.asked) for words in (now.turn.text, act.quote)
        )
        targets, wrong = self._targets(now, spec, act, unseen)
        if spec.exhibits and now.sides and exhibits.misdirected(spec, now.around(act), act.named or now.sides):
            targets, wrong = (), True
        if not targets and not wrong:
            return
        if targets and not (targets := self._credits.not_waiting(spec, targets)):
            return
        # Doubtful words may earn what they ask for; nobody is blamed for them.
        if not targets or not {f"{spec.id}/{side}" for side in targets} <= self._credits.before:
            now.demand(spec, act, targets)
        missing = self._ready(spec, now)
        if unseen and not any(one.spec.exhibits == "owner" for one in self._credits.pending):
            missing = "exhibit"
        place = self._stages.place(spec, not missing)
        fine = not missing and place in ("ok", "late")
        # What was asked in its place and got no answer may be spoken of again.
        stray = act.fallback or not self._needed(spec) or self._credits.unmet.holds(spec.id)
        if act.sure and now.sides and not stray and (wrong or not fine):
            if wrong and fine:
                code, detail = "wrong_addressee", "、".join(now.sides)
            elif missing and (place in ("ok", "late") or self._stages.next(spec)):
                code, detail = "too_early", self.profile.acts[missing].name
            else:
                code, detail = "wrong_stage", self._stages.name
            now.suspect(code, spec, act, detail)
        addressed = bool(now.sides) and not now.instead
        self._credits.pending += [
            PendingQuestion(
                spec=spec, side=side, found=act, turn=now.turn, at=now.at, late=place == "late", credited=fine,
                addressed=addressed,
            )
            for side in targets
        ]  # fmt: skip

    def _targets(self, now: JudgeTurn, spec: ActSpec, act: SpeechAct, unseen: bool) -> tuple[tuple[Side, ...], bool]:
        """The sides a question reaches; and whether it went to a side that does not owe the answer. unseen: it is
        about exhibits that nobody has offered yet."""
        exhibits = self._credits.exhibits
        heard = now.sides or tuple(act.named) or self.hearing.sides
        if act.named and not act.named & set(heard):
            return (), self._credits.open(spec, spec.asked)
        asked = [side for side in spec.asked if side in heard]
        if act.named <= set(heard):  # whoever is named and not spoken to is only spoken of
            asked = [side for side in asked if side in act.named | now.uncalled] or asked
        if spec.exhibits != "other":
            open_sides = tuple(side for side in asked if self._credits.open(spec, (side,)))
            return open_sides, not asked and self._credits.open(spec, spec.asked)
        if not self.hearing.exhibits:
            return (), False
        showing = {one.side for one in self._credits.pending if one.spec.exhibits == "owner"}
        able = [side for side in asked if exhibits.to_hear(side) or showing - {side}]
        if not able and asked and any(exhibits.to_hear(side) for side in spec.asked):
            return (), True
        # A side that was heard on all that was shown owes nothing when it is asked about an exhibit once more.
        return tuple(able if showing or (exhibits.begun() and not unseen) else asked), False

    def _expire(self) -> None:
        if now := self._reading:
            credits = self._credits.credits.values()
            understood = {credit.act for credit in credits if credit.turn == now.turn.number}
            self._violations += now.overload(self.profile, understood)
            self._violations += self._as_a_whole()
            self._reading = None
        self._credits.expire()

    def _as_a_whole(self) -> list[ProcedureViolation]:
        """What only the whole of the turn shows to be wrong; silence only where somebody who was asked kept it."""
        if self._reading is None or self.profile.name != "law":
            return []
        now = self._reading
        named = {fault.code for fault in self._violations if fault.turn == now.turn.number}
        if self._credits.ignored() or self._credits.spoke.issuperset(now.sides):
            named.add("no_answer")
        codes = faults_of(now.turn.text, f"{self.hearing.env}/{now.stage}", self._known) - named
        return [
            ProcedureViolation(code, now.turn.number, detail=now.turn.text[:40], clear=False)
            for code in sorted(codes)
        ]

    # --- results ----------------------------------------------------------------------------------------------------

    def _debated(self) -> bool:
        """Whether there was a debate where one is owed; one that is only asked for in the same turn is none."""
        owed = [act for act in self.profile.acts.values() if act.mandatory(self.hearing)]
        wanted = [act for act in owed if act.id in _DEBATED] or [act for act in owed if act.id == "issues"]
        held = ({(act.id, side) for side in act.asked} <= self._credits.tried for act in wanted)
        return not wanted or self._settled or any(held)

    def _fault(self, code: str, turn: Turn, act: str = "", side: Side | None = None, detail: str = "") -> None:
        self._violations.append(ProcedureViolation(code, turn.number, act, side, detail))

    def course(self, *, final: bool = True) -> TrialState:
        """Where the trial stands; `final` adds what was never done and what never got an answer."""
        credits = self._credits
        course = TrialState(
            self.hearing, self.profile, self.duties, tuple(credits.credits.values()), tuple(self._violations),
            dict(credits.exhibits.state), self._stages.open, tuple(self._stage_of), self._settled, self._closed,
            self._judge_turns, credits.unmet.all(), tuple(credits.replies),
        )  # fmt: skip
        if not final:
            return course
        left = omissions(course, credits.waiting(), credits.exhibits.titles, self._asked)
        return replace(course, violations=(*course.violations, *self._as_a_whole(), *left))


_kept: list[Tracker] = []
_lock = Lock()


def follow(turns: Iterable[Turn], hearing: Hearing, name: ProfileName = "law", *, final: bool = True) -> TrialState:
    """The course of a transcript. The trackers of the last trials are kept: who has followed the first turns of one
    goes on from there, so that nothing is read twice while a trial is played, nor for its first score."""
    turns = tuple(turns)
    tracker = _taken(turns, hearing, name) or Tracker(hearing, name)
    for turn in turns[len(tracker.turns) :]:
        tracker.feed(turn)
    course = tracker.course(final=final)
    with _lock:
        _kept.insert(0, tracker)
        del _kept[KEPT:]
    return course


def _taken(turns: tuple[Turn, ...], hearing: Hearing, name: ProfileName) -> Tracker | None:
    with _lock:
        for place, tracker in enumerate(_kept):
            same = tracker.hearing is hearing and tracker.profile.name == name
            if same and tuple(tracker.turns) == turns[: len(tracker.turns)]:
                return _kept.pop(place)
    return None
