"""The model of a trial: what was said to whom, what the case needs, the duties of the court as data, and what became
of them.

A role is who sits in a seat, a side what duties are owed to. A lawyer speaks for the side of the client in a civil
case; the accused and the 辩护人 are two sides of a criminal one, because each has rights of its own.

Two profiles of duties: `law` follows the statutes, `j1` the actions of the benchmark with the words of `law`. Levels
of a duty: must (the law demands it, `when` names a condition), may (the law allows it), practice (every court does
it, no article demands it of this procedure), bench (only the benchmark asks for it), none (not in this procedure).
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from store.statutes.model import ArticleNumber
from tasks.episode.events import FAULTS, Fault

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

_SIDES: Mapping[str, Mapping[str, Side]] = {
    "CI": {
        "plaintiff_lawyer": "plaintiff",
        "defendant_lawyer": "defendant",
        "plaintiff": "plaintiff",
        "defendant": "defendant",
    },
    "CR": {
        "procurator": "procurator",
        "defendant": "accused",
        "defence_lawyer": "defence",
        "accused": "accused",
    },
}
"""Court -> role -> side, whoever speaks for it in court first; `accused` is how labels call the 被告人."""
SIDES: Mapping[str, tuple[Side, ...]] = {env: tuple(dict.fromkeys(of.values())) for env, of in _SIDES.items()}


def side_of(env: str, role: str) -> Side | None:
    """The side that a role speaks for; None for the court."""
    return _SIDES[env].get(role)


def speaker_of(env: str, side: str) -> str:
    """The role that speaks for a side in court."""
    return next(role for role, one in _SIDES[env].items() if one == side)


def sides_of(env: str, roles: Iterable[str]) -> tuple[Side, ...]:
    """The sides of some roles, each once."""
    return tuple(dict.fromkeys(side for role in roles if (side := side_of(env, role))))


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
class ProcedureExhibit:
    """An exhibit as the procedure needs it. `number`: its place among the exhibits of its side, from 1."""

    id: str
    owner: Side
    title: str
    number: int
    disputed: bool = True


@dataclass(frozen=True, slots=True)
class CasePoint:
    """Something that a case file gives a side to say. sums: the amounts it names, by value; of: what it answers (ids
    of claims)."""

    text: str
    sums: frozenset[str] = frozenset()
    of: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SideMaterial:
    """What a side has to answer with. words: pairs of characters of all that it holds; points: act -> what it has to
    say when it is asked for that; contests: exhibit -> its objections."""

    words: frozenset[str] = frozenset()
    points: Mapping[str, tuple[CasePoint, ...]] = field(default_factory=dict)
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
    exhibits: tuple[ProcedureExhibit, ...] = ()
    needs: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()
    held: Mapping[Side, SideMaterial] = field(default_factory=dict)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides of the trial in the order in which they are asked."""
        return SIDES[self.env]

    def side(self, role: str) -> Side | None:
        """The side that a role speaks for; None for the court."""
        return side_of(self.env, role)


ProfileName = Literal["law", "j1"]
PROFILES: tuple[ProfileName, ...] = ("law", "j1")
Level = Literal["must", "may", "practice", "bench", "none"]
CONDITIONS = frozenset(
    {
        "represented", "collegial", "mediable", "divorce", "settled", "witness", "expert", "guilty_plea", "request",
        "property",
    }
)  # fmt: skip
"""What a case may need: both sides have lawyers, a bench of several, mediation is allowed, a divorce, mediation
succeeded, a witness or expert comes to court, 认罪认罚, there is a 量刑建议, there is property to be dealt with."""
J1_LIMITS: Mapping[str, int] = {"CI": 50, "CR": 35}
"""Judge turns that the benchmark allows."""

_FILES = {
    ("law", "CI"): "civil.toml",
    ("law", "CR"): "criminal.toml",
    ("j1", "CI"): "j1_civil.toml",
    ("j1", "CR"): "j1_criminal.toml",
}
_BASIS = re.compile(r"(?P<law>\S+) (?P<article>\d+)(?:\.(?P<paragraph>\d+))?(?:\.(?P<item>\d+))? (?P<gist>.+)")


