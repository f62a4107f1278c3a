"""Names of laws: one key for all the ways in which people write the same title, and the short names in common use.

《中华人民共和国刑法》, 中华人民共和国刑法（2020修正）, 刑法 and 刑 法 have one key. The version in brackets is no
part of a law's name; a bracket that is part of a title (国务院关于…的决定（一）) only falls away in the key where it
names a version.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from store.statutes.model import Link
from store.text.normalise import fold_width


@dataclass(frozen=True, slots=True)
class Lifetime:
    """The days on which a law (in any version) was in force; `last` None: still."""

    law: str
    first: date
    last: date | None
    basis: str
    certain: bool = True

    def covers(self, day: date) -> bool:
        """Whether the law was in force on a day."""
        return self.first <= day and (self.last is None or day <= self.last)


_CODE = date(2020, 12, 31)
_CODE_SAYS = "《中华人民共和国民法典》第一千二百六十条"
_CONTRACT = date(1999, 9, 30)
_CONTRACT_SAYS = "《中华人民共和国合同法》第四百二十八条"
_PROCEDURE_1996 = "1996年3月17日《全国人民代表大会关于修改〈中华人民共和国刑事诉讼法〉的决定》"

_STATED = (
    ("民法典", date(2021, 1, 1), None, _CODE_SAYS),
    ("民法总则", date(2017, 10, 1), _CODE, f"《中华人民共和国民法总则》第二百零六条；{_CODE_SAYS}"),
    ("民法通则", date(1987, 1, 1), _CODE, f"《中华人民共和国民法通则》第一百五十六条；{_CODE_SAYS}"),
    ("婚姻法", date(1950, 5, 1), _CODE, _CODE_SAYS),
    ("继承法", date(1985, 10, 1), _CODE, f"《中华人民共和国继承法》第三十七条；{_CODE_SAYS}"),
    ("收养法", date(1992, 4, 1), _CODE, _CODE_SAYS),
    ("担保法", date(1995, 10, 1), _CODE, f"《中华人民共和国担保法》第九十六条；{_CODE_SAYS}"),
    ("合同法", date(1999, 10, 1), _CODE, f"{_CONTRACT_SAYS}；{_CODE_SAYS}"),
    ("物权法", date(2007, 10, 1), _CODE, f"《中华人民共和国物权法》第二百四十七条；{_CODE_SAYS}"),
    ("侵权责任法", date(2010, 7, 1), _CODE, f"《中华人民共和国侵权责任法》第九十二条；{_CODE_SAYS}"),
    ("经济合同法", date(1982, 7, 1), _CONTRACT, _CONTRACT_SAYS),
    ("涉外经济合同法", date(1985, 7, 1), _CONTRACT, _CONTRACT_SAYS),
    ("技术合同法", date(1987, 11, 1), _CONTRACT, _CONTRACT_SAYS),
    ("刑法", date(1980, 1, 1), None, "《中华人民共和国刑法》（1979）第九条、（1997）第四百五十二条"),
    ("劳动合同法", date(2008, 1, 1), None, "《中华人民共和国劳动合同法》第九十八条"),
)

LIFETIMES: dict[str, Lifetime] = {
    f"中华人民共和国{law}": Lifetime(f"中华人民共和国{law}", first, last, basis)
    for law, first, last, basis in _STATED
} | {
    "中华人民共和国逮捕拘留条例": Lifetime(
        "中华人民共和国逮捕拘留条例", date(1954, 12, 20), date(1996, 12, 31), _PROCEDURE_1996, certain=False
    )
}
"""Official title -> when the law was in force. `certain` False: from general knowledge, to be looked up before
use."""

_ENDED_BY_CODE = "婚姻法 继承法 民法通则 收养法 担保法 合同法 物权法 侵权责任法 民法总则".split()
_ENDED_BY_CONTRACT = "经济合同法 涉外经济合同法 技术合同法".split()

SUCCESSIONS: tuple[Link, ...] = tuple(
    Link("succeeded", f"中华人民共和国{old}", None, f"中华人民共和国{new}", None, on, basis)
    for laws, new, on, basis in (
        (_ENDED_BY_CODE, "民法典", date(2021, 1, 1), _CODE_SAYS),
        (_ENDED_BY_CONTRACT, "合同法", date(1999, 10, 1), _CONTRACT_SAYS),
        (["逮捕拘留条例"], "刑事诉讼法", date(1997, 1, 1), _PROCEDURE_1996),
    )
    for old in laws
)
"""Laws whose matter another law took over on the day on which they ended."""


def successions_among(laws: set[str]) -> list[Link]:
    """The successions that begin with one of these laws; the law that follows may lie outside the pack."""
    return [link for link in SUCCESSIONS if link.from_law in laws]


STATE = "中华人民共和国"

ABBREVIATIONS: dict[str, tuple[str, ...]] = {
    "中华人民共和国宪法": ("宪",),
    "中华人民共和国民法典": ("民典",),
    "中华人民共和国刑事诉讼法": ("刑诉法", "刑诉"),
    "中华人民共和国民事诉讼法": ("民诉法", "民诉"),
    "中华人民共和国行政诉讼法": ("行诉法", "行诉"),
    "中华人民共和国海事诉讼特别程序法": ("海诉法", "海事诉讼法"),
    "中华人民共和国民法通则": ("民通",),
    "中华人民共和国民法总则": ("民总",),
    "中华人民共和国侵权责任法": ("侵权法",),
    "中华人民共和国治安管理处罚法": ("治安处罚法",),
    "中华人民共和国道路交通安全法": ("道交法",),
    "中华人民共和国消费者权益保护法": ("消法", "消保法"),
    "中华人民共和国劳动争议调解仲裁法": ("劳动争议仲裁法",),
    "中华人民共和国企业破产法": ("破产法",),
    "中华人民共和国反不正当竞争法": ("反法",),
    "中华人民共和国国家赔偿法": ("国赔法",),
    "中华人民共和国逮捕拘留条例": ("拘留逮捕条例",),
    "最高人民法院关于适用《中华人民共和国民法典》时间效力的若干规定": ("时间效力规定",),
}
"""Official title -> short names beside the one without 中华人民共和国, which every law has."""

_VERSION = re.compile(
    r"\((?:\d{4}(?:[-./年]\d{1,2}(?:[-./月]\d{1,2}日?)?)?年?)?(?:第[一二三四五六七八九十\d]+次)?"
    r"(?:修正|修订|修改|试行|公布|通过|施行|版本?|文本)?(?:文本|版本?)?\)$"
)
_INTERPRETATION = re.compile(
    r"^最高人民(?:法院|检察院)(?:、最高人民检察院)?关于适用《(?:中华人民共和国)?([^《》]+)》(?:有关)?([^《》]*?)"
    r"(?:若干问题)?的?(?:若干)?(解释|规定)(?:\(([一二三四五六七八九十]{1,2})\))?$"
)
"""Law, part of it, kind and number of an interpretation, as its title gives them."""
_AMENDMENT = re.compile(r"^(.+)修正案(?:\(([一二三四五六七八九十]{1,3})\))?$")
_AMENDED = ("{0}修正案{1}", "修正案({1})", "修正案{1}", "刑修{1}", "修{1}")
"""How people name an amendment by its number; only those of the criminal law are numbered."""
_MARKS = str.maketrans("", "", "《》〈〉<>「」“”\"' \t\r\n\u00a0\u200b\ufeff")


def without_version(name: str) -> str:
    """The name of a law without the bracket that names a version: 刑法(2020修正) is 刑法."""
    stripped = name.strip()
    match = _VERSION.search(fold_width(stripped))
    return stripped[: match.start()].rstrip() if match and match.group() != "()" and match.start() else stripped


def is_revision(label: str) -> bool:
    """Whether the label of a version says that an earlier one existed: 公司法(2018修正), 刑法(1997修订)."""
    match = _VERSION.search(fold_width(label.strip()))
    return match is not None and any(word in match.group() for word in ("修正", "修订", "修改"))


def short_name(name: str) -> str:
    """The title without 中华人民共和国."""
    return name.removeprefix(STATE) or name


def key_of_name(name: str) -> str:
    """What all ways to write one title have in common."""
    return fold_width(without_version(name.strip().strip("《》"))).translate(_MARKS).replace(STATE, "").lower()


def aliases_of(name: str, *others: str) -> list[str]:
    """Keys under which a law is found: its own, those of its short names, and those of other names that are given."""
    folded = fold_width(name)
    amendment, interpretation = _AMENDMENT.search(folded), _INTERPRETATION.search(folded)
    short = [form.format(*amendment.groups()) for form in _AMENDED] if amendment and amendment[2] else []
    if interpretation:
        law, part, kind, number = interpretation.groups("")
        laws = (law, *ABBREVIATIONS.get(STATE + law, ()))
        kinds = (kind, "解释", "司法解释")
        short += [
            f"{said}{part}{word}{n}" for said in laws for word in kinds for n in {number, number and f"({number})"}
        ]
    names = (name, *ABBREVIATIONS.get(name, ()), *short, *others)
    return sorted({key for text in names if (key := key_of_name(text))})


def without_amendment(name: str) -> str:
    """The law that an amendment changes by its title: 刑法 of 刑法修正案（九）; nothing for what is no amendment."""
    match = _AMENDMENT.search(fold_width(name))
    return match[1] if match else ""
