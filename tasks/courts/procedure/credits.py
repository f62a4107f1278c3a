"""What was done towards whom, which questions wait for an answer, and what the answers came to.

The judge's turns are read by `tracker`; here stands what is left of them once somebody has spoken: credits, duties
that got no valid answer (未得有效回应), exhibits as they were shown and heard. A statement of claims holds the claims
of the file, an answer takes a position on each, an indictment is that of the file, an exhibit is offered by number or
title, an opinion names what it is on and keeps the objections of the file; all else is answered by words that say
anything to it (`answers`). What a simulator leaves out may keep others from their part: nobody can be heard on an
exhibit that was never shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from store.text.money import sums_in
from tasks.agents import degenerate
from tasks.agents.degenerate import EMPTY, denies
from tasks.courts.procedure.acts import CaseNames, SpeechAct
from tasks.courts.procedure.answers import LINES, broken, court_language, fault, may_answer, replies, responsive
from tasks.courts.procedure.exhibits import Exhibits, items_named
from tasks.courts.procedure.model import (
    ActSpec,
    CasePoint,
    Credit,
    Duty,
    Hearing,
    PartyReply,
    ProcedureViolation,
    Profile,
    Reason,
    Side,
    SideMaterial,
    Turn,
    UnmetDuty,
)
from tasks.courts.scores.bigrams import bigrams, recall

MADE = 0.35
"""A point is made when so many of its pairs are said; with one of its amounts a third of that is enough."""
LEAST: Mapping[str, float] = {"claim": 0.5, "answer": 0.5}
"""Act -> share of its points that an answer makes; of a longer text (an indictment, which may be read in extracts, an
opinion) one sentence is enough."""
OWN = 2
"""Pairs of what it holds, beside those of the question, that a side says when it is given the floor."""
KEPT = 0.3
"""An objection is kept when so many of its pairs are said."""
_ALL = re.compile(r"(?:全部|所有|各项|任何|其余|其他)[^，。；]{0,6}(?:请求|主张)")
_CONTESTED = re.compile(r"(?<![没无])有[^没无，。；]{0,6}(?:异议|意见)|不(?:予|能)?(?:认可|承认|证明|采信|真实|合法)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What the judge does by some words of a turn at this place of the transcript. late: made up for."""

    spec: ActSpec
    found: SpeechAct
    turn: Turn
    at: int
    late: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingQuestion(Act):
    """A question that waits for the answer of a side.

    credited: False out of its place, so that an answer earns nothing, but what is built on it may stand; addressed:
    False where nobody was spoken to, so that nobody need have answered; earns: False where it is of another stage
    than the first that a turn with too many demands is about.
    """

    side: Side
    credited: bool = True
    addressed: bool = True
    earns: bool = True


class OpenDuties:
    """The duties of a hearing that wait for an answer which their side failed to give, by key."""

    def __init__(self, duties: Sequence[Duty], exhibits: Exhibits) -> None:
        self._duties = duties
        self._exhibits = exhibits
        self._kept: dict[str, UnmetDuty] = {}

    def note(self, spec: ActSpec, side: Side, turn: int, reason: Reason, credited: Iterable[str]) -> None:
        """An act was put to a side in its place, in this turn of the judge, and the reply was none for this
        reason."""
        items: set[str] = set()
        if spec.exhibits == "owner":
            items = {item.id for item in self._exhibits.unshown(side)}
        elif spec.exhibits:
            items = {item.id for item in self._exhibits.to_hear(side)}
            self._exhibits.excused.update((item, side) for item in items)
        for duty in self._duties:
            held_back = spec.exhibits == "owner" and duty.exhibit in items
            mine = duty.spec is spec and duty.side in (None, side) and (not spec.exhibits or duty.exhibit in items)
            if (held_back or mine) and duty.key not in credited:
                self._kept.setdefault(duty.key, UnmetDuty(duty.key, duty.spec.id, side, turn, reason))

    def done(self, key: str) -> None:
        """A duty was credited after all."""
        self._kept.pop(key, None)

    def shown(self, side: Side) -> None:
        """A side has begun to show what it has: what it still holds back may be asked for again."""
        waiting = {item.id for item in self._exhibits.hearing.exhibits if item.owner == side}
        lifted = {duty.key for duty in self._duties if duty.exhibit in waiting}
        self._kept = {key: one for key, one in self._kept.items() if one.side != side or key not in lifted}

    def holds(self, act: str) -> bool:
        """Whether some duty of an act is among them."""
        return any(one.act == act for one in self._kept.values())

    def all(self) -> tuple[UnmetDuty, ...]:
        """Those of the judge's mandatory duties."""
        owed = {duty.key for duty in self._duties if duty.mandatory}
        return tuple(one for one in self._kept.values() if one.key in owed)


