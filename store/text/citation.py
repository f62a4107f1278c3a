"""Numbers of articles and citations of statutes: 第一百三十三条之一, 第115条, 《刑法》第 二百五十三
条之一第二款第（三）项.

The one owner of how an article is named. A text that names none gives None or an empty list, never an error; a
numeral that two readers would read differently (第一百二条: 102 or 120?) names none. Offsets are in characters of the
given text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from store.statutes.model import LARGEST, ArticleNumber
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int

_HAN = "零〇○一二三四五六七八九十百千两廿卅壹贰貳叁參肆伍陆陸柒捌玖拾佰仟"
_BLANK = r"[ \t\r\n\u00a0\u200b\ufeff]"
# One script a numeral: in 第一百三十三条之一2015年 the year begins where the script changes.
_NUMERAL = rf"(?:[0-9](?:{_BLANK}{{0,3}}[0-9]){{0,15}}|[{_HAN}](?:{_BLANK}{{0,3}}[{_HAN}]){{0,15}})"
# 之一 begins other words as well: 第三条之一般规定.
_SUB = (
    rf"{_BLANK}{{0,3}}之{_BLANK}{{0,3}}(?P<sub>[0-9]{{1,2}}(?=(?:19|20)[0-9]{{2}}[年./-])|[0-9]{{1,2}}(?![0-9])"
    r"|[二三四]?十[一二三四五六七八九]?|[零一二三四五六七八九壹贰叁肆伍陆柒捌玖])(?!般|切|致|定|旦|种|些|部分|律)"
)
_ARTICLE = rf"第{_BLANK}{{0,3}}(?P<number>{_NUMERAL}){_BLANK}{{0,3}}条(?:{_SUB})?"
_PARAGRAPH = rf"{_BLANK}{{0,3}}第{_BLANK}{{0,3}}(?P<paragraph>{_NUMERAL}){_BLANK}{{0,3}}款"
_ITEM = rf"{_BLANK}{{0,3}}第{_BLANK}{{0,3}}\(?{_BLANK}{{0,3}}(?P<item>{_NUMERAL}){_BLANK}{{0,3}}\)?{_BLANK}{{0,3}}项"
_CITED = re.compile(f"{_ARTICLE}(?:{_PARAGRAPH})?(?:{_ITEM})?")
_ALONE = re.compile(
    rf"(?:第{_BLANK}{{0,3}})?(?P<number>{_NUMERAL})"
    rf"(?:{_BLANK}{{0,3}}(?:条{_BLANK}{{0,3}}之|条?{_BLANK}{{0,3}}-|之){_BLANK}{{0,3}}"
    rf"(?P<sub>{_NUMERAL}))?{_BLANK}{{0,3}}条?"
)
_BLANKS = re.compile(_BLANK)
_AMBIGUOUS = re.compile(r"[百佰千仟][一二三四五六七八九两壹贰貳叁參肆伍陆陸柒捌玖]$")

_BRACKETED = re.compile(
    rf"[《〈<](?P<law>[^《》〈〉<>\n]{{2,60}})[》〉>](?:{_BLANK}{{0,3}}\([^()\n]{{1,30}}\))?{_BLANK}{{0,3}}的?$"
)
_PLAIN = re.compile(
    rf"(?P<law>(?:[{HAN}、]{{1,40}})(?:法|法典|条例|规定|解释|办法|通则|总则|细则|规则|决定))"
    rf"(?:\([^()\n]{{1,30}}\))?{_BLANK}{{0,3}}的?$"
)
_LEAD = re.compile(
    r".*(?:依照|依据|根据|按照|参照|适用|违反|违背|触犯|符合|援引|引用|结合|关于|属于|以及|或者|并且|并|和|与|及|或"
    r"|即|是|对|由|在|为|按|依|据|、"
    rf"|我国|现行|修正后的|修订后的|修改后的|新|旧|原)(?=[{HAN}]{{2}})"
)
_KEEP = ("国家", "中华", "最高", "全国")
_SELF = frozenset({"本法", "本法典", "本条例", "本规定", "本解释", "本办法", "本细则", "本规则", "本决定"})
_SAME = frozenset({"同法", "该法", "前法", "该条例", "该解释", "该规定", "上述规定", "上述法"})
_BETWEEN = re.compile(rf"(?:{_BLANK}|[、,;，；和与及或至到]|以及|或者|并|的|规定){{0,6}}$")
_REACH = 72


@dataclass(frozen=True, slots=True)
class Citation:
    """One article that a text names.

    law: the title as written, without 《》, or None where the text gives none; start, end: the span, title included;
    paragraph 款, item 项.
    """

    law: str | None
    number: ArticleNumber
    start: int
    end: int
    paragraph: int | None = None
    item: int | None = None


def parse_number(text: str) -> ArticleNumber | None:
    """The article that a text names and nothing else: 第一百三十三条之一, 一百三十三, 133-1, 第１３３条.

    None when it names no article, or one that cannot be read in one way only.
    """
    if not isinstance(text, str) or len(text) > 80:
        return None
    match = _ALONE.fullmatch(fold_width(text).strip(" \t\r\n\u00a0\u200b\ufeff"))
    return _number(match["number"], match["sub"]) if match else None


def citations(text: str) -> list[Citation]:
    """All articles that a text names, in order; a list (第三条、第五条) hands the law of its first on to the
    others."""
    if not isinstance(text, str):
        return []
    folded = fold_width(text)
    found: list[Citation] = []
    for match in _CITED.finditer(folded):
        number = _number(match["number"], match["sub"])
        if number is None:
            continue
        floor = found[-1].end if found else 0
        before = folded[max(floor, match.start() - _REACH) : match.start()]
        law, length = _law_before(before)
        last = found[-1].law if found else None
        if law in _SAME or (
            law is None and found and floor + len(before) == match.start() and _BETWEEN.match(before)
        ):
            law = last
        elif law in _SELF:
            law = None
        start = match.start() - length
        found.append(
            Citation(law, number, start, match.end(), _plain_number(match["paragraph"]), _plain_number(match["item"]))
        )
    return found


def _law_before(before: str) -> tuple[str | None, int]:
    """The title that ends where an article begins, and how many characters of the text it takes."""
    if match := _BRACKETED.search(before):
        return match["law"].strip(), len(before) - match.start()
    match = _PLAIN.search(before)
    if match is None:
        return None, 0
    law = match["law"]
    lead = _LEAD.match(law)
    cut = lead.end() if lead else 0
    for word in _KEEP:
        # A title such as 最高人民法院关于… holds words that otherwise stand before titles.
        if 0 <= (place := law.find(word)) < cut:
            cut = place
    name = law[cut:]
    return (name, len(before) - match.start() - cut) if len(name) > 1 else (None, 0)


def _number(number: str, sub: str | None) -> ArticleNumber | None:
    first = _plain_number(number)
    second = 0 if sub is None else _plain_number(sub)
    return ArticleNumber(first, second) if first and second is not None and (sub is None or second) else None


def _plain_number(text: str | None) -> int | None:
    if text is None:
        return None
    value = _value(_BLANKS.sub("", text))
    return value if value is not None and 0 < value <= LARGEST else None


@lru_cache(maxsize=8192)
def _value(numeral: str) -> int | None:
    if numeral.isascii():
        return int(numeral) if numeral.isdigit() else None
    if any(character.isascii() for character in numeral) or _AMBIGUOUS.search(numeral):
        return None
    return chinese_to_int(numeral)


def nested_titles(text: str) -> str:
    """A text in which titles within titles stand in single brackets: 《关于适用〈民法典〉的解释》 (GB/T 15834,
    4.14.3.4)."""
    depth, made = 0, []
    for sign in text:
        depth -= sign == "》" and depth > 0
        made.append({"《": "〈", "》": "〉"}.get(sign, sign) if depth else sign)
        depth += sign == "《"
    return "".join(made)
