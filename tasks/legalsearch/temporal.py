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
from dataclasses import dataclass
from typing import Any, Literal

from store.journal import Journal
from store.text.charges import charges
from store.text.normalise import fold_width
from tasks.episode.events import ToolCalled
from tasks.legalsearch import published
from tasks.legalsearch.answers import letters, strict_answer, term
from tasks.legalsearch.measures import strict_score
from tasks.legalsearch.questions import LawQuestion, by_id
from tasks.reports.plots import LIMIT, OWN, bars
from tasks.reports.words import word
from tasks.run.reading import read_episode
from tasks.run.rescoring import StoredRun
from tasks.scoring.metrics import EMPTY, Cell, Table, TableRow
from tasks.scoring.statistics import rate_interval

TimeKind = Literal["date", "version", "year", "relative"]
TIME_KINDS: tuple[TimeKind, ...] = ("date", "version", "year", "relative")
PAIR_KINDS = ("consistent", "blind", "swapped", "other")
Data = dict[str, Any]
"""JSON data of an analysis."""
PRINTED = (("least", 97), ("most", 227), ("in", 502), ("out", 537))
"""Temporally aware queries over all questions of a domain, as the paper says them in words."""

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


def awareness(queries: Iterable[str]) -> Data:
    """How many queries name a time: `queries`, `aware`, `explicit` (without relative times), `share` (None without
    any query), `kinds`."""
    kinds = [time_kind(query) for query in queries]
    count = Counter(kind for kind in kinds if kind is not None)
    aware = count.total()
    return {
        "queries": len(kinds),
        "aware": aware,
        "explicit": aware - count["relative"],
        "share": aware / len(kinds) if kinds else None,
        "kinds": {kind: count[kind] for kind in TIME_KINDS},
    }


@dataclass(frozen=True, slots=True)
class PairMember:
    """One half of a time-travel pair as it was answered. `read` is the answer in one spelling: equal means the
    same."""

    question: LawQuestion
    right: bool
    read: str


def pair_member(question: LawQuestion, res: str) -> PairMember:
    """An answer to one half of a time-travel pair, read strictly. A recital is right from the ROUGE-L of the reward
    on."""
    score = strict_score(question, res) or 0.0
    return PairMember(question, score >= published.LAR_PASS, one_spelling(question, res))


def one_spelling(question: LawQuestion, res: str) -> str:
    """An answer so written that equal answers are equal texts."""
    read, form = strict_answer(res), question.kind.form
    if form == "letters" and (chosen := letters(read, question.options)) is not None:
        return "".join(sorted(chosen))
    if form == "charges" and (named := charges(read)):
        return "；".join(sorted(map(str, named)))
    if form == "months" and (given := term(read)) is not None:
        return f"{given.kind} {given.months}"
    return published.recital(read)


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
        **{kind: kinds[kind] for kind in PAIR_KINDS},
    }


def _pair_kind(first: PairMember, second: PairMember) -> str:
    if first.right and second.right:
        return "consistent"
    if first.read == second.read:
        return "blind"
    return "swapped" if not first.right and not second.right else "other"


def query_table(run: StoredRun, language: str) -> Table | None:
    """How many queries of a run name a time and its plot, beside what the paper printed of its agents (section 5,
    Figure 3); None where nothing was asked of a tool."""
    queries: list[str] = []
    with Journal.open(run.path) as journal:
        for row in journal.episodes():
            for record in read_episode(journal, row.id):
                if isinstance(record.event, ToolCalled) and record.event.seat == run.bench.seat:
                    queries += queries_of(record.event.input)
    count = awareness(queries)
    if not count["queries"]:
        return None
    name = str(run.header["run"])
    own = TableRow(
        (name,),
        tuple(Cell(float(count[key]), count=True) for key in ("queries", "aware", "explicit"))
        + (Cell(100 * count["share"]),),
    )
    printed = [(word(f"beside.queries.{key}", language), number) for key, number in PRINTED]
    rows = [
        TableRow((label,), (EMPTY, Cell(float(number), count=True), EMPTY, EMPTY), "published")
        for label, number in printed
    ]
    columns = [word(f"beside.queries.{key}", language) for key in ("all", "aware", "explicit", "share")]
    title = f"{word('beside.queries', language)} · {name}"
    counts = [(name, int(count["aware"]), OWN), *((label, number, LIMIT) for label, number in printed)]
    drawn = bars([(label, number, str(number), colour) for label, number, colour in counts], title)
    note = word("beside.queries.note", language)
    return Table("queries", title, (word("beside.run", language),), tuple(columns), (own, *rows), (note,), 1, drawn)


def pair_table(run: StoredRun, language: str) -> Table | None:
    """Temporal consistency of a run over the time-travel pairs that it played; None where there is none. Of several
    plays of a task the first counts."""
    questions = by_id(run.questions)
    found = consistency(
        [pair_member(questions[one.result.task_id], one.result.res) for one in run.attempts if one.result.epoch == 0]
    )
    if not found["n"]:
        return None
    low, high = found["interval"] or (None, None)
    rates = (Cell(100 * found["rate"], low and 100 * low, high and 100 * high), Cell(100 * found["gain"]))
    counts = tuple(Cell(float(found[key]), count=True) for key in ("n", *PAIR_KINDS))
    columns = [word(f"beside.pairs.{key}", language) for key in ("rate", "gain", "n", *PAIR_KINDS)]
    name = str(run.header["run"])
    title = f"{word('beside.pairs', language)} · {name}"
    return Table(
        "pairs", title, (word("beside.run", language),), tuple(columns), (TableRow((name,), (*rates, *counts)),)
    )