class Credits:
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
        self.unmet = OpenDuties(duties, self.exhibits)
        self.credits: dict[str, Credit] = {}
        self.before: set[str] = set()
        self.tried: set[tuple[str, Side | None]] = set()
        self.pending: list[PendingQuestion] = []
        self.declined: set[Side] = set()
        self.replies: list[PartyReply] = []
        self.spoke: set[Side] = set()
        self._reached: set[Side] = set()
        self._unheard: Counter[tuple[str, Side]] = Counter()
        self._unanswered: dict[str, ProcedureViolation] = {}

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
        self.replies.append(PartyReply(at, side, reason))
        return reason

    def expire(self) -> None:
        """The judge goes on: what has got no answer by now gets none."""
        crossed = {one.side for one in self.pending if one.spec.exhibits == "other"}
        self._unheard.update((item.id, side) for side in crossed for item in self.exhibits.to_hear(side))
        self._unanswered.update(self.ignored())
        self.pending.clear()
        self.spoke.clear()

    def ignored(self) -> dict[str, ProcedureViolation]:
        """What was put to somebody in its place while nobody of those who were asked says anything: it is for the
        judge to ask again. Whoever answers something else, or a part, leaves the duty open but the judge
        blameless."""
        if self.spoke & self._reached:
            return {}
        return {
            key: ProcedureViolation("no_answer", one.turn.number, one.spec.id, one.side)
            for one in self.pending
            if one.credited and one.found.sure and one.spec.level(self.hearing) in ("must", "bench") and one.addressed
            and (key := one.spec.id if one.spec.any_side or one.spec.exhibits
                else f"{one.spec.id}/{one.side}") not in self.credits
            and not self.unmet.holds(one.spec.id)
        }  # fmt: skip

    def waiting(self) -> list[ProcedureViolation]:
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

    def _leave(self, one: PendingQuestion, reason: Reason) -> None:
        """What got no valid answer is neither credited nor missing, and what comes behind it may go on."""
        self.pending.remove(one)
        self.tried.add((one.spec.id, one.side))
        if one.credited:
            self.unmet.note(one.spec, one.side, one.turn.number, reason, self.credits)

    def _evidence(self, one: PendingQuestion, turn: Turn) -> None:
        side = one.side
        if one.spec.exhibits == "owner":
            self.unmet.shown(side)
            for item in self.exhibits.offered(side, turn.text):
                self.exhibits.show(item, turn)
                self._answered(one, item.id, turn)
        else:
            for item in self.exhibits.exhibits_of_opinion(side, one.turn.text, turn.text):
                self.exhibits.hear(item, side, turn)
                self._answered(one, item.id, turn)

    def _answered(self, one: PendingQuestion, exhibit: str, turn: Turn) -> None:
        self.tried.add((one.spec.id, one.side))
        if one.credited and one.earns:
            self.credit(one, one.side, exhibit, turn.number)

    def credit(self, one: Act, side: Side | None = None, exhibit: str = "", reply: int | None = None) -> None:
        """An act is done: towards a side by its reply, or without one."""
        spec = one.spec
        if spec.exhibits == "owner":
            key = f"{spec.id}/{exhibit}"
        elif spec.exhibits == "other":
            key = f"{spec.id}/{exhibit}/{side}"
        else:
            key = spec.id if side is None or spec.any_side else f"{spec.id}/{side}"
        self.credits.setdefault(
            key,
            Credit(
                key, self._groups.get(key, key), spec.id, side, exhibit, one.turn.number, reply, one.at, spec.order,
                one.late, one.found.quote[:120],
            ),
        )  # fmt: skip
        self._unanswered.pop(key, None)
        self.unmet.done(key)


def _refuses(text: str) -> bool:
    return any(word in text for word in ("不同意", "不愿", "拒绝", "不接受", "不调解", "不能", "不可以"))


# --- whether a side answers -----------------------------------------------------------------------------------------


