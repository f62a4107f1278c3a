"""The criminal part of a case: what is charged, how the accused stands to it, what has happened so far. Terms are in
months."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from tasks.courts.casefile.material import Yuan
from tasks.courts.casefile.people import LawRef, Name, Person, PersonOrNone, Strict, Text, Words

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
