"""What a case is about: facts, claims, defences, exhibits, the court that hears it. Amounts are in yuan."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from store.statutes.applicable import CaseDates
from tasks.courts.casefile.people import Id, Person, PersonOrNone, Strict, Text, Words


def _cents(value: float) -> float:
    if not math.isfinite(value) or round(value * 100) != round(value * 100, 4):
        raise ValueError("an amount is in yuan with at most two decimals")
    return value


Yuan = Annotated[float, Field(ge=0, le=1e13), AfterValidator(_cents)]

Unsaid = Annotated[Text, BeforeValidator(lambda value: "" if value == "未载明" else value)]
"""Empty where nothing is known; drafts of the first releases wrote 未载明 for that."""


class Dates(Strict):
    """The days that decide which law applies, in the order in which they pass."""

    acted: date | None = None
    """行为时: the first day of the conduct or legal fact."""
    acted_until: date | None = None
    """Its last day, where it went on."""
    filed: date | None = None
    """The day of the complaint or of the indictment."""
    proceeding: date | None = None
    """程序进行时: the day of the hearing."""
    judged: date | None = None
    """裁判时."""
    asked: date | None = None
    """KQ and LC: the day on which advice is asked; the law of that day is the answer."""
    retrial: bool = False

    @property
    def for_law(self) -> CaseDates:
        """As the rules on the applicable version take them."""
        now = self.asked
        return CaseDates(
            self.acted or now,
            self.acted_until,
            self.proceeding or self.judged or now,
            self.judged or now,
            self.retrial,
        )


class Fact(Strict):
    """One thing that happened."""

    id: Id
    text: Words
    known_by: tuple[Id, ...] = ()
    """Ids of the parties who know it; nobody: only exhibits or the court's own inquiry show it."""
    disputed: bool = False
    gold: bool = True
    """Whether the judgment finds it so."""


class Part(Strict):
    """One head of a sum: 医疗费, 本金."""

    text: Words
    amount: Yuan


class Claim(Strict):
    """One 诉讼请求."""

    id: Id
    text: Words
    kind: Literal["pay", "perform", "declare", "costs"]
    """costs: 诉讼费用 only; it is no part of the sum in dispute."""
    amount: Yuan | None = None
    """What is asked for as far as it can be reckoned on the day of filing; none: nothing to reckon."""
    parts: tuple[Part, ...] = ()
    """Heads that add up to the amount."""
    facts: tuple[Id, ...] = ()
    """Facts that it rests on."""


class Defence(Strict):
    """One point of the 答辩意见."""

    id: Id
    answers: tuple[Id, ...] = ()
    """Claims it answers; none: a point about the suit as a whole."""
    position: Literal["admit", "partly", "deny"] | None = "deny"
    """null: nobody says."""
    text: Words
    facts: tuple[Id, ...] = ()


class Objection(Strict):
    """What the other side says against an exhibit; an empty text raises no objection on that point."""

    by: Id
    """A party, or COUNSEL for the 辩护人."""
    truth: Text = ""
    """真实性."""
    legality: Text = ""
    """合法性."""
    relevance: Text = ""
    """关联性."""
    weight: Text = ""
    """证明力 or 证明目的."""
    text: Text = ""
    """What is said, where the file does not tell these points apart."""

    @property
    def raised(self) -> bool:
        """Whether anything is contested."""
        return any((self.truth, self.legality, self.relevance, self.weight, self.text))


class Witness(Strict):
    """Who gave the testimony; it is read out, the witness is not heard in court."""

    name: Person
    address: Text = ""
    relation: Text = ""
    """To the parties."""


class Admission(Strict):
    """认证: whether the court relies on an exhibit."""

    result: Literal["采信", "部分采信", "不采信"]
    reason: Words


class Exhibit(Strict):
    """One exhibit of either side, or of the prosecution."""

    id: Id
    owner: Id
    """The party that offers it, or PROC."""
    title: Words
    kind: Unsaid = ""
    """As 民事诉讼法第六十六条 or 刑事诉讼法第五十条 names it."""
    source: Text = ""
    purpose: Unsaid = ""
    excerpt: Text = ""
    """What it says, in the words that are read out."""
    witness: Witness | None = None
    proves: tuple[Id, ...] = ()
    """Facts."""
    objections: tuple[Objection, ...] = ()
    gold: Admission | None = None


class Judge(Strict):
    """Who presides."""

    name: Person
    title: Literal["审判长", "独任审判员"]


class Member(Strict):
    """A member of the panel beside the presiding judge; a 人民陪审员 has a name and does not speak."""

    name: Person
    title: Literal["审判员", "人民陪审员"]


class Court(Strict):
    """The court, its bench, and what it found out itself."""

    name: Text = ""
    docket: Text = ""
    procedure: Literal["普通程序", "简易程序", "小额诉讼程序", "速裁程序"] = "普通程序"
    presiding: Judge | None = None
    panel: tuple[Member, ...] = ()
    clerk: PersonOrNone = ""
    """书记员."""
    public: bool = True
    closed_reason: Text = ""
    """Why the hearing is not public."""
    third_party_findings: Text = ""
    """What others than the parties reported to the court; empty: nothing."""

    @property
    def collegial(self) -> bool:
        """Whether a 合议庭 sits; see `collegial`."""
        return collegial(self.model_dump())


def collegial(court: Mapping[str, Any]) -> bool:
    """Whether a 合议庭 sits, given the fields of a `Court`: as the case names its bench, else as the law has it.

    普通程序 is heard by a panel, the shorter procedures by one judge (刑事诉讼法第一百八十三条,
    民事诉讼法第四十条、第一百六十三条).
    """
    title = (court.get("presiding") or {}).get("title")
    ordinary = court.get("procedure", "普通程序") == "普通程序"
    return bool(court.get("panel")) or (ordinary if title is None else title == "审判长")


def presiding_title(court: Mapping[str, Any]) -> str:
    """What the judge is called who presides: 审判长 of a panel, else 独任审判员."""
    title = (court.get("presiding") or {}).get("title")
    return str(title or ("审判长" if collegial(court) else "独任审判员"))


class Stance(Strict):
    """What a party does when mediation is offered."""

    stance: Literal["refuse", "accept_if"] = "refuse"
    terms: Text = ""
    """What must be offered."""
    amount: Yuan | None = None
    """A plaintiff settles for no less, a defendant pays no more."""
