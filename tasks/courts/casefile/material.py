"""What a case is about: facts, claims, defences, exhibits, the court that hears it; of a criminal one what is
charged, how the accused stands to it, what has happened so far. Amounts are in yuan, terms in months."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from store.statutes.applicable import CaseDates
from tasks.courts.casefile.people import Id, LawRef, Name, Person, PersonOrNone, Strict, Text, Words


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


class ClaimPart(Strict):
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
    parts: tuple[ClaimPart, ...] = ()
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


class PresidingJudge(Strict):
    """Who presides."""

    name: Person
    title: Literal["审判长", "独任审判员"]


class PanelMember(Strict):
    """A member of the panel beside the presiding judge; a 人民陪审员 has a name and does not speak."""

    name: Person
    title: Literal["审判员", "人民陪审员"]


class Court(Strict):
    """The court, its bench, and what it found out itself."""

    name: Text = ""
    docket: Text = ""
    procedure: Literal["普通程序", "简易程序", "小额诉讼程序", "速裁程序"] = "普通程序"
    presiding: PresidingJudge | None = None
    panel: tuple[PanelMember, ...] = ()
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


# --- the prosecution ------------------------------------------------------------------------------------------------

Months = Annotated[int, Field(ge=0, le=300)]
SentenceKind = Literal[
    "有期徒刑", "拘役", "管制", "无期徒刑", "死刑", "死刑缓期执行", "单处罚金", "免予刑事处罚", "无罪"
]
TIMED: tuple[SentenceKind, ...] = ("有期徒刑", "拘役", "管制")
"""Kinds that have a term."""


class Charge(Strict):
    """指控的罪名."""

    name: Annotated[Name, Field(pattern="罪$")]
    laws: tuple[LawRef, ...] = ()


class Prosecution(Strict):
    """Who prosecutes."""

    name: Text = ""
    """人民检察院."""
    prosecutor: PersonOrNone = ""
    title: Literal["检察员", "检察官", "副检察长", "检察长", ""] = "检察员"
    indictment_no: Text = ""
    """起诉书文号."""


class SentenceRequest(Strict):
    """量刑建议; a range where two terms differ."""

    text: Words
    kind: SentenceKind = "有期徒刑"
    months: tuple[Months, Months] | None = None
    """Least and most."""
    probation: bool | None = None
    """缓刑 asked for; none: left open."""
    fine: tuple[Yuan, Yuan] | None = None


class Plea(Strict):
    """How the accused stands to the charge."""

    stance: Literal["guilty", "partial", "not_guilty"]
    facts: Text = ""
    """对指控事实有无异议."""
    charge: Text = ""
    """对罪名有无异议."""
    signed: bool | None = False
    """签署认罪认罚具结书; null: nobody says."""
    text: Text = ""
    """What the accused feels and says about it; the accused's own matter until it is said."""


class Custody(Strict):
    """One 强制措施."""

    measure: Literal["拘留", "逮捕", "取保候审", "监视居住", "指定居所监视居住"]
    since: date
    until: date | None = None
    """None: it lasts to the judgment."""
    place: Text = ""


class Victim(Strict):
    """被害人; takes no seat in the trial."""

    name: Person
    loss: Text = ""
    settled: Text = ""
    """谅解, 赔偿."""


class Criminal(Strict):
    """What a criminal case has beside the rest."""

    prosecution: Prosecution = Prosecution()
    charges: Annotated[tuple[Charge, ...], Field(min_length=1)]
    indictment: Words
    """起诉书指控的犯罪事实."""
    opinion: Text = ""
    """公诉意见."""
    request: SentenceRequest | None = None
    plea: Plea
    record: Text = ""
    """前科劣迹: 无, or the earlier judgments."""
    custody: tuple[Custody, ...] = ()
    served: date | None = None
    """The day the accused received the indictment."""
    victims: tuple[Victim, ...] = ()
    defence_opinion: Text = ""
    """辩护意见."""


class Range(Strict):
    """法定刑: what the law provides for a charge on these facts."""

    charge: Name
    law: LawRef
    text: Words
    """As the article puts it: 处三年以下有期徒刑、拘役或者管制，并处或者单处罚金."""
    kinds: tuple[SentenceKind, ...]
    least_months: Months = 0
    """Of 有期徒刑 where it has a lower end of its own."""
    most_months: Months | None = None
    """Of 有期徒刑; none: life or death are open."""
    fine: Literal["must", "may", "none"] = "none"
    mitigated: tuple[LawRef, ...] = ()
    """Provisions for 减轻处罚, where the sentence may lie below."""


class Count(Strict):
    """What one charge came to."""

    charge: Annotated[Name, Field(pattern="罪$")]
    kind: SentenceKind = "有期徒刑"
    months: Months = 0
    fine: Yuan = 0


class Sentence(Strict):
    """宣告刑, over all charges."""

    kind: SentenceKind
    months: Months = 0
    """Of the term; 0 where the kind has none."""
    probation_months: Months = 0
    fine: Yuan = 0
    political_rights_months: Months = 0
    """剥夺政治权利; for life it stands in the judgment only."""
    since: date | None = None
    until: date | None = None
    """刑期自…起至…止, where it is served."""
    property: Text = ""
    """追缴, 责令退赔, 没收."""
    request_adopted: bool | None = None
    """Whether the 量刑建议 is adopted; none: there is none."""
    request_reason: Text = ""
    counts: tuple[Count, ...] = ()
    """Each charge by itself; needed where there are several (刑法第六十九条)."""
    ranges: tuple[Range, ...] = ()
