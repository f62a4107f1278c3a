"""Facts about national laws that do not depend on any imported file, each with the provision that says so.

They serve two ends: a law that ended has a successor to point to, and a version list that contradicts them is found.
Days are first and last days in force, inclusive.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from store.statutes.model import Link


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
