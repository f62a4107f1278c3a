"""Temporal awareness: which search queries name a time, and whether answers follow the date.

The paper counts "queries with explicit temporal references" without a rule. Ours: a query is temporally aware when it
names at least one of
  date      a day or a month of a year: 2004年3月1日, 2004-03-01, 2012.3, 二〇一二年三月
  version   a year as the mark of a version: (2012修正), 2009年第二次修正, 刑法修正案(八), 97刑法, 1997年版
  year      a year: 2015年, 二〇一五年, 2015 standing alone; not the year of a case number, not a count (2000元)
  relative  a time relative to now, to the facts or to an amendment: 去年, 三年前, 当时, 行为时, 现行, 修正前, 施行后
The first kind that fits is the query's kind. `explicit` leaves out the relative ones.

Temporal consistency is measured on time-travel pairs: the same facts at two dates with opposite answers. A pair is
consistent when both answers are right. Whoever gives one answer to both, whatever the date, is at 0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from store.text.normalise import fold_width
from tasks.legalsearch.questions import Question
from tasks.scoring.statistics import rate_interval

TimeKind = Literal["date", "version", "year", "relative"]
TIME_KINDS: tuple[TimeKind, ...] = ("date", "version", "year", "relative")
SEARCH_TOOLS = ("rag_retrieve", "web_search")
Data = dict[str, Any]
"""JSON data of an analysis, as commands print it."""
TOOLS = (*SEARCH_TOOLS, "browse_webpage")

_YEAR = r"(?<![0-9.])(?:19|20)[0-9]{2}(?![0-9])"
_HAN_DIGIT = "〇零○一二三四五六七八九"
_HAN_YEAR = rf"(?<![{_HAN_DIGIT}])[一二][{_HAN_DIGIT}]{{3}}年"
_HAN_NUMBER = "一二三四五六七八九十两"
_CASE_NUMBER = re.compile(r"[(\[〔](?:19|20)[0-9]{2}[)\]〕][^()\s,。;]{0,20}?号")
_RULES: tuple[tuple[TimeKind, re.Pattern[str]], ...] = (
    (
        "date",
        re.compile(rf"(?:{_YEAR} ?年 ?|{_HAN_YEAR})[0-9{_HAN_NUMBER}]{{1,3}} ?月|{_YEAR}[-/.][0-9]{{1,2}}(?![0-9])"),
    ),
    (
        "version",
        re.compile(
            rf"(?:{_YEAR} ?年?|{_HAN_YEAR}|(?<![0-9])[789][0-9]年?)(?:第[{_HAN_NUMBER}]次)?"
            r"(?:修[正订改]|版|刑法|民诉|刑诉)"
            rf"|修正案[(]?(?:第?[{_HAN_NUMBER}0-9])|(?:第[{_HAN_NUMBER}]次修[正订])"
        ),
    ),
    ("year", re.compile(rf"{_YEAR}(?! ?[元万亿人个件条份克吨米次名头只号%])|{_HAN_YEAR}")),
    (
        "relative",
        re.compile(
            r"[今去前明后]年(?![龄纪度])|[本上当]年(?!龄)|(?<!基)[本上]个?月|目前|现行|现在|如今|最新|当时|行为时"
            r"|案发时|裁判时|审判时|届时"
            rf"|[0-9{_HAN_NUMBER}]{{1,3}}个?[年月日天](?:之|以)?前(?!款)"
            r"|(?:修[正订改]|施行|生效|实施|颁布|废止)(?:之|以)?[前后]|旧法|新法|从旧兼从轻|溯及"
        ),
    ),
)


def time_kind(query: str) -> TimeKind | None:
    """The kind of time that a query names, None for none. Total."""
    folded = _CASE_NUMBER.sub("", fold_width(query))
    return next((kind for kind, rule in _RULES if rule.search(folded)), None)


def queries_of(arguments: object) -> tuple[str, ...]:
    """The query strings in the arguments of a search call: a text or a list of texts under `query`; others count
    none."""
    found = arguments.get("query") if isinstance(arguments, Mapping) else None
    if isinstance(found, str):
        return (found,)
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list | tuple) else ()


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool call of an episode. `tokens`: how long the answer was, in tokens as the engine counts, 0 when
    unknown."""

    task: str
    tool: str
    queries: tuple[str, ...] = ()
    tokens: int = 0


@dataclass(slots=True)
class _Count:
    calls: int = 0
    queries: int = 0
    tokens: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, use: ToolUse) -> None:
        self.calls += 1
        self.queries += len(use.queries)
        self.tokens += use.tokens
        self.kinds.update(kind for kind in map(time_kind, use.queries) if kind is not None)

    def as_dict(self) -> dict[str, object]:
        aware = self.kinds.total()
        return {
            "calls": self.calls,
            "queries": self.queries,
            "aware": aware,
            "explicit": aware - self.kinds["relative"],
            "share": aware / self.queries if self.queries else None,
            "kinds": {kind: self.kinds[kind] for kind in TIME_KINDS},
            "tokens": self.tokens,
        }


def awareness(uses: Iterable[ToolUse]) -> Data:
    """Calls, queries and temporally aware queries: in all, by tool, and by task and tool. Pages count calls only."""
    total, by_tool = _Count(), {tool: _Count() for tool in TOOLS}
    by_task: dict[str, dict[str, _Count]] = {}
    for use in uses:
        cells = by_task.setdefault(use.task, {})
        for count in (total, by_tool.setdefault(use.tool, _Count()), cells.setdefault(use.tool, _Count())):
            count.add(use)
    return {
        "all": total.as_dict(),
        "by_tool": {tool: count.as_dict() for tool, count in by_tool.items()},
        "by_task": {
            task: {tool: count.as_dict() for tool, count in cells.items()} for task, cells in sorted(by_task.items())
        },
    }


@dataclass(frozen=True, slots=True)
class PairMember:
    """One half of a time-travel pair as it was answered. `read` is the answer in one spelling: equal means the
    same."""

    question: Question
    right: bool
    read: str


def consistency(members: Sequence[PairMember]) -> Data:
    """Temporal consistency over all complete pairs.

    consistent: both right; blind: not consistent, one answer to both dates; swapped: both wrong, with two answers;
    other: one right, the other wrong in its own way. `rate` is the share of consistent pairs, from 0 to 1, `interval`
    Wilson's; `gain` is what right answers alone would not show: the rate less the square of the share of right
    answers, which two dates answered independently would reach.
    """
    pairs: dict[str, list[PairMember]] = {}
    for member in members:
        if member.question.gold.pair:
            pairs.setdefault(member.question.gold.pair, []).append(member)
    complete = [pair for pair in pairs.values() if len(pair) == 2]
    kinds = Counter(_pair_kind(*pair) for pair in complete)
    hits = [_pair_kind(*pair) == "consistent" for pair in complete]
    interval = rate_interval(hits, list(range(len(hits))))
    right = sum(member.right for pair in complete for member in pair)
    rate = sum(hits) / len(hits) if hits else None
    return {
        "n": len(complete),
        "incomplete": len(pairs) - len(complete),
        "rate": rate,
        "interval": [interval.low, interval.high] if interval else None,
        "gain": None if rate is None else rate - (right / (2 * len(complete))) ** 2,
        **{kind: kinds[kind] for kind in ("consistent", "blind", "swapped", "other")},
    }


def _pair_kind(first: PairMember, second: PairMember) -> str:
    if first.right and second.right:
        return "consistent"
    if first.read == second.read:
        return "blind"
    return "swapped" if not first.right and not second.right else "other"
