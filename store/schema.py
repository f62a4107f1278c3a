"""The tables of a pack: what stands in them, how SQLite holds them, and what a look-up gives.

Corpus tables are STRICT with ANY columns, so that 5, 5.0 and "5" stay three values. A row carries `known`, a bitmap
(bit i = column i is known): NULL with the bit set is upstream's nan, NULL without it is a cell the pack does not
hold. A harvested pack holds part of a database: "no such row" and "row not harvested" are different answers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

from store.connection import quoted

Provenance = Literal["authored", "harvested", "derived", "imported"]
"""authored = written for Moot and fictional (虚构数据); harvested = read from run logs; imported = a user's own
file."""


class UnknownType(Enum):
    """The type of `UNKNOWN`."""

    UNKNOWN = "UNKNOWN"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = UnknownType.UNKNOWN
"""A cell that the pack does not hold; None is upstream's nan: known to be empty."""

Cell = str | int | float | None | UnknownType


@dataclass(frozen=True, slots=True)
class Row:
    """One row: all columns of its table in table order, and where it comes from."""

    number: int
    table: str
    cells: Mapping[str, Cell]
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class LookupResult:
    """Answer of a lookup.

    status: "rows" (there are some), "miss" (known to have none), "outside" (the pack cannot say).
    complete: False when further rows may exist outside the pack.
    """

    status: Literal["rows", "miss", "outside"]
    rows: tuple[Row, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Document:
    """A text of a corpus; `number` is its row id (the tie-break of every ranking)."""

    number: int
    corpus: str
    text: str
    provenance: Provenance
    score: float = 0.0


TABLES: dict[str, tuple[str, ...]] = {
    "CompanyInfo": (
        "公司名称", "公司简称", "英文名称", "关联证券", "公司代码", "曾用简称", "所属市场", "所属行业", "成立日期",
        "上市日期", "法人代表", "总经理", "董秘", "邮政编码", "注册地址", "办公地址", "联系电话", "传真", "官方网址",
        "电子邮箱", "入选指数", "主营业务", "经营范围", "机构简介", "每股面值（元）", "首发价格（元）",
        "首发募资净额（元）", "首发主承销商",
    ),
    "CompanyRegister": (
        "公司名称", "登记状态", "统一社会信用代码", "法定代表人", "注册资本", "成立日期", "企业地址", "联系电话",
        "联系邮箱", "注册号", "组织机构代码", "参保人数", "行业一级", "行业二级", "行业三级", "曾用名", "企业简介",
        "经营范围",
    ),
    "SubCompanyInfo": ("关联上市公司全称", "上市公司关系", "上市公司参股比例", "上市公司投资金额", "公司名称"),
    "LegalDoc": (
        "关联公司", "标题", "案号", "文书类型", "原告", "被告", "原告律师事务所", "被告律师事务所", "案由",
        "涉案金额（元）", "判决结果", "日期", "文件名",
    ),
    "CourtInfo": (
        "法院名称", "法院负责人", "成立日期", "法院地址", "法院省份", "法院城市", "法院区县", "法院联系电话",
        "法院官网",
    ),
    "CourtCode": ("法院名称", "行政级别", "法院级别", "法院代字", "区划代码", "级别"),
    "LawfirmInfo": (
        "律师事务所名称", "律师事务所唯一编码", "律师事务所负责人", "事务所注册资本", "事务所成立日期", "事务所地址",
        "事务所省份", "事务所城市", "事务所区县", "通讯电话", "通讯邮箱", "事务所简介", "律所登记机关",
    ),
    "LawfirmLog": (
        "律师事务所名称", "业务量排名", "服务已上市公司", "报告期间所服务上市公司违规事件",
        "报告期所服务上市公司接受立案调查",
    ),
    "AddrInfo": ("地址", "省份", "城市", "区县"),
    "LegalAbstract": ("文件名", "案号", "文本摘要"),
    "RestrictionCase": (
        "限制高消费企业名称", "案号", "法定代表人", "申请人", "涉案金额（元）", "执行法院", "立案日期",
        "限高发布日期",
    ),
    "FinalizedCase": (
        "终本公司名称", "案号", "被执行人", "疑似申请执行人", "未履行金额（元）", "执行标的（元）", "执行法院",
        "立案日期", "终本日期",
    ),
    "DishonestyCase": (
        "失信被执行公司名称", "案号", "失信被执行人", "疑似申请执行人", "涉案金额（元）", "执行法院", "立案日期",
        "发布日期",
    ),
    "AdministrativeCase": (
        "行政处罚公司名称", "案号", "事实", "处罚结果", "处罚金额（元）", "处罚单位", "处罚日期",
    ),
}  # fmt: skip
"""Table -> its columns in order."""

CORPORA: tuple[str, ...] = ("LegalKnowledge", "LegalArticle", "LegalCases")
"""Document corpora, searched by text."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """One way to ask a table.

    parameters: what the caller gives. match: for each parameter the columns that may equal it (any of them).
    shape: "one" gives the first matching row, "many" all of them in order, "name" the bare value of `gives`.
    """

    tool: str
    table: str
    parameters: tuple[str, ...]
    match: tuple[tuple[str, ...], ...]
    shape: Literal["one", "many", "name"]
    gives: str = ""


def _by(tool: str, table: str, shape: Literal["one", "many"], *columns: str) -> Lookup:
    return Lookup(tool, table, ("identifier",), (columns,), shape)


def _by_place(tool: str, table: str, *columns: str) -> Lookup:
    return Lookup(tool, table, ("prov", "city", "county"), tuple((c,) for c in columns), "many")


LOOKUPS: dict[str, Lookup] = {
    lookup.tool: lookup
    for lookup in (
        _by("get_company_info", "CompanyInfo", "one", "公司名称", "公司简称", "公司代码"),
        _by("get_company_register", "CompanyRegister", "one", "公司名称"),
        Lookup(
            "get_company_register_name",
            "CompanyRegister",
            ("identifier",),
            (("统一社会信用代码",),),
            "name",
            "公司名称",
        ),
        _by("get_sub_company_info", "SubCompanyInfo", "one", "公司名称"),
        _by("get_sub_company_info_list", "SubCompanyInfo", "many", "关联上市公司全称"),
        _by("get_legal_document", "LegalDoc", "one", "案号"),
        _by("get_legal_document_company_list", "LegalDoc", "many", "关联公司"),
        _by("get_legal_document_law_list", "LegalDoc", "many", "原告律师事务所", "被告律师事务所"),
        _by("get_court_info", "CourtInfo", "one", "法院名称"),
        _by_place("get_court_info_list", "CourtInfo", "法院省份", "法院城市", "法院区县"),
        _by("get_court_code", "CourtCode", "one", "法院名称", "法院代字"),
        _by("get_lawfirm_info", "LawfirmInfo", "one", "律师事务所名称"),
        _by_place("get_lawfirm_info_list", "LawfirmInfo", "事务所省份", "事务所城市", "事务所区县"),
        _by("get_lawfirm_log", "LawfirmLog", "one", "律师事务所名称"),
        _by("get_address_info", "AddrInfo", "one", "地址"),
        _by("get_legal_abstract", "LegalAbstract", "one", "案号"),
        _by("get_restriction_case", "RestrictionCase", "one", "案号"),
        _by("get_restriction_case_company_list", "RestrictionCase", "many", "限制高消费企业名称"),
        _by("get_restriction_case_court_list", "RestrictionCase", "many", "执行法院"),
        _by("get_finalized_case", "FinalizedCase", "one", "案号"),
        _by("get_finalized_case_company_list", "FinalizedCase", "many", "终本公司名称"),
        _by("get_finalized_case_court_list", "FinalizedCase", "many", "执行法院"),
        _by("get_dishonesty_case", "DishonestyCase", "one", "案号"),
        _by("get_dishonesty_case_company_list", "DishonestyCase", "many", "失信被执行公司名称"),
        _by("get_dishonesty_case_court_list", "DishonestyCase", "many", "执行法院"),
        _by("get_administrative_case", "AdministrativeCase", "one", "案号"),
        _by("get_administrative_case_company_list", "AdministrativeCase", "many", "行政处罚公司名称"),
        _by("get_administrative_case_court_list", "AdministrativeCase", "many", "处罚单位"),
    )
}  # fmt: skip
"""Tool name -> lookup, in the order of the published tool numbers (1 company_info … 28 administrative court list)."""


Value = str | int | float

TEXT_INDEXES = ("trigram", "words")
"""Full-text indexes a corpus has: any three characters, and words as the segmenter cuts them."""


def text_index(kind: str, corpus: str) -> str:
    """Name of a full-text table; each corpus has its own, so that word weights are those of the corpus."""
    return f"{kind}_{corpus}"


def table_statements() -> list[str]:
    """CREATE statements of all tables, without indexes."""
    statements = [
        f"CREATE TABLE {quoted(table)} (number INTEGER PRIMARY KEY, known INTEGER NOT NULL, provenance TEXT NOT NULL,"
        f" source TEXT NOT NULL, {', '.join(f'{quoted(column)} ANY' for column in columns)}) STRICT"
        for table, columns in TABLES.items()
    ]
    statements += [
        "CREATE TABLE document (number INTEGER PRIMARY KEY, corpus TEXT NOT NULL, text TEXT NOT NULL,"
        " provenance TEXT NOT NULL) STRICT",
        "CREATE TABLE known_answer (tool TEXT NOT NULL, key TEXT NOT NULL,"
        " kind TEXT NOT NULL CHECK (kind IN ('list', 'one', 'miss')), PRIMARY KEY (tool, key)) STRICT, WITHOUT ROWID",
        "CREATE TABLE known_row (tool TEXT NOT NULL, key TEXT NOT NULL, position INTEGER NOT NULL,"
        " number INTEGER NOT NULL, PRIMARY KEY (tool, key, position)) STRICT, WITHOUT ROWID",
    ]
    tokenizers = {"trigram": "trigram", "words": "unicode61 remove_diacritics 0"}
    statements += [
        f"CREATE VIRTUAL TABLE {text_index(kind, corpus)} USING fts5(text, content='', tokenize='{tokenizers[kind]}')"
        for corpus in CORPORA
        for kind in TEXT_INDEXES
    ]
    return statements


def index_statements() -> list[str]:
    """CREATE INDEX for every way that a lookup asks a table."""
    wanted: dict[tuple[str, tuple[str, ...]], None] = {}
    for lookup in LOOKUPS.values():
        if len(lookup.match) > 1:
            wanted[lookup.table, tuple(columns[0] for columns in lookup.match)] = None
        else:
            wanted.update({(lookup.table, (column,)): None for column in lookup.match[0]})
    statements = [
        f"CREATE INDEX {quoted('by_' + table + '_' + '_'.join(columns))} ON {quoted(table)}"
        f" ({', '.join(quoted(column) for column in columns)})"
        for table, columns in wanted
    ]
    return [*statements, "CREATE INDEX by_document_corpus ON document (corpus, number)"]


def key_of(values: Sequence[Value]) -> str:
    """The values of a lookup as one text that keeps their types apart."""
    return json.dumps(list(values), ensure_ascii=False)


def storable(value: object) -> bool:
    """Whether SQLite can hold this value as what it is (no bool, no NaN, 64-bit integers, valid Unicode)."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return False
        return True
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return isinstance(value, float) and not math.isnan(value)


def bit(table: str, column: str) -> int:
    """The bit of a column in `known`."""
    return 1 << TABLES[table].index(column)