@dataclass(frozen=True, slots=True)
class Basis:
    """An article and what it provides for an act, in a few words."""

    law: str
    short: str
    number: ArticleNumber
    paragraph: int | None
    item: int | None
    gist: str

    @property
    def label(self) -> str:
        """As a list of duties shows it: 民诉法 第一百四十条."""
        return f"{self.short} {self.number.chinese}"


@dataclass(frozen=True, slots=True)
class ActSpec:
    """An act of the judge. `asked` empty: an announcement, done when it is said; else each of these sides owes a
    reply.

    `exhibits`: the act is owed for each exhibit, to its owner or to the other side. `after`: acts that come first
    where they are mandatory. `by_basis`: the articles for a procedure, or for a side. `closes`: the stage that it
    ends. `anchor`: the act itself opens its stage. `fallback`: any question on the case counts if nothing else does.
    `words`: a pattern of what the clerk says; acts of the judge are read by the classifier.
    """

    id: str
    name: str
    stages: tuple[str, ...]
    order: int
    speaker: str = "judge"
    asked: tuple[Side, ...] = ()
    any_side: bool = False
    reply: str = ""
    exhibits: str = ""
    duty: Level = "must"
    by_procedure: Mapping[str, Level] = field(default_factory=dict)
    when: tuple[str, ...] = ()
    unless_needs: str = ""
    basis: tuple[Basis, ...] = ()
    by_basis: Mapping[str, tuple[Basis, ...]] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    anchor: bool = False
    fallback: bool = False
    ends: str = ""
    uses: tuple[str, ...] = ()
    words: str = ""

    def level(self, hearing: Hearing) -> Level:
        """What the act is in this hearing, its condition aside.

        A duty that a simplified procedure lets go only for sides with lawyers (`unless_needs`) stays for the others.
        """
        level = self.by_procedure.get(hearing.procedure, self.duty)
        if self.unless_needs and level == "practice" and self.unless_needs not in hearing.needs:
            return self.duty
        return level

    def mandatory(self, hearing: Hearing) -> bool:
        """Whether the court must do it here."""
        return self.level(hearing) == "must" and set(self.when) <= hearing.needs

    def articles(self, procedure: Procedure, side: Side | None = None) -> tuple[Basis, ...]:
        """The articles for a procedure, and for the side that is asked."""
        return self.by_basis.get(side or procedure, self.by_basis.get(procedure, self.basis))


@dataclass(frozen=True, slots=True)
class StageSpec:
    """A stage of a trial. `floating`: it may come at any time and moves nothing (mediation)."""

    id: str
    name: str
    tags: tuple[str, ...]
    enter: tuple[re.Pattern[str], ...]
    floating: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """Stages and acts of an environment under one profile, in the order of the hearing."""

    name: ProfileName
    env: Literal["CI", "CR"]
    stages: tuple[StageSpec, ...]
    acts: Mapping[str, ActSpec]
    by_family: Mapping[str, tuple[ActSpec, ...]]
    """Act of the `law` table -> acts here that it counts for."""

    def stage(self, name: str) -> int:
        """Index of a stage by id, name or tag; -1 where there is none."""
        for index, stage in enumerate(self.stages):
            if name in (stage.id, stage.name, *stage.tags):
                return index
        return -1


@dataclass(frozen=True, slots=True)
class Duty:
    """One thing to be done in a hearing: an act towards one side, for exhibits one exhibit. `key`:
    act/exhibit/side."""

    key: str
    group: str
    spec: ActSpec
    side: Side | None
    exhibit: str
    mandatory: bool
    level: Level
    basis: tuple[Basis, ...]


