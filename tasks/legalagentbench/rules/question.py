"""Reads a question: the things it names, and in order every word that names a table, a column, a kind of thing or an
operation.

`words.toml` says what tables and columns are called. An operation is bound to the column beside it: 执行标的最高
ranks by 执行标的, 最高 alone by the first amount of whatever table it is applied to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from store.schema import TABLES
from store.tables import TomlTable, Words, beside
from tasks.legalagentbench.construct.follow import MEASURES
from tasks.legalagentbench.construct.tree import AMOUNTS, DATES, kind_of
from tasks.legalagentbench.rules.names import Entity, NameIndex, tidy

PICKS = frozenset(("max", "min", "second", "latest", "earliest", "mode"))
"""Operations that leave one row of several."""
FILTERS = frozenset(("year", "since", "above", "below", "role", "whole", "contains"))
"""Operations that leave the rows that fit."""
ANSWERS = frozenset(("count", "amount", "when", "sum", "average", "spread", "laws", "listed", "days", "years"))
"""Operations that say something of the rows."""
_LIGHT = frozenset(("amount", "when"))
_BY_DATE = frozenset(("latest", "earliest", "order", "year", "since"))
_BY_AMOUNT = frozenset(("max", "min", "second", "above", "below", "sum", "average", "spread"))

DAYS = frozenset(f"{table}.{column}" for table, columns in DATES.items() for column in columns)
MONEY = frozenset(f"{table}.{column}" for table, columns in AMOUNTS.items() for column in columns)
NUMBERS = MONEY | {
    f"{table}.{column}"
    for table in TABLES
    for column in TABLES[table]
    if column in MEASURES or column.endswith("比例")
}

PLAIN, LOOSE, IDLE, ASIDE = 2.0, 1.0, 0.5, 0.125
"""Hops that it costs to leave a word unexplained: one that names something of the tables, one that also
occurs without meaning a look-up (涉诉, 多少元), one that may name nothing in particular (公司, 案件); and by what the
weight of a word in an aside is multiplied."""
_IDLE_KINDS = frozenset(("company", "case"))


class _Words(TomlTable):
    rows: dict[str, Words]
    things: dict[str, Words]
    columns: dict[str, Words]
    operators: dict[str, Words]
    asides: dict[str, Words]


@dataclass(frozen=True, slots=True)
class Mention:
    """A word at text[start:end] and what it may name. columns: Table.column; of an operation those it works on.

    value: a year, a bound in yuan, a measure word, a role or a text, as the operation needs it.
    """

    start: int
    end: int
    rows: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    operator: str = ""
    value: str = ""
    weight: float = PLAIN


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question read. entities: the things named, each a possible start."""

    text: str
    entities: tuple[Entity, ...]
    mentions: tuple[Mention, ...]


@dataclass
class _Meanings:
    rows: list[str] = field(default_factory=list)
    things: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    operator: str = ""


@cache
def _table() -> _Words:
    return beside(__package__, "words", _Words)


@cache
def _vocabulary() -> tuple[Mapping[str, _Meanings], re.Pattern[str]]:
    """Word -> what it may name, and a pattern that finds the longest word at a place."""
    table, found = _table(), dict[str, _Meanings]()

    def of(word: str) -> _Meanings:
        return found.setdefault(word, _Meanings())

    for name in TABLES:
        for column in TABLES[name]:
            of(tidy(column).removesuffix("（元）")).columns.append(f"{name}.{column}")
    for columns, words in table.columns.items():
        for word in words:
            of(word).columns += [column for column in columns.split() if column not in of(word).columns]
    for rows, words in table.rows.items():
        for word in words:
            of(word).rows.append(rows)
    for kind, words in table.things.items():
        for word in words:
            of(word).things.append(kind)
    for operator, words in table.operators.items():
        for word in words if operator not in ("above", "below") else ():  # these need a bound beside them
            of(word).operator = operator
    return found, re.compile("|".join(map(re.escape, sorted(found, key=lambda word: (-len(word), word)))))


