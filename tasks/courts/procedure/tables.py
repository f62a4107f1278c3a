"""The duties of a court as data: stages, acts, who is asked, what counts as a reply, by which article, in which
words.

Two profiles: `law` follows the statutes, `j1` the actions of the benchmark with the words of `law`. Levels of a duty:
must (the law demands it, `when` names a condition), may (the law allows it), practice (every court does it, no
article demands it of this procedure), bench (only the benchmark asks for it), none (not in this procedure).
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from store.statutes.model import ArticleNumber
from tasks.courts.procedure.turns import Hearing, Procedure, Side

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
