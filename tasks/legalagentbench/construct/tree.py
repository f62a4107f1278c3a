"""The planning tree as data: which value opens which tool, and which column of its rows leads on to which value.

Nothing is listed per tool: `HOLDS` says what kind of thing a column holds, the look-ups say which columns they match,
and the branches follow from the two. Construction draws its paths here; a planner may read the same tree. Where one
record leads is found by asking the tools themselves: a value opens a tool when the tool finds rows by it. Three
columns that name a place open the tools that ask for one, and a case number also opens what can be read out of it
(the court's 代字).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from store.pack import Pack
from store.schema import LOOKUPS, TABLES, Lookup, Row
from tasks.legalagentbench.construct.source import WalkRejected

PLACE = "place"
"""The kind that three columns hold together, and the name by which a path links to it."""

PLACES: dict[str, tuple[str, str, str]] = {
    "AddrInfo": ("省份", "城市", "区县"),
    "CourtInfo": ("法院省份", "法院城市", "法院区县"),
    "LawfirmInfo": ("事务所省份", "事务所城市", "事务所区县"),
}
"""Table -> its columns of province, city and county."""

HOLDS: dict[str, tuple[str, ...]] = {
    "company": (
        "CompanyInfo.公司名称", "CompanyRegister.公司名称", "SubCompanyInfo.公司名称",
        "SubCompanyInfo.关联上市公司全称",
        "LegalDoc.关联公司", "LegalDoc.原告", "LegalDoc.被告", "RestrictionCase.限制高消费企业名称",
        "RestrictionCase.申请人",
        "FinalizedCase.终本公司名称", "FinalizedCase.疑似申请执行人", "DishonestyCase.失信被执行公司名称",
        "DishonestyCase.疑似申请执行人", "AdministrativeCase.行政处罚公司名称",
    ),
    "short": ("CompanyInfo.公司简称",),
    "stock": ("CompanyInfo.公司代码",),
    "credit": ("CompanyRegister.统一社会信用代码",),
    "case": (
        "LegalDoc.案号", "LegalAbstract.案号", "RestrictionCase.案号", "FinalizedCase.案号", "DishonestyCase.案号",
    ),
    "penalty": ("AdministrativeCase.案号",),
    "court": (
        "CourtInfo.法院名称", "CourtCode.法院名称", "RestrictionCase.执行法院", "FinalizedCase.执行法院",
        "DishonestyCase.执行法院",
    ),
    "court_code": ("CourtCode.法院代字",),
    "firm": (
        "LawfirmInfo.律师事务所名称", "LawfirmLog.律师事务所名称", "LegalDoc.原告律师事务所",
        "LegalDoc.被告律师事务所",
    ),
    "address": (
        "AddrInfo.地址", "CompanyInfo.注册地址", "CompanyInfo.办公地址", "CompanyRegister.企业地址",
        "CourtInfo.法院地址",
        "LawfirmInfo.事务所地址",
    ),
    "agency": ("AdministrativeCase.处罚单位",),
}  # fmt: skip
"""Kind of thing -> the columns that hold one."""

IDENTITY: dict[str, str] = {
    "CompanyInfo": "公司名称", "CompanyRegister": "公司名称", "SubCompanyInfo": "公司名称", "LegalDoc": "案号",
    "CourtInfo": "法院名称", "CourtCode": "法院名称", "LawfirmInfo": "律师事务所名称", "LawfirmLog": "律师事务所名称",
    "AddrInfo": "地址", "LegalAbstract": "案号", "RestrictionCase": "案号", "FinalizedCase": "案号",
    "DishonestyCase": "案号",
    "AdministrativeCase": "案号",
}  # fmt: skip
"""Table -> the column that names one of its rows."""

AMOUNTS: dict[str, tuple[str, ...]] = {
    "SubCompanyInfo": ("上市公司投资金额",), "LegalDoc": ("涉案金额（元）",), "LawfirmInfo": ("事务所注册资本",),
    "RestrictionCase": ("涉案金额（元）",), "FinalizedCase": ("执行标的（元）", "未履行金额（元）"),
    "DishonestyCase": ("涉案金额（元）",), "AdministrativeCase": ("处罚金额（元）",),
    "CompanyRegister": ("注册资本",),
}  # fmt: skip
"""Table -> columns of money; 首发募资净额（元） is none, its unit contradicts its name."""

DATES: dict[str, tuple[str, ...]] = {
    "LegalDoc": ("日期",), "LawfirmInfo": ("事务所成立日期",), "CourtInfo": ("成立日期",),
    "RestrictionCase": ("立案日期", "限高发布日期"), "FinalizedCase": ("立案日期", "终本日期"),
    "DishonestyCase": ("立案日期", "发布日期"), "AdministrativeCase": ("处罚日期",), "CompanyRegister": ("成立日期",),
    "CompanyInfo": ("成立日期", "上市日期"),
}  # fmt: skip
"""Table -> columns of days."""

DERIVED: dict[str, tuple[str, ...]] = {"case": ("court_code",)}
"""Kind -> kinds that can be read out of its text (the part of a case number that names the court)."""

ALIASES: dict[str, tuple[str, str]] = {
    "short": ("get_company_info", "company"), "stock": ("get_company_info", "company"),
    "credit": ("get_company_register_name", "company"), "court_code": ("get_court_code", "court"),
}  # fmt: skip
"""Kind that only stands for another -> the tool that says for what, and the kind it stands for. A table gives such a
value back to whoever knows the thing itself already: it opens a path and is no link of one."""

_CASE = re.compile(r"（\d{4}）(.+?)(?:民|行|刑|执|破|财|知|认|赔)[^\d]*\d+号")


@dataclass(frozen=True, slots=True)
class Branch:
    """A tool that a kind of thing opens, and one column of its rows that leads on.

    opened: the kind asked with; via: the kind read out of it, when that is another. link: a column, or `place`.
    """

    opened: str
    tool: str
    link: str
    gives: str
    via: str = ""


def court_code(case: str) -> str:
    """法院代字: the part of a case number between the year bracket and the case type.

    Raises:
        Rejected: the number has no such part.
    """
    match = _CASE.fullmatch(case)
    if match is None:
        raise WalkRejected(f"no court code in {case}")
    return match[1]


def kind_of(table: str, column: str) -> str:
    """The kind of thing in a column, "" for a plain value."""
    return next((kind for kind, columns in HOLDS.items() if f"{table}.{column}" in columns), "")


def matched(tool: str, kind: str) -> str:
    """The column by which a tool finds this kind, "" when it does not (or finds a place)."""
    lookup = LOOKUPS[tool]
    return next((column for column in lookup.match[0] if kind_of(lookup.table, column) == kind), "")


@cache
def opens(kind: str) -> tuple[tuple[str, str], ...]:
    """(tool, kind read out of the value or "") for all tools that a kind of thing opens."""
    if kind == PLACE:
        return tuple((tool, "") for tool, lookup in LOOKUPS.items() if len(lookup.parameters) > 1)
    direct = [(tool, "") for tool, one in LOOKUPS.items() if len(one.parameters) == 1 and matched(tool, kind)]
    read = [(tool, other) for other in DERIVED.get(kind, ()) for tool, _ in opens(other)]
    return (*direct, *read)


@cache
def branches(kind: str) -> tuple[Branch, ...]:
    """All branches below a kind of thing that lead on."""
    found = []
    for tool, via in opens(kind):
        lookup = LOOKUPS[tool]
        own = lookup.match[0] if kind == PLACE else (matched(tool, via or kind),)
        columns = (lookup.gives,) if lookup.shape == "name" else TABLES[lookup.table]
        for column in columns:
            gives = kind_of(lookup.table, column)
            if gives and gives not in ALIASES and column not in own:
                found.append(Branch(kind, tool, column, gives, via))
        if lookup.table in PLACES and kind != PLACE:
            found.append(Branch(kind, tool, PLACE, PLACE, via))
    return tuple(found)


def starts() -> tuple[tuple[str, str, str], ...]:
    """(kind, tool, where the kind's values stand: Table.column or Table.place) for every way to begin."""
    found = []
    for kind in (*HOLDS, PLACE):
        for tool, via in opens(kind):
            if not via:
                found.append((kind, tool, f"{LOOKUPS[tool].table}.{matched(tool, kind) or PLACE}"))
    return tuple(found)


def dull(before: Branch, tool: str) -> bool:
    """Whether a tool would read the very row again that named the thing."""
    table = LOOKUPS[before.tool].table
    return before.link == IDENTITY[table] and LOOKUPS[tool].table == table and LOOKUPS[tool].shape != "many"


LONGEST = 100
"""Characters; a longer text is no name."""


@dataclass(frozen=True, slots=True)
class RecordLink:
    """A value of a record that opens a tool. rows: what the tool finds, never the record alone."""

    columns: tuple[str, ...]
    tool: str
    values: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def table(self) -> str:
        """Where it leads."""
        return LOOKUPS[self.tool].table


def links(pack: Pack, row: Row) -> list[RecordLink]:
    """All links of a record, by its columns, then by tool."""
    return [link for asked in _asked(row) if (link := _opened(pack, row, *asked)) is not None]


def _asked(row: Row) -> Iterator[tuple[Lookup, tuple[str, ...], tuple[str, ...]]]:
    """What is asked of whom: a look-up, columns, values."""
    alone = [lookup for lookup in LOOKUPS.values() if len(lookup.parameters) == 1]
    for column, cell in row.cells.items():
        if not isinstance(cell, str) or len(cell) > LONGEST or not any(map(str.isalnum, cell)):
            continue  # a dash stands for nothing, though rows may be found by it
        yield from ((lookup, (column,), (cell,)) for lookup in alone)
        for other in DERIVED.get(kind_of(row.table, column), ()):
            with suppress(WalkRejected):
                read = court_code(cell)
                yield from ((LOOKUPS[tool], (column,), (read,)) for tool, _ in opens(other))
    place = PLACES.get(row.table, ())
    values = tuple(cell for column in place if isinstance(cell := row.cells[column], str))
    if place and len(values) == len(place):
        yield from ((lookup, place, values) for lookup in LOOKUPS.values() if len(lookup.parameters) == len(place))


def _opened(
    pack: Pack, row: Row, lookup: Lookup, columns: tuple[str, ...], values: tuple[str, ...]
) -> RecordLink | None:
    rows = pack.find(lookup, values).rows
    only_itself = [(found.table, found.number) for found in rows] == [(row.table, row.number)]
    return RecordLink(columns, lookup.tool, values, rows) if rows and not only_itself else None