_COUNTED = r"(?P<count>次|家|件|个|起|条|名|份|笔|所|宗|例|项|位|间)"
_AMOUNT = r"(?:人民币)?(?P<amount>\d+(?:\.\d+)?)(?P<scale>[千百十]?万|亿)?元?"
_SCALES = {"": 1, "万": 10**4, "十万": 10**5, "百万": 10**6, "千万": 10**7, "亿": 10**8}
_VALUES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("since", re.compile(r"(?:自|从)?(?P<year>(?:19|20)\d{2})年(?:以来|以后|之后|后|起)")),
    (
        "listed",
        re.compile(
            r"是不?是(?:一?家)?上市公司|是否(?:已经?|是|为|属于)*(?:一?家)?上市(?:公司)?"
            r"|(?<=[些家个告业])(?:是|为)上市公司"
        ),
    ),
    ("year", re.compile(r"(?P<year>(?:19|20)\d{2})年(?!\d|月)(?:度|期间|里|内|间)?")),
    ("count", re.compile(rf"(?:多少|几|[NnX]|单位[：:为是]?){_COUNTED}(?!元|日|月|年|称)")),
    ("amount", re.compile(r"多少(?:人民币)?(?:亿元|万元|元|亿|万)|几(?:亿|万)?元")),
    ("role", re.compile(r"(?:作为|身为|以|充当|是)(?P<role>原告|被告)(?:方|的?身份)?(?!的?(?:律|公|是))")),
    ("role", re.compile(r"(?P<active>自己起诉|主动起诉)|(?P<passive>被起诉|被人起诉|被诉)(?!的?一?方)")),
    ("whole", re.compile(r"全资")),
    ("contains", re.compile(r"(?:包含|含有|含|带有|带)[“‘'\"「](?P<text>[^”’'\"」]{1,12})[”’'\"」]")),
)
_FIRM = r"[^，。；？！]{0,6}?(?:律师事务所|律所|事务所|代理律师)"
_SIDE = re.compile(rf"(?P<side>原告|被告){_FIRM}|(?:代理|替|为|帮)(?P<other>原告|被告){_FIRM}")
_CLAUSE = re.compile(r"（[^（）]+）|[^，。；？！：（）,;?!:]+")
_BASIS = re.compile(r"为准|为序|算|计(?![^，。；？]{0,3}(?:多少|几))")


def read(question: str, names: NameIndex) -> ParsedQuestion:
    """The things and words of a question."""
    text = tidy(question)
    entities = tuple(names.find(text))
    rest = list(text)
    for entity in entities:
        rest[entity.start : entity.end] = "\0" * (entity.end - entity.start)
    bare = "".join(rest)
    found = _bound(bare, _spread(_words(bare, _valued(bare))))
    return ParsedQuestion(text, entities, tuple(_weighed(bare, entities, found)))


def is_writing(question: str) -> bool:
    """Whether a complaint is enclosed, to which a document is to be written."""
    return "诉讼请求" in question and bool(re.search("原告(?:一)?[：:]", question))


def _valued(text: str) -> list[Mention]:
    """Words that carry a value: years, bounds, measure words, roles."""
    found = [_value(name, match) for name, pattern in _VALUES for match in pattern.finditer(text)]
    for name, ends in (("above", "以上"), ("below", "以下|以内")):
        words = "|".join(sorted(_table().operators[name], key=lambda word: -len(word)))
        for pattern in (rf"(?:{words}){_AMOUNT}", rf"{_AMOUNT}(?:及|\(含\))?(?:{ends})"):
            for match in re.finditer(pattern, text):
                amount = float(match["amount"]) * _SCALES[match["scale"] or ""]
                found.append(Mention(*match.span(), operator=name, value=f"{amount:f}"))
    for match in _SIDE.finditer(text):
        side = match["side"] or match["other"]
        found.append(Mention(*match.span(), columns=(f"LegalDoc.{side}律师事务所",)))
    return _apart(found)


def _value(name: str, match: re.Match[str]) -> Mention:
    groups = match.groupdict()
    value = next((groups[key] for key in ("year", "count", "role", "text") if groups.get(key)), "")
    if name == "role" and not value:
        value = "原告" if groups["active"] else "被告"
    return Mention(*match.span(), operator=name, value=value, weight=LOOSE if name in _LIGHT else PLAIN)


def _apart(found: Sequence[Mention]) -> list[Mention]:
    """Of words that overlap the one that begins first, then the longer."""
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda each: (each.start, -each.end)):
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def _words(text: str, taken: list[Mention]) -> list[Mention]:
    """The words of the vocabulary where no value stands, with the values, in order."""
    meanings, pattern = _vocabulary()
    free = list(text)
    for mention in taken:
        free[mention.start : mention.end] = "\0" * (mention.end - mention.start)
    found = list(taken)
    for match in pattern.finditer("".join(free)):
        of = meanings[match[0]]
        weight = LOOSE if of.rows in (["LegalDoc"], ["SubCompanyInfo"]) or of.operator in _LIGHT else PLAIN
        if {*of.things} & _IDLE_KINDS and not of.rows:
            weight = IDLE
        found.append(
            Mention(*match.span(), tuple(of.rows), tuple(of.things), tuple(of.columns), of.operator, weight=weight)
        )
    return _counted_last(sorted(found, key=lambda each: each.start))


def _counted_last(found: list[Mention]) -> list[Mention]:
    """A count with the noun beside it, which says of what: 多少家子公司, 终本次数."""
    kept: list[Mention] = []
    for mention in found:
        before = kept[-1] if kept else mention
        pair = (mention, before) if before.value else (before, mention)
        if kept and mention.start - before.end <= 1 and _counting(*pair):
            kept[-1] = replace(pair[0], start=before.start, end=mention.end, operator="count", value=pair[1].value)
        else:
            kept.append(mention)
    return kept


