"""Reads a complaint (起诉状) and the task around it: parties, cause of action, claims, facts, who retained whom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from store.tables import Table, beside

_NAMES = r"[、，,和及与；;]|以及"
_COMPANY = re.compile(
    r"(?:公司|集团|厂|中心|合作社|企业|银行|学校|医院|酒店|协会|基金会|委员会|事务所|（有限合伙）)$"
)


class _Causes(Table):
    """Words of a complaint -> cause of action, most special first."""

    causes: dict[str, str]


@dataclass(frozen=True)
class Complaint:
    """What the complaint says. `clients` are the defendants the firm stands for; all texts as written."""

    plaintiffs: tuple[str, ...]
    defendants: tuple[str, ...]
    clients: tuple[str, ...]
    firm: str
    cause: str
    claims: tuple[str, ...]
    facts: tuple[str, ...]
    own_facts: tuple[str, ...]
    court: str
    body: str

    @property
    def amounts(self) -> tuple[str, ...]:
        """Amounts of money named in the complaint, as written, in order."""
        return tuple(dict.fromkeys(re.findall(r"\d[\d,]*(?:\.\d+)?(?:万|亿)?元", self.body)))

    @property
    def dates(self) -> tuple[str, ...]:
        """Dates named in the complaint, as written, in order."""
        return tuple(dict.fromkeys(re.findall(r"\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)?", self.body)))

    @property
    def contracts(self) -> tuple[str, ...]:
        """Documents named in book-title marks, laws left out."""
        titles = re.findall(r"《([^《》]{2,40})》", self.body + "".join(self.own_facts))
        return tuple(dict.fromkeys(t for t in titles if not re.search(r"法$|条例$|规定$|解释", t)))

    @property
    def companies(self) -> tuple[str, ...]:
        """The clients that are companies."""
        return tuple(name for name in self.clients if _COMPANY.search(name))


def _split(text: str) -> tuple[str, ...]:
    parts = [re.sub(r"^[\s'“\"：:]+|[\s。'”\"]+$", "", part) for part in re.split(_NAMES, text)]
    return tuple(part for part in parts if 2 <= len(part) <= 40)


def _parties(body: str, word: str) -> tuple[str, ...]:
    names: list[str] = []
    for match in re.finditer(rf"{word}(?:[一二三四五六七八九十]|\d)?(?:（[^（）]*）)?[：:]\s*([^\n]+)", body):
        text = re.split(r"[，,。；;]\s*(?:男|女|住|地址|法定代表人|统一|身份证|系|汉族|联系)", match[1])[0]
        names += _split(text)
    return tuple(dict.fromkeys(names))


def _section(body: str, start: str, end: str) -> str:
    match = re.search(rf"(?:{start})[：:]?\s*(.*?)(?:{end}|$)", body, re.DOTALL)
    return match[1].strip() if match else ""


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in re.split(r"\n+", text) if line.strip())


def _cause(body: str, claims: str) -> str:
    """The cause of action: as stated, else by the words of the claims, else by those of the whole complaint."""
    stated = re.search(r"案由[：:]\s*([^\n。，]+)", body)
    if stated:
        return stated[1].strip()
    table = beside(__package__, "complaint", _Causes).causes
    for text in (claims, body):
        found = next((name for words, name in table.items() if re.search(words, text, re.DOTALL)), "合同纠纷")
        if found != "合同纠纷":
            return found
    return "合同纠纷"


def read_complaint(question: str) -> Complaint:
    """The complaint and its frame. Total: what is not there is ''."""
    text = question.replace("(", "（").replace(")", "）")
    inner = re.search(r"【起诉[状书]开始】(.*?)【起诉[状书]结束】", text, re.DOTALL)
    body = inner[1] if inner else text
    around = text.replace(inner[0], "\n") if inner else text
    plaintiffs, defendants = _parties(body, "原告"), _parties(body, "被告")
    opening = re.match(r"\s*['“\"]?(.+?)向(.+?)(?:发起|提起|提出|起诉)", text)
    if opening:
        plaintiffs = plaintiffs or _split(opening[1])
        defendants = defendants or _split(opening[2])
    retained = re.search(r"([^\n。】]+?)\s*(?:已经|现|均)?委托(?:给了?|了)?\s*([^\n，。]+?律师事务所)", around)
    firm = retained[2].strip() if retained else ""
    you = re.search(r"你是\s*([^\n，。]+?律师事务所?)", around)
    if not firm and you:
        firm = you[1].strip()
    named = _split(retained[1]) if retained else ()
    clients = tuple(name for name in defendants if name in named) or tuple(n for n in named if len(n) > 4)
    clients = clients or defendants
    claims = _lines(_section(body, r"诉讼请求", r"\n\s*事实[与和及]?(?:、)?理由|\n\s*事实"))
    facts = _lines(_section(body, r"事实[与和及]?理由", r"【|\n\s*此致|\n\s*具状人"))
    own = _section(
        around, r"(?:未提及|未提到|没有提到|没有提及|未载明|未写明)的?(?:如下|以下)?事实", r"\n\s*答辩状格式"
    )
    own_facts = tuple(re.sub(r"^\d+[.、．]\s*", "", line) for line in _lines(own))
    court = re.search(r"此致\s*([^\n]+?人民法院)", body)
    cause = _cause(body, "".join(claims))
    return Complaint(
        plaintiffs, defendants, clients, firm, cause, claims, facts, own_facts, court[1] if court else "", body
    )


def deducted_principal(body: str) -> Decimal | None:
    """What was really paid out where interest was taken off in advance: the sum of 实际…转账 amounts, in yuan."""
    if not re.search(r"扣除.{0,8}利息|利息.{0,6}(?:预先|先行)扣", body):
        return None
    paid = re.findall(r"实际[^，。；\d]{0,16}?(\d[\d,]*(?:\.\d+)?)元", body)
    return sum((Decimal(amount.replace(",", "")) for amount in paid), Decimal(0)) or None
