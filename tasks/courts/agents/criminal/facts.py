"""The facts as they are charged: the counts of an indictment, and the sums, weights and days in them. Yuan, grams, days.

A count is a numbered paragraph, or a part with a day of its own; an indictment without either is one count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache

from store.text.numerals import to_decimal
from tasks.courts.agents.criminal.charges import charged
from tasks.courts.agents.criminal.heard import Heard
from tasks.courts.agents.criminal.law import conduct
from tasks.courts.scores.bigrams import bigrams
from tasks.legalsearch.rules.facts import read_facts

_FACTS = re.compile(
    r"(?:审查查明|查明|指控)[：:，,]?\s*(?P<facts>.+?)(?=认定(?:上述|以上)事实的证据|(?:上述|以上)事实[，,]?(?:被告人|且?有|经)|本院认为|被告人[\u4e00-\u9fff·]{1,8}的行为(?:触犯|应当|已?构成)|量刑建议[：:]|$)",
    re.DOTALL,
)
_QUALIFIED = re.compile(r"，?其行为(?:已经?)?(?:构成|触犯)[^。]{0,60}。")
_NUMBERED = re.compile(r"(?:^|(?<=[。；：:;\s]))(?:[一二三四五六七八九十]{1,2}、|[（(][一二三四五六七八九十]{1,2}[）)]|[1-9][0-9]?[、．]|第[一二三四五六七八九十]起[，：:])")
_POINT = re.compile(r"(?:^|(?<=[。；：\n]))\s*(?:[一二三四五六七八九]、|第[一二三四五六七八九]，|[一二三四五六七八九]是|[（(][一二三四五六七八九1-9][）)]|[1-9][.、．])")
_AFTERWARDS = re.compile(r"^(?:上述|案发后|到案后|归案后|被告人[^。，]{1,8}(?:共|到案|归案)|[^。]{0,24}(?:抓获|传唤|到案|归案|查获归案))")
_SUM = re.compile(r"(?P<n>(?:[0-9]{1,3}(?:[,，][0-9]{3})+|[0-9]{1,14})(?:\.[0-9]{1,4})?[万千]?|[一二三四五六七八九十百千万两壹贰叁肆伍陆柒捌玖拾佰仟零〇]{2,14})(?:余)?元")
_SHORT_SUM = re.compile(r"(?<![0-9一-鿿])?(?P<n>[一二三四五六七八九]万[一二三四五六七八九](?![千百十万]))")
_WEIGHT = re.compile(r"(?P<n>[0-9]+(?:\.[0-9]+)?)(?P<unit>千克|公斤|克)")
_SPOKEN = re.compile(r"(?P<m>\d{1,2}|[一二三四五六七八九十]{1,2})月(?P<d>\d{1,2}|[一二三四五六七八九十]{1,3})[日号]")
_LISTED = re.compile(r"(?:\d{4}年)?\d{1,2}月\d{1,2}日(?:(?:、|和|以及|及)(?:\d{4}年)?(?:\d{1,2}月)?\d{1,2}日)+")
"""Days of several acts in one sentence: 3月2日、3月5日和4月1日."""
_TIMES = re.compile(r"先后|分别|各|(?:[一二两三四五六七八九十]{1,2}|\d{1,2})(?:次|起|笔)")
_SUMMED = re.compile(r"(?:，|、)(?:共|合|总|累)?计[^，。；]*|，(?:收取|得款|获利|非法获利)[^。；]*|（[^（）]*）")
"""What a sentence says of all these acts together."""
_ALL_OF_IT = re.compile(r"(?:共|合计|共计|总计|计)[^，。；]{0,16}克")
"""The clause that adds up the others: 共贩卖三次，计2.4克."""
_DAY = re.compile(r"(?:(?P<y>\d{4})年)?(?P<m>\d{1,2})月(?P<d>\d{1,2})日")
_TAKES = re.compile(r"骗[取得走]|窃[得取]|盗[走得窃]|[抢夺]走|抢[得劫]|劫[得取]|索[得取]|勒索|敲诈|侵占|收受")
_SPENT = re.compile(r"卖[给掉]|变卖|销赃|转卖|典当|所得")
"""Sentences on what became of the things taken."""
_TOTAL = re.compile(r"(?:共计|总计|合计|价值(?:总额)?|侵占(?:货款)?|数额)[^，。；]{0,10}$")
_PRICE = re.compile(r"(?:每[组个台件只克份]|单价)[^，。；]{0,4}$|以$")
_REST = re.compile(r"赔偿|退赔|退缴|获利|收取定金|维修费|谅解|已发还|付息|利息")


@dataclass(frozen=True)
class Count:
    """One thing that is charged. charge: name with 罪, '' where the indictment has no counts of its own for charges."""

    text: str
    charge: str
    whole: str = ""
    """The charge of several acts of which this is one, where it gives them in one sentence by their days."""

    @cached_property
    def sums(self) -> frozenset[float]:
        """Yuan."""
        return frozenset(sums(self.text))

    @cached_property
    def days(self) -> frozenset[str]:
        """As 3月5日."""
        return frozenset(days(self.text))

    @cached_property
    def pairs(self) -> frozenset[str]:
        """Pairs of characters."""
        return bigrams(self.text)


def charged_facts(heard: Heard) -> str:
    """What the prosecution says happened, without heading, law and request; '' where nothing was read."""
    read = heard.answers("procurator", "indictment")
    match = _FACTS.search(read, max(0, read.rfind("审理查明")))
    return _QUALIFIED.sub("。", (match["facts"] if match else read).strip())


def counts(heard: Heard) -> tuple[Count, ...]:
    """The counts in their order, each with its charge."""
    facts, names = charged_facts(heard), charged(heard)
    return _counts(facts, names)


@lru_cache(maxsize=64)
def _counts(facts: str, names: tuple[str, ...]) -> tuple[Count, ...]:
    if not facts:
        return ()
    parts = _split(facts)
    return tuple(Count(part, _charge_of(part, names)) for part in parts)


def by_day(count: Count) -> tuple[Count, ...]:
    """The acts of a count that names them by their days in one sentence, each with what is told of its day alone."""
    parts = re.split(r"(?<=。)", count.text)
    place, match = next(((at, found) for at, part in enumerate(parts) if (found := _LISTED.search(part))), (0, None))
    if match is None:
        return (count,)
    head, rest = parts[place], [part for at, part in enumerate(parts) if at != place]
    acts = []
    for day in _full_days(match[0]):
        told = _SUMMED.sub("", _TIMES.sub("", head.replace(match[0], day)))
        own = "".join(part for part in rest if set(days(part)) == set(days(day)))
        acts.append(Count(f"{told.rstrip('。')}。{own}", count.charge, count.text))
    return tuple(acts)


def _full_days(listed_days: str) -> list[str]:
    """3月2日、5日 -> 3月2日, 3月5日, with the year where it was named."""
    found, year, month = [], "", ""
    for match in re.finditer(r"(?P<y>\d{4}年)?(?P<m>\d{1,2}月)?(?P<d>\d{1,2}日)", listed_days):
        year, month = match["y"] or year, match["m"] or month
        found.append(f"{year}{month}{match['d']}")
    return found


def _split(facts: str) -> list[str]:
    marks = list(_NUMBERED.finditer(facts))
    if len(marks) > 1:
        ends = [*(mark.start() for mark in marks[1:]), len(facts)]
        found = [facts[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
        return [*found[:-1], _without_rest(found[-1])]
    parts = [part for part in re.split(r"；", facts) if part.strip()]
    if len(parts) > 1 and all(_DAY.search(part) for part in parts):
        return [*parts[:-1], _without_rest(parts[-1])]
    return [facts]


def _without_rest(text: str) -> str:
    """The last count ends where the text goes on to what came after the crime."""
    kept: list[str] = []
    for sentence in re.findall(r"[^。]*。?", text):
        if kept and _AFTERWARDS.match(sentence.strip()):
            break
        kept.append(sentence)
    return "".join(kept).strip()


def rest_of(facts: str, found: Iterable[Count]) -> str:
    """What the indictment tells beside its counts."""
    for count in found:
        facts = facts.replace(count.text, "")
    return facts


def _charge_of(text: str, names: tuple[str, ...]) -> str:
    """The charge that a count bears out, of several."""
    if len(names) < 2:
        return names[0] if names else ""
    points = read_facts(text).points
    scored = {name: points.get(name.removesuffix("罪"), 0.0) + _likeness(text, name) for name in names}
    return max(names, key=lambda name: scored[name])


def _likeness(text: str, name: str) -> float:
    wanted = bigrams(conduct(name) + name)
    return 10 * len(wanted & bigrams(text)) / max(1, len(wanted))


def sums(text: str) -> list[float]:
    """Sums of a text in yuan: 92000元, 九万二千元, 三万九."""
    found = []
    for match in _SUM.finditer(text):
        value = _yuan(match["n"])
        if value is not None and value > 0:
            found.append(value)
    for match in _SHORT_SUM.finditer(text):
        if (short := _yuan(match["n"] + "千")) is not None:
            found.append(short)
    return found


def days(text: str) -> list[str]:
    """Days of a text without the year: 2024年3月5日, 三月五号 -> 3月5日."""
    found = ((to_decimal(match["m"]), to_decimal(match["d"])) for match in _SPOKEN.finditer(text))
    return [f"{int(month)}月{int(day)}日" for month, day in found if month is not None and day is not None]


def calendar_days(text: str) -> list[date]:
    """Days of a text; one without a year is of the year named before it."""
    found, year = [], 0
    for match in _DAY.finditer(text):
        year = int(match["y"] or year)
        try:
            found.append(date(year, int(match["m"]), int(match["d"])))
        except ValueError:
            continue
    return found


def conduct_days(text: str) -> list[date]:
    """Days of the conduct itself, without those of arrest, payment and the like."""
    acts = [part for part in re.split(r"(?<=。)", text) if not _AFTERWARDS.match(part.strip()) and not _REST.search(part)]
    return calendar_days("".join(acts)) or calendar_days(text)


def weight(text: str) -> float:
    """All weights of a text together, in grams."""
    return round(sum(float(m["n"]) * (1 if m["unit"] == "克" else 1000) for m in _WEIGHT.finditer(text)), 3)


def total_weight(text: str) -> float:
    """What a text comes to in grams: the total that it names, or all its weights beside that, whichever is more."""
    totals = [weight(match[0]) for match in _ALL_OF_IT.finditer(text)]
    return max([weight(_ALL_OF_IT.sub("", text)), *totals])


def main_sum(text: str) -> float:
    """The sum that a count is about: the total it names, else its largest that is no price and nothing paid back."""
    named: list[float] = []
    totals: list[float] = []
    for match in _SUM.finditer(text):
        value = _yuan(match["n"])
        before = text[max(0, match.start() - 16) : match.start()]
        if value is None or _REST.search(before[-10:]):
            continue
        if _TOTAL.search(before.removesuffix("人民币")):
            totals.append(value)
        elif not _PRICE.search(before) or "的价格" not in text[match.end() : match.end() + 4]:
            named.append(value)
    return max(totals or named, default=0.0)


def whole_sum(text: str) -> float:
    """What a count comes to: its main sum, or all that it tells of takings on days of their own, where that is more."""
    acts = [part for part in re.split(r"(?<=[。；])", text) if _DAY.search(part) and _TAKES.search(part)]
    acts = [part for part in acts if not _AFTERWARDS.match(part.strip()) and not _SPENT.search(part)]
    return max(main_sum(text), sum(map(main_sum, acts)))


def figure(value: float) -> str:
    """A sum or a weight as judgments write it: 3032000, 53122.2, 0.35."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _yuan(text: str) -> float | None:
    value = to_decimal(text.replace(",", "").replace("，", ""))
    return None if value is None else float(value)


def listed(text: str) -> bool:
    """Whether a plea numbers its points."""
    return bool(_POINT.search(text))


def points_of(text: str) -> tuple[str, ...]:
    """The points of a plea: what stands before the first, then each numbered one; sentences where none is numbered.

    A sentence that ends in a colon goes on to the end of its list: 具有以下情节：坦白；退赔。
    """
    marks = list(_POINT.finditer(text))
    if not marks:
        return tuple(part for part in re.split(r"(?<=[。\n])", text) if part.strip())
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return (text[: marks[0].start()], *(text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)))