def _counting(noun: Mention, count: Mention) -> bool:
    """Whether a noun is what a count counts; a measure word stands before it, 次数 and 数量 behind."""
    behind = count.start >= noun.end
    plain = not noun.operator and not {*noun.columns} & NUMBERS
    return count.operator == "count" and plain and behind != bool(count.value)


def _spread(found: list[Mention]) -> list[Mention]:
    """最高 and 最低 beside a difference are its ends and choose no row; of 最近一次（处罚日期最晚） one is kept."""
    differences = [mention for mention in found if mention.operator == "spread"]
    if any(mention.operator in ("days", "years") for mention in found):
        found, differences = [mention for mention in found if mention.operator != "spread"], []
    kept: list[Mention] = []
    for mention in found:
        if mention.operator in ("max", "min") and any(abs(mention.start - one.start) <= 20 for one in differences):
            continue
        if kept and mention.operator in PICKS:
            before = next((one for one in reversed(kept) if one.operator), None)
            if before and before.operator == mention.operator and mention.start - before.end <= 10:
                kept.remove(before)
        kept.append(mention)
    return kept


def _bound(text: str, found: list[Mention]) -> list[Mention]:
    """Operations with the columns beside them, which are then no words of their own."""
    used: set[int] = set()
    bound = list(found)
    for at, mention in enumerate(found):
        fitting = DAYS if mention.operator in _BY_DATE else NUMBERS if mention.operator in _BY_AMOUNT else frozenset()
        if not fitting:
            continue
        if mention.columns:  # 投资总额: the word names the column too
            bound[at] = replace(mention, columns=tuple(c for c in mention.columns if c in fitting))
            continue
        near = [other for other in (at - 1, at + 1) if 0 <= other < len(found) and other not in used]
        near += [
            other
            for other in range(len(found))
            if mention.operator in _BY_DATE and found[other].start > mention.end and _basis(text, found[other])
        ]
        for other in near:
            columns = tuple(column for column in found[other].columns if column in fitting)
            sums = found[other].operator == "sum" and other < at and mention.operator != "sum"
            if columns and (sums or not found[other].operator) and _adjacent(text, mention, found[other], other > at):
                used.add(other)
                bound[at] = replace(mention, columns=columns)
                break
    return [mention for at, mention in enumerate(bound) if at not in used or mention.operator not in ("", "sum")]


def _basis(text: str, mention: Mention) -> bool:
    """Whether a column is named as the one to go by: 以终本日期为准."""
    return bool(_BASIS.match(text, mention.end)) and text[max(0, mention.start - 1) : mention.start] in "以按从看"


def _adjacent(text: str, operation: Mention, column: Mention, after: bool) -> bool:
    if after and _basis(text, column):
        return True
    between = text[operation.end : column.start] if after else text[column.end : operation.start]
    if operation.operator in ("year", "since"):
        return len(between) <= 6 and not re.search(r"[。；？！]", between)
    if after:
        return bool(re.fullmatch(r"(?:的|那|这|该|一|每|单|笔|项|次|家|件|个|起|单笔)*", between))
    return len(between) <= 10 and not re.search(r"[，。；？！\0]", between.replace("（元）", ""))


def _weighed(text: str, entities: Sequence[Entity], found: list[Mention]) -> list[Mention]:
    """Words of asides, and of clauses before the first name, weigh little; parties named in an aside are left out."""
    if not entities:
        return found
    first = entities[0].start
    clauses = [match.span() for match in _CLAUSE.finditer(text)]
    home = max((start for start, _ in clauses if start <= first), default=0)
    openings = ("（", *_table().asides["reasons"])
    asides = [(s, e) for s, e in clauses if text.startswith(openings, s) and not s <= first < e]
    before = [(s, e) for s, e in clauses if e <= home]
    found = [
        one
        for one in found
        if not (_of_parties(one) and any(s <= one.start < e for s, e in asides))
        and not (one.operator in PICKS and not one.columns and one.end <= first)
    ]
    light = [
        any(s <= mention.start < e for s, e in (*asides, *before))
        or (mention.weight < PLAIN and mention.end <= first)
        for mention in found
    ]
    if not any(mention.weight >= LOOSE and not small for mention, small in zip(found, light, strict=True)):
        return found
    return [
        replace(mention, weight=mention.weight * ASIDE) if small else mention
        for mention, small in zip(found, light, strict=True)
    ]


def _of_parties(mention: Mention) -> bool:
    return mention.operator == "role" or any(column.startswith("LegalDoc.") for column in mention.columns)


def names_kind(mention: Mention, kind: str) -> bool:
    """Whether a word can name things of a kind, whatever column they come from."""
    return kind in mention.things or any(kind_of(*column.split(".")) == kind for column in mention.columns)
