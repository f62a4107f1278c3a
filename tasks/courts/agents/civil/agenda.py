"""What a civil bench has still to do, in the order of the hearing, and what it leaves out when turns run short.

The order is that of the Civil Procedure Law (137-145, 141, 144; simplified 162-163); under `j1` that of the
benchmark's agenda, with one addressee a turn and the issues put at the debate. Nothing is asked of a side more than
twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tasks.courts.agents.civil.heard import Offer
from tasks.courts.agents.civil.sums import sums
from tasks.courts.agents.civil.trial import OTHER, SIDES, Trial
from tasks.courts.procedure.tables import ProfileName
from tasks.courts.procedure.turns import Side

_NOT_MEDIABLE = re.compile(r"婚姻无效|确认婚姻|特别程序|督促程序|公示催告|亲子关系")
"""民诉法解释第一百四十三条."""
_ACCEPTS = re.compile(r"同意|愿意|可以|接受|没有异议")
_REFUSES = re.compile(r"不同意|不愿|拒绝|不接受|不调解|不可以|不能接受|差距较大")
_TERMS = re.compile(r"(?:条件|方案)(?:是|为)?[：:]?[^。\n]{2}")
_JUDGED = re.compile(r"判决如下")
BLOCK = 4
"""From so many exhibits on, those of a side are offered in a row where turns are short."""
PRIORITY: Sequence[str] = (
    "judgment", "claim", "answer", "debate", "exhibit", "cross", "recusal", "identity", "final", "mediate", "issues",
    "terms", "mutual", "deliberate", "default", "findings", "question", "other_identity",
)  # fmt: skip
"""What goes last when turns are short, first named first kept."""


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the bench: what it does, whom it asks (nobody: an announcement), on which exhibits."""

    kind: str
    sides: tuple[Side, ...] = ()
    offers: tuple[Offer, ...] = ()
    rest: bool = False
    """All remaining exhibits are called for at once."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What the case and the profile call for. left: turns of the bench, this one included."""

    profile: ProfileName
    cause: str
    collegial: bool
    findings: str
    left: int


def next_step(trial: Trial, needs: Needs) -> Step:
    """The step to be made now."""
    if any(_JUDGED.search(text) for text in trial.court):
        return Step("close")
    steps = [*_opening(trial, needs), *_pleadings(trial, needs), *_proof(trial, needs)]
    steps += [*_debate(trial, needs), *_mediation(trial, needs)]
    if needs.left <= 1:
        return Step("judgment")
    return _kept(steps, needs)[0]


def _kept(steps: list[Step], needs: Needs) -> list[Step]:
    """As many steps as there are turns, the most needed ones, in their order; `j1` needs the issues before the
    debate."""
    if len(steps) <= needs.left:
        return steps
    swapped = {"issues": "debate", "debate": "issues"} if needs.profile == "j1" else {}
    rank = [PRIORITY.index(swapped.get(step.kind, step.kind)) for step in steps]
    ranked = sorted(range(len(steps)), key=lambda place: (rank[place], place))
    return [steps[place] for place in sorted(ranked[: needs.left])]


def _ask(trial: Trial, needs: Needs, kind: str) -> Iterator[Step]:
    """A question to each side that still owes an answer; under `law` to both in one turn."""
    sides = tuple(side for side in SIDES if not trial.done(kind, side))
    if needs.profile == "law" and len(sides) > 1:
        yield Step(kind, sides)
    else:
        yield from (Step(kind, (side,)) for side in sides)


def _opening(trial: Trial, needs: Needs) -> Iterator[Step]:
    if trial.reached >= 2:
        return
    yield from (Step("identity", (side,)) for side in SIDES if not trial.done("identity", side))
    if not {"cause", "panel"} & trial.announced and not any(trial.asked["recusal", side] for side in SIDES):
        yield from _ask(trial, needs, "other_identity")
    owed = list(_ask(trial, needs, "recusal"))
    yield from owed
    yield from _ask(trial, needs, "default")
    if not owed and trial.reached < 1 and not {"cause", "panel", "rights"} <= trial.announced:
        yield Step("recusal")


def _pleadings(trial: Trial, needs: Needs) -> Iterator[Step]:
    for kind, side in (("claim", SIDES[0]), ("answer", SIDES[1])):
        if not trial.done(kind, side):
            yield Step(kind, (side,))
    if needs.profile == "law" and trial.reached < 2:
        yield from _ask(trial, needs, "issues")


def _proof(trial: Trial, needs: Needs) -> Iterator[Step]:
    if trial.reached < 2 or not any(trial.offers):
        yield from _exhibits(trial, needs)
    if trial.reached >= 2:
        return
    if needs.findings and not any(needs.findings[:24] in text for text in trial.court):
        sides: tuple[tuple[Side, ...], ...] = (SIDES,) if needs.profile == "law" else tuple((side,) for side in SIDES)
        yield from (Step("findings", pair) for pair in sides)
    elif needs.findings and needs.profile == "j1" and not trial.asked["findings", SIDES[1]]:
        yield Step("findings", (SIDES[1],))
    yield from (Step("question", (side,)) for side in SIDES if not trial.asked["question", side])


def _exhibits(trial: Trial, needs: Needs) -> Iterator[Step]:
    after = 8 if needs.profile == "law" else 11
    for place, side in enumerate(SIDES):
        room = needs.left - after - (2 if place == 0 and SIDES[1] not in trial.finished else 0)
        waiting, more = tuple(trial.waiting(side)), side not in trial.finished
        if more and waiting and room <= 8 and len(trial.of(side)) >= BLOCK and room > 1:
            yield Step("exhibit", (side,), rest=room <= 3)
        if waiting:
            yield Step("cross", (OTHER[side],), waiting)
        if more and room > 0:
            yield Step("exhibit", (side,), rest=room <= 3 and bool(trial.of(side)))
            yield Step("cross", (OTHER[side],))


def _debate(trial: Trial, needs: Needs) -> Iterator[Step]:
    if needs.profile == "j1":
        yield from _ask(trial, needs, "issues")
        yield from (Step("debate", (s,)) for s in SIDES if trial.done("issues", s) and not trial.done("debate", s))
    else:
        yield from (Step("debate", (side,)) for side in SIDES if not trial.done("debate", side))
        yield from _ask(trial, needs, "mutual")
    yield from _ask(trial, needs, "final")


def _mediation(trial: Trial, needs: Needs) -> Iterator[Step]:
    if not _NOT_MEDIABLE.search(needs.cause):
        yield from _ask(trial, needs, "mediate")
        owing = tuple(side for side in SIDES if _owes_terms(trial, side))
        if needs.profile == "law" and owing:
            yield Step("terms", owing)
        else:
            yield from (Step("terms", (side,)) for side in owing)
    if needs.collegial and needs.profile == "law" and "deliberate" not in trial.announced:
        yield Step("deliberate")
    yield Step("judgment")


def _would_settle(text: str) -> bool:
    return bool(_ACCEPTS.search(text)) and not _REFUSES.search(text)


def _owes_terms(trial: Trial, side: Side) -> bool:
    """Whether both sides would settle, and this one has not been asked a second time on which terms."""
    if not all(_would_settle(trial.last("mediate", one)) for one in SIDES):
        return False
    said = trial.last("mediate", side)
    return trial.asked["mediate", side] < 2 and not sums(said) and not _TERMS.search(said)