class Answers:
    """Follows a trial and says of each turn of a side whether it is an answer. Without holdings nothing is said
    against any."""

    def __init__(self, hearing: Hearing) -> None:
        self._hearing = hearing
        self._held = hearing.held
        self._names = CaseNames.of(hearing)
        self._said: list[Turn] = []
        self._own: dict[Side, list[degenerate.PromptReply]] = {}
        self._known = {side: {*held.words, *court_language()} for side, held in hearing.held.items()}
        """Side -> pairs of all that it holds, and of all that was said before."""

    def hear(self, turn: Turn, reason: Reason = "") -> None:
        """Take the next turn of anybody; words that were no answer make nothing known."""
        if side := self._hearing.side(turn.speaker):
            self._own.setdefault(side, []).append(degenerate.PromptReply(self._asked(turn), turn.text))
        if not reason:
            for known in self._known.values():
                known |= bigrams(turn.text)
        self._said.append(turn)

    def plain(self, turn: Turn, side: Side) -> Reason:
        """What is wrong with a turn whatever it answers."""
        if side not in self._held:
            return ""
        asked, own = self._asked(turn), self._own.get(side, ())
        lines = [line for line in turn.text.splitlines()[:LINES] if not broken(line)]
        if turn.fault in EMPTY and any(not degenerate.fault(line, asked, own, again=1) for line in lines):
            turn = replace(turn, fault="")  # one line that answers is an answer; the turn is flagged all the same
        return fault(turn, self._known[side])

    def freely(self, turn: Turn, side: Side) -> Reason:
        """What is wrong with a turn that answers no act of the procedure."""
        if (held := self._held.get(side)) is None:
            return ""
        return "" if replies(self._asked(turn), turn.text, held.words | court_language()) else "evades"

    def to(self, spec: ActSpec, side: Side, asked: str, text: str, exhibits: Exhibits) -> Reason:
        """What is wrong with a text as an answer to an act.

        Args:
            spec: the act that a turn of the judge is taken for.
            side: who was asked.
            asked: that turn.
            text: what the side said.
            exhibits: where they stand before this answer.
        """
        if (held := self._held.get(side)) is None:
            known = court_language() | bigrams(asked)
            said = spec.exhibits or spec.reply in _READ or replies(asked, text, known)
            return "" if said and may_answer(spec.id, text, self._names) else "evades"
        if spec.exhibits == "owner":
            return _offer(held, side, asked, text, exhibits)
        if spec.exhibits == "other":
            return _opinion(held, side, asked, text, exhibits)
        if points := held.points.get(spec.id):
            return "" if _share(spec.id, points, text) >= LEAST.get(spec.id, 1 / len(points)) else "incomplete"
        if not responsive(spec.reply, text, exhibits.hearing.names.get(side, ())):
            return "evades"
        if spec.reply in _READ:  # what else is said differs with every case, and is compared with it
            return "" if may_answer(spec.id, text, self._names) else "evades"
        if spec.reply == "open" and not denies(text):
            own = (bigrams(text) & held.words) - bigrams(asked)
            return "" if len(own) >= OWN else "evades"
        return "" if replies(asked, text, held.words | court_language()) else "evades"

    def _asked(self, turn: Turn) -> str:
        """What a turn answers: the last that was said to its speaker, else by the judge."""
        before = [one for one in self._said if one.speaker != turn.speaker]
        to_it = (one for one in reversed(before) if turn.speaker in one.to or one.speaker == "judge")
        return next((one.text for one in to_it), "")


_READ = frozenset({"identity", "recusal", "mediation", "view", "evidence", "plea"})
"""Kinds of replies that `responsive` knows by what they say."""


def _offer(held: SideMaterial, side: Side, asked: str, text: str, exhibits: Exhibits) -> Reason:
    """Whoever has something to offer names it; who has nothing left says anything."""
    if exhibits.offered(side, text) or not exhibits.unshown(side):
        return "" if exhibits.offered(side, text) or replies(asked, text, held.words) else "evades"
    return "incomplete" if denies(text) else "evades"


def _opinion(held: SideMaterial, side: Side, asked: str, text: str, exhibits: Exhibits) -> Reason:
    """An opinion is on what the question or it names. One that names nothing keeps at least one of the objections of
    the file: 没有异议 to all that is shown gives them up."""
    if not exhibits.to_hear(side):
        return "" if replies(asked, text, held.words) else "evades"
    meant = exhibits.exhibits_of_opinion(side, asked, text)
    if not meant:
        return "evades"
    against = [objection for item in meant for objection in held.contests.get(item.id, ())]
    said = bigrams(text)
    if (
        not against
        or items_named(text, meant)
        or any(recall(bigrams(one), said) >= KEPT for one in against)
        or _CONTESTED.search(text)
    ):
        return ""
    return "yields"


def _share(act: str, points: Sequence[CasePoint], text: str) -> float:
    """Share of the points that a text makes; of an answer the share of the claims that it takes a position on."""
    said = bigrams(text)
    made = [point for point in points if _makes(point, said, text)]
    if act != "answer":
        return len(made) / len(points)
    every = frozenset[str]().union(*(point.of for point in points))
    taken = every if made and _ALL.search(text) else frozenset[str]().union(*(point.of for point in made))
    return len(taken) / len(every) if every else len(made) / len(points)


def _makes(point: CasePoint, said: frozenset[str], text: str) -> bool:
    share = recall(bigrams(point.text), said)
    return share >= MADE or (share >= MADE / 3 and bool(point.sums & sums_in(text)))