@cache
def profile(name: ProfileName, env: Literal["CI", "CR"]) -> Profile:
    """The table of a profile and environment.

    Raises:
        ValueError: the table contradicts itself (a mistake in the table, never the user's).
    """
    data = tomllib.loads(files(__package__).joinpath(_FILES[name, env]).read_text(encoding="utf-8"))
    laws = data.get("laws", {})
    stages = tuple(
        StageSpec(s["id"], s["name"], tuple(s["tags"]), tuple(map(re.compile, s["enter"])), s.get("floating", False))
        for s in data["stages"]
    )
    acts = {entry["id"]: _act(entry, laws) for entry in data["acts"]}
    families: dict[str, tuple[ActSpec, ...]] = {}
    for spec in acts.values():
        unknown = (
            (set(spec.stages) - {s.id for s in stages})
            | (set(spec.after) - set(acts))
            | (set(spec.when) - CONDITIONS)
        )
        if unknown:
            raise ValueError(f"{_FILES[name, env]}: {spec.id} names {', '.join(sorted(unknown))}")
        for family in spec.uses or (spec.id,):
            families[family] = (*families.get(family, ()), spec)
    return Profile(name, env, stages, acts, families)


def _act(entry: Mapping[str, Any], laws: Mapping[str, str]) -> ActSpec:
    given = dict(entry)
    for name in ("stages", "asked", "after", "closes", "uses"):
        given[name] = tuple(given.get(name, ()))
    given["when"] = tuple(given.get("when", "").split())
    given["basis"] = tuple(_basis(text, laws) for text in given.get("basis", ()))
    given["by_basis"] = {
        procedure: tuple(_basis(text, laws) for text in texts)
        for procedure, texts in given.get("by_basis", {}).items()
    }
    return ActSpec(**given)


def _basis(text: str, laws: Mapping[str, str]) -> Basis:
    match = _BASIS.fullmatch(text)
    if not match or match["law"] not in laws:
        raise ValueError(f"not a basis: {text}")
    paragraph, item = (int(match[part]) if match[part] else None for part in ("paragraph", "item"))
    return Basis(
        laws[match["law"]], match["law"], ArticleNumber(int(match["article"])), paragraph, item, match["gist"]
    )


def opposite(side: Side, hearing: Hearing) -> tuple[Side, ...]:
    """The sides that are heard on an exhibit of a side."""
    if hearing.env == "CI":
        return ("defendant",) if side == "plaintiff" else ("plaintiff",)
    return ("accused", "defence") if side == "procurator" else ("procurator",)


def duties(hearing: Hearing, name: ProfileName = "law") -> tuple[Duty, ...]:
    """All that a hearing may hold, in the order of the table: acts that have no place in the procedure are left
    out."""
    table = profile(name, hearing.env)
    return tuple(duty for spec in table.acts.values() for duty in _duties(spec, hearing))


def _duties(spec: ActSpec, hearing: Hearing) -> Iterator[Duty]:
    level = spec.level(hearing)
    if level == "none" or not set(spec.when) <= hearing.needs | {"settled"}:
        return
    must, basis = spec.mandatory(hearing), spec.articles(hearing.procedure)
    if spec.exhibits:
        for item in hearing.exhibits:
            if spec.exhibits == "owner":
                yield Duty(f"{spec.id}/{item.id}", spec.id, spec, item.owner, item.id, must, level, basis)
                continue
            owed = must and (item.disputed or hearing.procedure != "简易程序" or hearing.env == "CI")
            for side in opposite(item.owner, hearing):
                yield Duty(f"{spec.id}/{item.id}/{side}", spec.id, spec, side, item.id, owed, level, basis)
    elif spec.any_side or not spec.asked:
        yield Duty(spec.id, spec.id, spec, None, "", must, level, basis)
    else:
        for side in spec.asked:
            key = f"{spec.id}/{side}"
            yield Duty(key, key, spec, side, "", must, level, spec.articles(hearing.procedure, side))


def needed_turns(hearing: Hearing, name: ProfileName = "law") -> int:
    """Judge turns that the agenda takes: one a question, one an exhibit and hearing on it, announcements of a stage
    together."""
    owed = [duty for duty in duties(hearing, name) if duty.mandatory and duty.spec.speaker == "judge"]
    asked = sum(bool(duty.spec.asked) for duty in owed)
    told = {duty.spec.stages[-1] for duty in owed if not duty.spec.asked}
    return asked + len(told)


