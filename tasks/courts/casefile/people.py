"""Who takes part in a case: parties and their counsel, clients with a personality, and the law that texts refer to.

Names, addresses and companies are fictional; laws are real and named by their official titles. Days are calendar
days.

The traits of somebody who is no professional are drawn for a run: every medium anew with P(high, medium, low) = 0.4,
0.2, 0.4 (paper §3: 2:1:2), once a case and run seed. A low conscientiousness changes when a datum is given (at the
second question), never whether.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from store.statutes.model import ArticleNumber
from store.text.citation import citations
from store.text.dates import plain_date
from store.text.numerals import int_to_chinese
from tasks.courts.procedure.acts import parse

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]
"""A text that says something."""
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)]
"""A text that may be empty."""
_CONTROL = re.compile(
    r"[<>{}【】\r\n]|闭庭|庭审(?:到此)?结束|结束(?:庭审|对话)|询问结束|对(?:原告|被告|公诉机关|辩护人)[^，。]{0,4}说"
)
_PERHAPS = re.compile(
    r"[请由是否有无现再予]|本院|判决|宣[判告]|核[对实]|告知|出示|质证|辩论|调解|陈述|发表|申请|休庭|评议"
)


@lru_cache(maxsize=4096)
def _a_name(name: str) -> str:
    """Judges read names out: one that closes a hearing, opens a stage or does an act of the court is refused."""
    acts = _PERHAPS.search(name) and any(parse(f"{name}。", env) for env in ("CI", "CR"))
    if acts or _CONTROL.search(name):
        raise ValueError(f"{name[:20]!r} would steer the hearing in which it is read out; write the name alone")
    return name


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Person = Annotated[Name, AfterValidator(_a_name)]
"""Who is named in court: a person or an organisation."""
PersonOrNone = Annotated[str, StringConstraints(strip_whitespace=True, max_length=80), AfterValidator(_a_name)]
Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]

Level = Literal["high", "medium", "low"]
Side = Literal["plaintiff", "defendant"]
"""原告 and 被告; the 被告人 of a criminal case sits on the side `defendant` too."""
REFUSED_ROLES: dict[str, str] = {
    "third_party": "第三人",
    "witness": "证人",
    "expert": "鉴定人",
    "appraiser": "鉴定人",
    "victim": "被害人",
    "civil_plaintiff": "附带民事诉讼原告人",
    "translator": "翻译人员",
    "guardian": "法定代理人",
}
"""Sides that a case file may not have -> their Chinese names; also refused when written in Chinese."""
PROCURATORATE = "PROC"
"""Who owns an exhibit of the prosecution."""
COUNSEL = "COUNSEL"
"""The 辩护人, where an objection is the lawyer's and not the accused's own."""

_CITED = re.compile(r"(?P<law>.+?)(?P<rest>第\s*[0-9零〇一二三四五六七八九十百千]+\s*条.*)")
# The title is taken as written: it may end in a bracket of its own, …解释（一）第六条.
_COMPACT = re.compile(r"(?P<law>[^0-9\s《》]+)\s*(?P<number>\d{1,4})(?:-(?P<sub>\d{1,2}))?")


class Strict(BaseModel):
    """What all parts of a case file share: no unknown fields, nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class LawRef(Strict):
    """One article of a law. A file may also write it as a text: 中华人民共和国刑法第六十七条第三款."""

    law: Name
    """Official title without a version: 中华人民共和国民法典."""
    article: Annotated[int, Field(ge=1, le=9999)]
    sub: Annotated[int, Field(ge=0, le=99)] = 0
    """第一百三十三条之一 has article 133 and sub 1."""
    paragraph: Annotated[int, Field(ge=1, le=99)] | None = None
    """款."""
    item: Annotated[int, Field(ge=1, le=99)] | None = None
    """项."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        if (match := _CITED.fullmatch(value.strip())) and len(found := citations(f"法{match['rest']}")) == 1:
            cited, title = found[0], match["law"].strip()
            if title.startswith("《") and title.endswith("》"):
                title = title[1:-1]
            number = {"article": cited.number.number, "sub": cited.number.sub}
            if title and cited.end == len(match["rest"]) + 1:
                return {"law": title, **number, "paragraph": cited.paragraph, "item": cited.item}
        if match := _COMPACT.fullmatch(value.strip()):
            return {"law": match["law"], "article": int(match["number"]), "sub": int(match["sub"] or 0)}
        raise ValueError(
            f"{value[:60]!r} names no single article; write 中华人民共和国民法典第六百七十五条, one article an entry"
        )

    @property
    def number(self) -> ArticleNumber:
        """Article and 之."""
        return ArticleNumber(self.article, self.sub)

    @property
    def chinese(self) -> str:
        """《中华人民共和国刑法》第六十七条第三款."""
        tail = f"第{int_to_chinese(self.paragraph)}款" if self.paragraph else ""
        tail += f"第（{int_to_chinese(self.item)}）项" if self.item else ""
        return f"《{self.law}》{self.number.chinese}{tail}"


class BigFive(Strict):
    """Levels of the five traits; a medium is drawn anew for each run (2:1:2)."""

    extraversion: Level = "medium"
    stability: Level = "medium"
    openness: Level = "medium"
    agreeableness: Level = "medium"
    conscientiousness: Level = "medium"


class Style(Strict):
    """How somebody speaks, in words; all of it may be left to the traits."""

    tone: Text = ""
    content: Text = ""
    interaction: Text = ""


class Persona(Strict):
    """The personality of somebody who is no professional."""

    big5: BigFive = BigFive()
    style: Style = Style()
    legal_literacy: Literal["none", "some"] = "none"


def divorce(cause: str) -> bool:
    """Whether the parties have to be in court beside their counsel, and may not marry on an open judgment
    (民事诉讼法第六十五条、 第一百五十一条)."""
    return "离婚" in cause and "离婚后" not in cause


class Counsel(Strict):
    """A lawyer: 委托诉讼代理人 of a civil party, 辩护人 of an accused."""

    name: PersonOrNone = ""
    """Empty: there is one whose name is not known."""
    profession: Literal["律师", ""] = ""
    firm: Text = ""
    """律师事务所; empty for a relative or a colleague."""
    authority: Text = ""
    """一般授权, 特别授权; for a 辩护人: 委托辩护 or 法律援助指派."""


class Party(Strict):
    """原告, 被告 or 被告人: a person or an organisation."""

    id: Id
    """P1 and D1 in civil cases, A1 for the accused."""
    side: Side
    kind: Literal["person", "company"] = "person"
    name: Person
    gender: Literal["男", "女", ""] = ""
    ethnicity: Text = ""
    birth_date: date | None = None
    birthplace: Text = ""
    """出生地; asked of an accused."""
    education: Text = ""
    occupation: Text = ""
    workplace: Text = ""
    address: Text = ""
    """住址 of a person, 住所地 of an organisation."""
    contact: Text = ""
    representative: PersonOrNone = ""
    """法定代表人 or 负责人 of an organisation."""
    representative_title: Text = ""
    """职务: 总经理, 执行董事."""
    counsel: Counsel | None = None
    persona: Persona = Persona()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.kind == "company" and (self.gender or self.birth_date or self.ethnicity):
            raise ValueError(
                'a company has no gender, ethnicity or birth_date; take them out or write kind = "person"'
            )
        if self.kind == "person" and self.representative:
            raise ValueError('a person has no representative (法定代表人); take it out or write kind = "company"')
        return self


def particulars(party: Party) -> str:
    """周映川，男，1979年4月12日出生，汉族，…，住…。 or a company with its seat."""
    if party.kind == "company":
        return f"{party.name}，住所地{party.address}。" if party.address else f"{party.name}。"
    where = f"于{party.birthplace}" if party.birthplace else ""
    born = f"{plain_date(party.birth_date)}出生{where}" if party.birth_date else ""
    home = f"住{party.address}" if party.address else ""
    work = (party.workplace, party.occupation)
    return (
        "，".join(filter(None, (party.name, party.gender, born, party.ethnicity, party.education, *work, home)))
        + "。"
    )


def firm_of(counsel: Counsel) -> str:
    """，…律师事务所律师; "" for who belongs to none."""
    return f"，{counsel.firm}律师" if counsel.firm else ""


def party_lines(role: str, party: Party, *, counsel: bool = True) -> Iterator[str]:
    """A party of a civil case as papers name it: its particulars, its representative, its lawyer."""
    yield f"{role}：{particulars(party)}"
    if party.representative:
        head = "负责人" if "负责人" in party.representative_title else "法定代表人"
        title = f"，{party.representative_title}" if party.representative_title else ""
        yield f"{head}：{party.representative}{title}。"
    if counsel and party.counsel and party.counsel.name:
        yield f"委托诉讼代理人：{party.counsel.name}{firm_of(party.counsel)}。"


class Client(Strict):
    """The member of the public who asks for advice."""

    occupation: Text = ""
    """KQ: what the public does for a living."""
    role: Text = ""
    """LC: what the public is in the matter: 承租人, 离职员工."""
    background: Text = ""
    """LC: the story, told bit by bit."""
    persona: Persona = Persona()


# --- personality ----------------------------------------------------------------------------------------------------

TRAITS = ("extraversion", "stability", "openness", "agreeableness", "conscientiousness")
DRAWN: tuple[Level, ...] = ("high", "high", "medium", "low", "low")
"""2:1:2."""
CUES: Mapping[str, Mapping[Level, str]] = {
    "extraversion": {
        "high": "话多，答完还会扯出旁的事", "medium": "一次说两到四句", "low": "一次只说一两句，问什么答什么",
    },
    "stability": {
        "high": "语气平稳", "medium": "略带情绪", "low": "焦虑，反复说自己担心的事，常带“呃”“这个”之类的口头语",
    },
    "openness": {
        "high": "愿意听别的办法，会追问还有什么选择", "medium": "对建议不置可否",
        "low": "认准自己的看法，不太相信别的办法",
    },
    "agreeableness": {
        "high": "客气，常道谢，配合对方", "medium": "礼貌", "low": "说话直，会顶撞，把责任推给别人",
    },
    "conscientiousness": {
        "high": "日期、金额说得准，一条一条讲", "medium": "说出主要的日期和金额",
        "low": "日期和金额先说个大概，对方再问才说准",
    },
}  # fmt: skip
"""Trait -> level -> how it shows in speech."""


def drawn(persona: Persona, case_id: str, seed: int) -> Mapping[str, Level]:
    """The traits of a run: the case's own, each medium drawn anew; the same for the same case and seed."""
    return {trait: _draw(getattr(persona.big5, trait), case_id, seed, trait) for trait in TRAITS}


def style(traits: Mapping[str, Level], persona: Persona | None = None) -> str:
    """How somebody with these traits speaks, in sentences for a prompt."""
    parts = [CUES[trait][level] for trait, level in traits.items()]
    own = persona.style if persona is not None else None
    if own is not None:
        parts += [part for part in (own.tone, own.content, own.interaction) if part]
    return "；".join(part.rstrip("。；") for part in parts) + "。"


def _draw(level: Level, case_id: str, seed: int, trait: str) -> Level:
    if level != "medium":
        return level
    return DRAWN[int(sha256(f"{case_id}/{seed}/{trait}".encode()).hexdigest()[:8], 16) % len(DRAWN)]
