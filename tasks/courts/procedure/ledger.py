"""What was done towards whom, which questions wait for an answer, and what the answers came to.

The judge's turns are read by `machine`; here stands what is left of them once somebody has spoken: credits, duties
that got no valid answer, exhibits as they were shown and heard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tasks.courts.procedure.acts import Found
from tasks.courts.procedure.exhibits import Exhibits
from tasks.courts.procedure.findings import Credit, Reply, Violation
from tasks.courts.procedure.replies import broken, responsive
from tasks.courts.procedure.tables import ActSpec, Duty, Profile
from tasks.courts.procedure.turns import Hearing, Side, Turn
from tasks.courts.procedure.unmet import Pending, Unanswered
from tasks.courts.simulated.trials import Answers
from tasks.courts.simulated.wording import Reason


class Ledger:
    """The books of one trial.

    `pending`: questions of the judge's last turn that wait; `tried`: acts that were put to a side, whatever came of
    it; `before`: keys of duties that were done before the record begins; `declined`: sides that will not settle;
    `spoke`: sides that have said something since the judge.
    """

    def __init__(self, hearing: Hearing, profile: Profile, duties: Sequence[Duty]) -> None:
        self.hearing = hearing
        self.profile = profile
        self._groups = {duty.key: duty.group for duty in duties}
        self.exhibits = Exhibits(hearing, duties)
        self.answers = Answers(hearing)
        self.unmet = Unanswered(duties, self.exhibits)
        self.credits: dict[str, Credit] = {}
        self.before: set[str] = set()
        self.tried: set[tuple[str, Side | None]] = set()
        self.pending: list[Pending] = []
        self.declined: set[Side] = set()
        self.replies: list[Reply] = []
        self.spoke: set[Side] = set()
        self._reached: set[Side] = set()
        self._unheard: Counter[tuple[str, Side]] = Counter()
        self._unanswered: dict[str, Violation] = {}

    # --- what stands open -------------------------------------------------------------------------------------------

    def ready(self, spec: ActSpec, *, judging: bool = False) -> str:
        """The act that should have come before this one and did not; empty when the ground is laid. judging: what is
        asked in the same breath does not count as heard."""
        for name in spec.after:
            first = self.profile.acts[name]
            needed = first.mandatory(self.hearing) and (not first.exhibits or self.hearing.exhibits)
            if needed and not self._heard(first, judging):
                return name
        return ""

    def _heard(self, spec: ActSpec, judging: bool) -> bool:
        """Whether all sides that an act is put to have had their say, or are asked in this turn."""
        pending = set() if judging else {(one.spec.id, one.side) for one in self.pending}
        whom = {side for act, side in self.tried | pending if act == spec.id}
        return bool(whom) if spec.exhibits or spec.any_side else whom >= set(spec.asked or (None,))

    def open(self, spec: ActSpec, sides: Iterable[Side]) -> bool:
        """Whether one of these sides still owes an answer to an act."""
        if spec.exhibits == "owner":
            return any(self.exhibits.unshown(side) for side in sides)
        if spec.exhibits == "other":
            return any(self.exhibits.to_hear(side) for side in sides)
        if spec.any_side:
            return spec.id not in self.credits
        return any(f"{spec.id}/{side}" not in self.credits for side in sides)

    def not_waiting(self, spec: ActSpec, sides: Iterable[Side]) -> tuple[Side, ...]:
        """Of some sides those that have not been asked this already."""
        waiting = {one.side for one in self.pending if one.spec is spec}
        return tuple(side for side in sides if side not in waiting)

    # --- turns ------------------------------------------------------------------------------------------------------

    def asked(self) -> None:
        """The judge has ended; who is waited for now was reached."""
        self._reached = {one.side for one in self.pending}

    def waived(self, turn: Turn) -> None:
        """A side that was asked twice for its view and gave none may be held to have waived it; that earns no
        credit."""
        if "视为放弃质证" in turn.text:
            for side in self.hearing.sides:
                for item in list(self.exhibits.to_hear(side)):
                    if self._unheard[item.id, side] >= 2:
                        self.exhibits.hear(item, side, turn)

    def hear(self, turn: Turn, side: Side, at: int) -> Reason:
        """A side speaks, `at` this place of the transcript; why that is no answer to anything that was asked, ''
        where it is one."""
        reason = self._reply(turn, side)
        if not broken(turn.text):
            self.spoke.add(side)
        self.replies.append(Reply(at, side, reason))
        return reason

    def expire(self) -> None:
        """The judge goes on: what has got no answer by now gets none."""
        crossed = {one.side for one in self.pending if one.spec.exhibits == "other"}
        self._unheard.update((item.id, side) for side in crossed for item in self.exhibits.to_hear(side))
        self._unanswered.update(self.ignored())
        self.pending.clear()
        self.spoke.clear()

    def ignored(self) -> dict[str, Violation]:
        """What was put to somebody in its place while nobody of those who were asked says anything: it is for the
        judge to ask again. Whoever answers something else, or a part, leaves the duty open but the judge
        blameless."""
        if self.spoke & self._reached:
            return {}
        return {
            key: Violation("no_answer", one.turn.number, one.spec.id, one.side)
            for one in self.pending
            if one.credited and one.found.sure and one.spec.level(self.hearing) in ("must", "bench") and one.addressed
            and (key := one.spec.id if one.spec.any_side or one.spec.exhibits
                else f"{one.spec.id}/{one.side}") not in self.credits
            and not self.unmet.holds(one.spec.id)
        }  # fmt: skip

    def waiting(self) -> list[Violation]:
        """All that never got an answer."""
        return list({**self._unanswered, **self.ignored()}.values())

    # --- replies ----------------------------------------------------------------------------------------------------

    def _reply(self, turn: Turn, side: Side) -> Reason:
        waiting = [one for one in self.pending if one.side == side]
        against = [self.answers.to(one.spec, side, one.turn.text, turn.text, self.exhibits) for one in waiting]
        plain = self.answers.plain(turn, side) or ("" if waiting else self.answers.freely(turn, side))
        if plain or (against and all(against)):
            for one, reason in zip(waiting, against, strict=True):
                self._leave(one, plain or reason)
            return plain or against[0]
        for one in (one for one, reason in zip(waiting, against, strict=True) if not reason):
            if one.spec.exhibits:
                self._evidence(one, turn)
            elif responsive(one.spec.reply, turn.text, self.hearing.names.get(side, ())):
                self.pending.remove(one)
                if one.spec.id == "mediate":
                    (self.declined.add if _refuses(turn.text) else self.declined.discard)(side)
                self._answered(one, "", turn)
        return ""

    def _leave(self, one: Pending, reason: Reason) -> None:
        """What got no valid answer is neither credited nor missing, and what comes behind it may go on."""
        self.pending.remove(one)
        self.tried.add((one.spec.id, one.side))
        if one.credited:
            self.unmet.note(one.spec, one.side, one.turn.number, reason, self.credits)

    def _evidence(self, one: Pending, turn: Turn) -> None:
        side = one.side
        if one.spec.exhibits == "owner":
            self.unmet.shown(side)
            for item in self.exhibits.offered(side, turn.text):
                self.exhibits.show(item, turn)
                self._answered(one, item.id, turn)
        else:
            for item in self.exhibits.heard_on(side, one.turn.text, turn.text):
                self.exhibits.hear(item, side, turn)
                self._answered(one, item.id, turn)

    def _answered(self, one: Pending, exhibit: str, turn: Turn) -> None:
        self.tried.add((one.spec.id, one.side))
        if one.credited and one.earns:
            self.credit(one.spec, one.side, exhibit, one.found, one.turn, turn.number, one.at, one.late)

    def credit(
        self,
        spec: ActSpec,
        side: Side | None,
        exhibit: str,
        act: Found,
        turn: Turn,
        reply: int | None,
        at: int,
        late: bool,
    ) -> None:
        """An act is done, in this turn of the judge at this place, by this reply (None: it asks for none)."""
        if spec.exhibits == "owner":
            key = f"{spec.id}/{exhibit}"
        elif spec.exhibits == "other":
            key = f"{spec.id}/{exhibit}/{side}"
        else:
            key = spec.id if side is None or spec.any_side else f"{spec.id}/{side}"
        group = self._groups.get(key, key)
        self.credits.setdefault(
            key,
            Credit(
                key, group, spec.id, side, exhibit, turn.number, reply, at, spec.order, late, act.by, act.quote[:120]
            ),
        )
        self._unanswered.pop(key, None)
        self.unmet.done(key)


def _refuses(text: str) -> bool:
    return any(word in text for word in ("不同意", "不愿", "拒绝", "不接受", "不调解", "不能", "不可以"))


CAP = 2
"""Demands that one turn may make: an act that is put to two sides is two."""
Demand = tuple[Found, ActSpec, tuple[Side, ...]]
"""Words that ask for something, what, and of whom."""
Touched = tuple[Found | None, str, int]
"""Words (None: a tag), act and stage that it is about."""


@dataclass(slots=True)
class Load:
    """What a turn asks and is about. Doubtful words count when they were understood: by then somebody has answered
    them."""

    turn: Turn
    demands: list[Demand] = field(default_factory=list)
    touched: list[Touched] = field(default_factory=list)
    _told: set[str] = field(default_factory=set)

    def faults(self, profile: Profile, answered: Container[str] = ()) -> Iterator[Violation]:
        """What it throws together, each named once. answered: acts that got an answer."""
        demands = self._asked(answered)
        stages = {stage for act, name, stage in self.touched if act is None or act.sure or name in answered}
        if len(demands) > CAP and "bundled" not in self._told:
            names = "、".join(dict.fromkeys(spec.name for spec in demands))
            self._told.add("bundled")
            yield Violation("bundled", self.turn.number, demands[CAP].id, None, names)
        if len(stages) >= 3 and "stages_bundled" not in self._told:
            names = "、".join(profile.stages[index].name for index in sorted(stages))
            self._told.add("stages_bundled")
            yield Violation("stages_bundled", self.turn.number, "", None, names)

    @property
    def heavy(self) -> bool:
        """Whether its clear words ask too much."""
        return len(self._asked()) > CAP

    def _asked(self, answered: Container[str] = ()) -> list[ActSpec]:
        return [spec for act, spec, whom in self.demands if act.sure or spec.id in answered for _ in whom]