def turn_limit(hearing: Hearing, name: ProfileName = "law") -> int:
    """Judge turns allowed: the benchmark's 50 and 35 under `j1`, else half as many again as the agenda needs, and
    five."""
    return J1_LIMITS[hearing.env] if name == "j1" else math.ceil(needed_turns(hearing) * 1.5) + 5


Reason = Literal[Fault, "silent", "script", "unrelated", "evades", "incomplete", "yields"]
REASONS: dict[Reason, tuple[str, str]] = {
    "silent": ("没有发言", "said nothing"),
    "script": ("没有用中文发言", "did not speak Chinese"),
    "echo": ("复述所听到的话", "said what it had heard"),
    "recital": ("念出给它的指示", "recited its instructions"),
    "repeat": ("换了问题仍重复自己的话", "said the same to another question"),
    "speaks_for": ("替别人说话", "spoke for another"),
    "unrelated": ("所说与本案无关", "spoke of something else than the case"),
    "evades": ("没有回答所问", "did not answer what was asked"),
    "incomplete": ("没有说出案卷交给它的内容", "left out what the case file gives it to say"),
    "yields": ("放弃案卷记载的异议", "gave up what the case file makes it contest"),
}
"""Why a turn is no answer -> how it is said in Chinese and English."""
NONSENSE: frozenset[Reason] = frozenset({"script", *FAULTS, "unrelated"})
"""Turns in which a role does not speak as anybody of the case: they count against its consistency too."""
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
    quote: str


@dataclass(frozen=True, slots=True)
class ProcedureViolation:
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
class UnmetDuty:
    """A duty that the judge did and nobody met with an answer (未得有效回应): neither credit nor fault. `turn`: of
    the judge; `reason`: why the reply was none."""

    key: str
    act: str
    side: Side | None
    turn: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class PartyReply:
    """A turn of a side, by its place in the transcript. `reason`: why it is no answer, '' where it is one."""

    at: int
    side: Side
    reason: Reason


@dataclass(frozen=True, slots=True)
class ExhibitStatus:
    """An exhibit's way through the trial."""

    state: ExhibitState = "未出示"
    shown: int | None = None
    heard: Mapping[str, int] = field(default_factory=dict)
    ruled: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TrialState:
    """The trial so far. `stage_of`: stage of each turn, by place in the transcript. `unmet`: what was asked in its
    place and got no valid answer; `replies`: of all sides."""

    hearing: Hearing
    profile: Profile
    duties: tuple[Duty, ...]
    credits: tuple[Credit, ...]
    violations: tuple[ProcedureViolation, ...]
    exhibits: Mapping[str, ExhibitStatus]
    stage: str
    stage_of: tuple[str, ...]
    settled: bool
    closed: bool
    judge_turns: int
    unmet: tuple[UnmetDuty, ...] = ()
    replies: tuple[PartyReply, ...] = ()

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
    course: TrialState, waiting: Collection[ProcedureViolation], titles: Mapping[str, str], asked: Mapping[Side, int]
) -> list[ProcedureViolation]:
    """What a trial that is over leaves open. waiting: what never got an answer; titles: of exhibits; asked: side ->
    turns in which it was asked."""
    named, done = {(one.act, one.side) for one in waiting}, course.done
    found = [
        ProcedureViolation("missing", None, duty.spec.id, duty.side, titles.get(duty.exhibit, ""))
        for duty in course.owed()
        if duty.key not in done and (duty.spec.id, duty.side) not in named
    ]
    sides = [asked[side] for side in course.hearing.sides]
    if course.hearing.env == "CI" and max(sides) > 2 * min(sides) and max(sides) - min(sides) >= 4:
        found.append(ProcedureViolation("unequal", None, detail=f"{max(sides)} : {min(sides)}"))
    return [*waiting, *found]
