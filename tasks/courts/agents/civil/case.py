"""A civil trial as its judge has heard it: claims and answer, exhibits with what becomes of them, what is in dispute;
and what becomes of claims without an expert. Sums are in yuan.

民诉法解释第二百二十六条 (争议焦点), 第九十二条 (what a party admits needs no proof), 第一百零三条 (what was not put
to the other side is no ground for a finding). Rules do not decide what is disputed: whoever claims it gets nothing by
them, and that is said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal

from store.tables import beside
from tasks.courts.agents.citing import Cited
from tasks.courts.agents.civil.asks import asked_of
from tasks.courts.agents.civil.pleadings import Claim, Point, claims_in, facts_in, points_in
from tasks.courts.agents.own_words import quotable
from tasks.courts.agents.trial.exhibits import Offer, Opinion, opinion_in
from tasks.courts.agents.trial.heard import Exchange, Exhibit, Heard
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.acts import parse
from tasks.courts.procedure.replies import responsive
from tasks.courts.procedure.tables import profile
from tasks.courts.procedure.turns import SIDE_OF, Side, Turn

SIDES: tuple[Side, ...] = ("plaintiff", "defendant")
OTHER: Mapping[str, Side] = {"plaintiff": "defendant", "defendant": "plaintiff"}
NAME: Mapping[str, str] = {"plaintiff": "原告", "defendant": "被告"}
STAGES: Mapping[str, int] = {
    "identity": 0, "recusal": 0, "default": 0, "claim": 1, "answer": 1, "issues": 1, "exhibit": 1, "cross": 1,
    "question": 1,
    "debate": 2, "mutual": 2, "final": 2,
}  # fmt: skip
"""Act -> its stage: opening, investigation, debate; mediation stands in none."""
_KINDS = (*STAGES, "mediate", "findings", "other_identity")
UNHEARD = "因未经质证，不能作为认定事实的根据"
GENUINE = "双方对真实性、合法性、关联性没有异议，就证明目的的争议本规则席位不作裁判"
DISPUTED = "因双方有争议，本规则席位不就争议作裁判，无法认定其证明力"
AGREED = "被告对该项请求没有异议，本院予以支持"
NO_DECISION = (
    "双方对该项请求有争议，本规则席位只就当事人承认或者没有争议的事项裁判，不就争议作裁判，对该项请求不予支持"
)
MOST_ISSUES = 8
_ADMITTED = re.compile(r"^(?:但|对|对于)?(?P<what>[^，。；]{4,60}?)(?:均|都)?(?:没有异议|无异议|属实)$")


@lru_cache(maxsize=4096)
def _asked(text: str, side: Side) -> tuple[str, ...]:
    table = profile("law", "CI").acts
    acts = (
        act.act
        for act in parse(text, "CI")
        if act.act in table and side in table[act.act].asked and (not act.named or side in act.named)
    )
    kinds = [one.kind for one in asked_of(text, side)]
    if "proposal" in kinds:  # whether a plan is accepted is no second question of whether to mediate
        acts = (act for act in acts if act != "mediate")
    return tuple(dict.fromkeys([*acts, *(kind for kind in kinds if kind in _KINDS)]))


def hearing() -> Mapping[str, Any]:
    """The table of the hearing."""
    return beside(__package__, "hearing")


class Case(Heard):
    """All that decides a case, as heard. Roles are plaintiff and defendant, whoever speaks for them; findings: what
    the court has found itself."""

    offering, viewing = "exhibit", "cross"
    hears: ClassVar[Mapping[str, tuple[str, ...]]] = {"plaintiff": ("defendant",), "defendant": ("plaintiff",)}
    by_number = True

    def __init__(self, view: CourtView) -> None:
        super().__init__(view, [_of_sides(turn) for turn in view.record])
        self.parties: Mapping[str, Mapping[str, Any]] = {
            one["side"]: one for one in reversed(view.held.get("parties", ()))
        }
        self.names = {side: str(self.parties.get(side, {}).get("name", "")) for side in SIDES}
        self.cause: str = view.held.get("cause", "")
        self.findings: str = self.bench.get("third_party_findings", "")

    def asks(self, one: Exchange, role: str) -> Sequence[str]:
        """The kinds of question that an exchange puts to a side."""
        return _asked(one.turn.text, SIDE_OF[role]) if role in one.turn.to else ()

    def to_point(self, kind: str, role: str, text: str) -> bool:
        """Whether words answer a question; exhibits and views on them are counted one by one."""
        table, party = profile("law", "CI").acts, self.parties.get(role, {})
        names = (party.get("name"), party.get("representative"), party.get("counsel", {}).get("name"))
        reply = table[kind].reply if kind in table else "short"
        return kind not in (self.offering, self.viewing) and responsive(reply, text, filter(None, names))

    @cached_property
    def reached(self) -> int:
        """The last stage of which anything was asked."""
        asked = (act for one in self.exchanges for side in SIDES for act in self.asks(one, side))
        return max((STAGES.get(act, 0) for act in asked), default=0)

    @cached_property
    def claims(self) -> list[Claim]:
        """The claims as heard."""
        return claims_in(self.answers("plaintiff", "claim"))

    @cached_property
    def points(self) -> list[Point]:
        """The answer, point by point."""
        return points_in(self.answers("defendant", "answer"), self.claims)

    @property
    def story(self) -> list[str]:
        """The account of the plaintiff, sentence by sentence."""
        return facts_in(self.answers("plaintiff", "claim"))

    @property
    def defence(self) -> str:
        """All that the defendant has argued."""
        return "\n".join(self.answers("defendant", act) for act in ("answer", "debate", "question"))

    @cached_property
    def weighed(self) -> list[Weighed]:
        """Every exhibit of the trial with what the court makes of it, those of the plaintiff first."""
        listed = (sorted(self.evidence.of(side), key=lambda one: one.offer.number) for side in SIDES)
        return [_weighed(one) for exhibits in listed for one in exhibits]

    @property
    def shown(self) -> str:
        """The words of exhibits against which nobody says anything."""
        return "\n".join(one.offer.says for one in self.weighed if one.undisputed)

    def on(self, claim: Claim) -> list[Point]:
        """The points of the answer that meet a claim."""
        return [point for point in self.points if claim.number in point.claims]

    def admits(self, claim: Claim) -> bool:
        """Whether the answer admits a claim and says nothing against it."""
        mine = self.on(claim)
        return bool(mine) and all(point.position == "admit" for point in mine)


def _of_sides(turn: Turn) -> Turn:
    """A turn with the sides in the place of those who speak for them."""
    speaker, to = SIDE_OF.get(turn.speaker, turn.speaker), (SIDE_OF.get(role, role) for role in turn.to)
    return replace(turn, speaker=speaker, to=tuple(to))


# --- exhibits -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Weighed:
    """An exhibit with what the court makes of it. contested: aspects to which the other side objected."""

    offer: Offer
    admitted: bool
    reason: str
    contested: frozenset[str] = frozenset()
    objection: str = ""

    @property
    def undisputed(self) -> bool:
        """Whether nobody says anything against what it is to show."""
        return self.admitted and not self.contested


def _weighed(one: Exhibit) -> Weighed:
    """认证 as far as nobody disputes it: without an objection an exhibit is relied on; where only 证明目的 is
    contested, for what it holds; any other is left undecided."""
    view = one.views.get(OTHER[one.owner])
    if not view and not one.waived:
        return Weighed(one.offer, False, UNHEARD)
    opinion = opinion_in(view) if view else Opinion()
    contested, objection = frozenset[str](opinion.against), "；".join(opinion.against.values())
    if not contested:
        return Weighed(one.offer, True, "双方对真实性、合法性、关联性均无异议")
    genuine = contested == {"weight"} and "真实性" in opinion.words
    return Weighed(one.offer, genuine, GENUINE if genuine else DISPUTED, contested, objection)


# --- what is in dispute ---------------------------------------------------------------------------------------------


def issues(case: Case) -> list[str]:
    """The questions that the disputed claims ask, in their order."""
    open_claims = [claim for claim in case.claims if claim.kind != "costs" and not case.admits(claim)]
    return [_issue(claim) for claim in open_claims][:MOST_ISSUES] or ["原告的诉讼请求有无事实和法律依据"]


def admitted(case: Case) -> list[str]:
    """What the answer says it does not contest, claims and facts."""
    told = [
        f"原告关于{quotable(_wish(claim), 60)}的请求"
        for claim in case.claims
        if claim.kind != "costs" and case.admits(claim)
    ]
    clauses = (clause.strip() for point in case.points for clause in re.split(r"[，,；;。]", point.text))
    told += [quotable(match["what"], 60) for clause in clauses if (match := _ADMITTED.match(clause))]
    return list(dict.fromkeys(told))[:4]


def _wish(claim: Claim) -> str:
    return claim.brief.removeprefix("准予").replace("原、被告", "双方")


def _issue(claim: Claim) -> str:
    """The question that a claim itself asks: 被告应否返还原告押金24000元."""
    text = quotable(_wish(claim), 90)
    if text.startswith(("由被告", "被告")):
        return f"被告应否{text.removeprefix('由').removeprefix('被告').removeprefix('应当').removeprefix('应')}"
    return f"原告关于{text}的请求应否支持"


# --- what becomes of claims -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finding:
    """What becomes of a claim, and why."""

    claim: Claim
    outcome: Literal["granted", "rejected"]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Substance:
    """What a judgment decides: exhibits and claims with their reasons, and the articles."""

    weighed: Sequence[Weighed]
    laws: Sequence[Cited]
    found: Sequence[Finding]


def undisputed(case: Case) -> Substance:
    """The substance of a judgment on what nobody disputes."""
    found = [
        Finding(claim, "granted", (AGREED,)) if case.admits(claim) else Finding(claim, "rejected", (NO_DECISION,))
        for claim in case.claims
        if claim.kind != "costs"
    ]
    return Substance(case.weighed, (), found)
