"""Whether somebody answered what was asked, and which exhibits a text means.

A reply counts when it speaks to the question: 申请 or 不申请 to 回避, a name or confirmation to identity, an exhibit
of the case when evidence is called. What a party says on the merits is never judged here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

from store.text.ideographs import HAN
from store.text.numerals import chinese_to_int
from tasks.courts.procedure.turns import Item
from tasks.courts.scores.bigrams import bigrams, recall

MAX_REPLY = 20_000
"""Characters of a reply that are read."""

_BROKEN = re.compile(
    r"\s*(?:[\[【（(]?(?:错误|出错|error|调用失败|请求失败|超时|timeout)|none\s*$|null\s*$)", re.IGNORECASE
)
_WORDS = re.compile(rf"[{HAN}A-Za-z0-9]")
_PLAIN_NO = r"(?:^|[，。、；,\s])(?:没有了?|无|不需要|不用|否|不)(?:[，。；！,\s]|$)"
_KINDS = {
    "identity": re.compile(
        rf"属实|无误|确认|没错|正确|[12]\d{{3}}年|住所地|法定代表人|负责人|[{HAN}]族|出生|身份证|代理人"
    ),
    "recusal": re.compile(r"回避|申请|没有异议|无异议|" + _PLAIN_NO),
    "mediation": re.compile(r"调解|和解|同意|愿意|不愿|拒绝|可以|接受|方案"),
    "view": re.compile(
        r"真实性|合法性|关联性|三性|异议|认可|质证|证明目的|证明力|意见|属实|看[清过到]|无关|不予|不能证明"
        r"|不认|认的|都?认[，。；！]|真的|假的|伪造|(?:是|不是)我|签的|收到|" + _PLAIN_NO
    ),
    "evidence": re.compile(r"证据|出示|提交|真实性|合法性|关联性|三性|异议|质证|证明|认可|" + _PLAIN_NO),
    "plea": re.compile(r"异议|认罪|不认|我认|属实|承认|否认|意见|冤|没有做|没做|不是我|是我|" + _PLAIN_NO),
}
_DIGIT = "一二三四五六七八九"
_NUMBER = rf"(?:\d{{1,2}}|[{_DIGIT}]?十[{_DIGIT}]?|[{_DIGIT}])(?!性)"
_NUMBERED = re.compile(rf"证据\s*({_NUMBER})((?:\s*(?:[、和及与，,]|至|到|[-—~])\s*(?:证据)?\s*{_NUMBER})*)")
_ORDINAL = re.compile(rf"第\s*({_NUMBER})\s*(?:份|项|号|件)?证据|({_NUMBER})\s*号证据")
_MORE = re.compile(rf"([、和及与，,]|至|到|[-—~])\s*(?:证据)?\s*({_NUMBER})")
_BRACKETS = re.compile(r"[（(【\[][^（(【\[）)】\]]{0,80}[）)】\]]")
_NOISE = re.compile(
    r"[《》“”「」\"'\s]|打印件|复印件|原件|[一二两三四五六七八九十\d]+(?:份|张|页|册|笔|组|个|把|部)|若干"
)
ALL_MEANT = re.compile(r"其余|其他证据|全部|所有|均|都没|都无|上述证据|以上证据")
"""Words by which an opinion reaches beyond the exhibits it names."""
_NEAR = 0.5
"""Share of the pairs of a title by which it is known."""
_FEWEST = 3
"""A part of a title shorter than this names nothing; a whole title (借条) may be shorter."""


def broken(text: str) -> bool:
    """Whether a reply is empty or the trace of a failure."""
    return not _WORDS.search(text[:MAX_REPLY]) or bool(_BROKEN.match(text))


def responsive(kind: str, text: str, names: Iterable[str] = ()) -> bool:
    """Whether a reply answers a question of a kind (see `reply` in the tables); exhibits are judged by
    `items_named`."""
    text = text[:MAX_REPLY]
    if broken(text):
        return False
    if kind == "identity" and any(name in text for name in names if name):
        return True
    if pattern := _KINDS.get(kind):
        return bool(pattern.search(text))
    return kind != "open" or len(_WORDS.findall(text)) >= 4


def items_named(text: str, items: Sequence[Item]) -> tuple[Item, ...]:
    """The exhibits of one side that a text names by number (证据一, 第2份证据, 证据一至三) or by title, in their
    order."""
    return _named(text, tuple(items))


@lru_cache(maxsize=64)
def _named(text: str, items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Remembered: every act of a turn asks about the whole turn."""
    text = text[:MAX_REPLY]
    numbers = numbers_named(text)
    bare = _NOISE.sub("", _BRACKETS.sub("", text))
    aliases, twins = _aliases(items)
    named = tuple(
        item
        for item in items
        if item.number in numbers
        or any(alias in bare for alias in aliases[item.id] if not (numbers and alias in twins))
    )
    return named or _nearest(bare, items)


def _nearest(bare: str, items: Sequence[Item]) -> tuple[Item, ...]:
    """The exhibit most of whose title a text says in other order or with words between (腊月十八写的收条)."""
    said = bigrams(bare)
    share = {item: recall(bigrams(_NOISE.sub("", item.title)), said) for item in items}
    best = max(share.values(), default=0.0)
    near = [item for item, value in share.items() if value == best >= _NEAR]
    return tuple(near) if len(near) == 1 else ()


@lru_cache(maxsize=1024)
def numbers_named(text: str) -> frozenset[int]:
    """Numbers of exhibits in a text; ranges are filled."""
    found: set[int] = set()
    for match in _NUMBERED.finditer(text):
        last = _value(match[1])
        found.add(last)
        for joint, number in _MORE.findall(match[2]):
            value = _value(number)
            found.update(range(last, value + 1) if joint in "至到-—~" else (value,))
            last = value
    for match in _ORDINAL.finditer(text):
        found.add(_value(match[1] or match[2]))
    return frozenset(found)


def _value(number: str) -> int:
    return int(number) if number.isdecimal() else chinese_to_int(number) or 0


@lru_cache(maxsize=64)
def _aliases(items: tuple[Item, ...]) -> tuple[dict[str, set[str]], set[str]]:
    """Names of each exhibit: the title, its parts at 、 and behind 的, and endings that no other exhibit here shares.
    And the names that two exhibits of one title bear (价格认定结论书（第一次）、（重新认定）): there the number says
    which is meant."""
    titles = {item.id: _NOISE.sub("", _BRACKETS.sub("", item.title)) for item in items}
    aliases: dict[str, set[str]] = {}
    for identity, title in titles.items():
        parts = {title, *title.split("、")}
        parts |= {part.rsplit("的", 1)[-1] for part in parts}
        parts |= {part[start:] for part in set(parts) for start in range(1, max(1, len(part) - _FEWEST + 1))}
        others = [other for key, other in titles.items() if key != identity]
        aliases[identity] = {
            part
            for part in parts
            if (part == title and len(part) >= 2)
            or (len(part) >= _FEWEST and not any(part in other for other in others))
        }
    return aliases, {alias for one, other in combinations(aliases.values(), 2) for alias in one & other}
