"""What a trial came to, as far as procedure goes: credits, violations, stages, the state of each exhibit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from tasks.courts.procedure.tables import Duty, Profile
from tasks.courts.procedure.turns import Hearing, Side
from tasks.courts.simulated.wording import Reason

ExhibitState = Literal["未出示", "已出示", "已质证", "采信", "部分采信", "不采信"]
FATAL = frozenset({"speaks_for_party", "stages_bundled", "judgment_before_debate"})
"""Violations that void the unity of a trial (UNI')."""
CODES: Mapping[str, str] = {
    "missing": "遗漏应为的诉讼行为",
    "wrong_stage": "在不当阶段进行",
    "too_early": "先行行为尚未完成",
    "judgment_before_debate": "法庭辩论之前即作出判决",
    "wrong_addressee": "对象错误",
    "no_answer": "被询问者没有作出回应",
    "bundled": "一次发言提出三项以上需要回应的事项",
    "stages_bundled": "一次发言合并三个以上阶段",
    "speaks_for_party": "代替诉讼参与人发言",
    "back": "未宣布恢复即返回前一阶段",
    "after_end": "闭庭后继续发言",
    "uncrossed_relied": "采信未经质证的证据",
    "no_reason": "不采信证据而未说明理由",
    "unequal": "给予双方的发言机会明显不等",
    "two_addressees": "一次向两方提出需要回应的事项",
}
"""Code of a violation -> how it is said in court language."""


def fault_name(code: str, *, clear: bool = True) -> str:
    """How a violation is said; 疑似 where only the turn as a whole shows it."""
    return ("" if clear else "疑似") + CODES.get(code, code)


@dataclass(frozen=True, slots=True)
class Credit:
    """A duty done. `turn`: the judge's turn; `reply`: the turn that answered; `at`: place in the transcript."""

    key: str
    group: str
    act: str
    side: Side | None
    exhibit: str
    turn: int
    reply: int | None
    at: int
    order: int
    late: bool
    by: Literal["rules", "model"]
    quote: str


@dataclass(frozen=True, slots=True)
class Violation:
    """A fault, named with its turn (None: it shows only at the end). `detail`: what was meant, in words of the
    case. `clear`: False where only the turn as a whole shows it: said, but no trial is void for it."""

    code: str
    turn: int | None
    act: str = ""
    side: Side | None = None
    detail: str = ""
    clear: bool = True

    @property
    def fatal(self) -> bool:
        """Whether it voids the unity of its trial."""
        return self.clear and self.code in FATAL


@dataclass(frozen=True, slots=True)
class Unmet:
    """A duty that the judge did and nobody met with an answer (未得有效回应): neither credit nor fault. `turn`: of
    the judge; `reason`: why the reply was none."""

    key: str
    act: str
    side: Side | None
    turn: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Reply:
    """A turn of a side, by its place in the transcript. `reason`: why it is no answer, '' where it is one."""

    at: int
    side: Side
    reason: Reason


@dataclass(frozen=True, slots=True)
class Shown:
    """An exhibit's way through the trial."""

    state: ExhibitState = "未出示"
    shown: int | None = None
    heard: Mapping[str, int] = field(default_factory=dict)
    ruled: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Course:
    """The trial so far. `stage_of`: stage of each turn, by place in the transcript. `unmet`: what was asked in its
    place and got no valid answer; `replies`: of all sides."""

    hearing: Hearing
    profile: Profile
    duties: tuple[Duty, ...]
    credits: tuple[Credit, ...]
    violations: tuple[Violation, ...]
    exhibits: Mapping[str, Shown]
    stage: str
    stage_of: tuple[str, ...]
    settled: bool
    closed: bool
    judge_turns: int
    unmet: tuple[Unmet, ...] = ()
    replies: tuple[Reply, ...] = ()

    @property
    def done(self) -> frozenset[str]:
        """Keys of duties that are credited."""
        return frozenset(credit.key for credit in self.credits)

    def owed(self) -> tuple[Duty, ...]:
        """Mandatory duties of the judge but those that got no valid answer; after a settlement only those up to its
        stage, and the record of it."""
        unmet = {one.key for one in self.unmet}
        mandatory = [duty for duty in self.duties if duty.spec.speaker == "judge" and duty.key not in unmet]
        if not self.settled:
            return tuple(duty for duty in mandatory if duty.mandatory and "settled" not in duty.spec.when)
        reached = {credit.key for credit in self.credits}
        stages = [stage.id for stage in self.profile.stages if not stage.floating]
        last = max((stages.index(s) for s in self.stage_of if s in stages), default=0)
        return tuple(
            duty
            for duty in mandatory
            if "settled" in duty.spec.when
            or (
                duty.mandatory
                and (duty.key in reached or _index(duty, stages) < last or duty.spec.stages == ("mediation",))
            )
        )


def _index(duty: Duty, stages: list[str]) -> int:
    """The last stage in which a duty may be done: until it is over nothing is owed."""
    return max((stages.index(stage) for stage in duty.spec.stages if stage in stages), default=len(stages))


def omissions(
    course: Course, waiting: Collection[Violation], titles: Mapping[str, str], asked: Mapping[Side, int]
) -> list[Violation]:
    """What a trial that is over leaves open. waiting: what never got an answer; titles: of exhibits; asked: side ->
    turns in which it was asked."""
    named, done = {(one.act, one.side) for one in waiting}, course.done
    found = [
        Violation("missing", None, duty.spec.id, duty.side, titles.get(duty.exhibit, ""))
        for duty in course.owed()
        if duty.key not in done and (duty.spec.id, duty.side) not in named
    ]
    sides = [asked[side] for side in course.hearing.sides]
    if course.hearing.env == "CI" and max(sides) > 2 * min(sides) and max(sides) - min(sides) >= 4:
        found.append(Violation("unequal", None, detail=f"{max(sides)} : {min(sides)}"))
    return [*waiting, *found]
