"""The typed graph of the tools: kinds of things, the hops between them, and where an attribute of a kind is kept.

A hop is one row: from a kind by a relation to a kind, through a tool whose identifier is the thing just found, or
within the row that was just read (tool ''). Costs are what an interpretation pays; a hop nobody mentioned costs more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "company", "case", "doc", "restriction", "finalized", "dishonesty", "administrative", "court", "firm", "address",
    "place", "agency",
]  # fmt: skip
CASE_ROWS: tuple[Kind, ...] = ("doc", "restriction", "finalized", "dishonesty", "administrative")
"""Kinds that are rows about one case."""
ENFORCEMENT: tuple[Kind, ...] = ("restriction", "finalized", "dishonesty")

TABLE_OF: dict[Kind, str] = {
    "doc": "LegalDoc", "restriction": "RestrictionCase", "finalized": "FinalizedCase", "dishonesty": "DishonestyCase",
    "administrative": "AdministrativeCase",
}  # fmt: skip
COMPANY_COLUMN: dict[Kind, str] = {
    "doc": "关联公司", "restriction": "限制高消费企业名称", "finalized": "终本公司名称",
    "dishonesty": "失信被执行公司名称", "administrative": "行政处罚公司名称",
}  # fmt: skip
AMOUNT_COLUMN: dict[Kind, str] = {
    "doc": "涉案金额（元）", "restriction": "涉案金额（元）", "finalized": "执行标的（元）",
    "dishonesty": "涉案金额（元）", "administrative": "处罚金额（元）",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hop:
    """`columns` hold the names of the things reached; joined names are split."""

    source: Kind
    relation: str
    target: Kind
    tool: str
    columns: tuple[str, ...]
    cost: float = 0.0
    split: bool = False


def _row(kind: Kind, relation: str, target: Kind, *columns: str, cost: float = 0.0, split: bool = False) -> Hop:
    return Hop(kind, relation, target, "", columns, cost, split)


_ENFORCED = tuple(
    hop
    for kind in ENFORCEMENT
    for hop in (
        Hop("company", kind, kind, f"get_{kind}_case_company_list", ("案号",)),
        Hop("court", kind, kind, f"get_{kind}_case_court_list", ("案号",)),
        Hop("case", kind, kind, f"get_{kind}_case", ("案号",)),
        _row(kind, "company", "company", COMPANY_COLUMN[kind]),
        _row(kind, "defendant", "company", COMPANY_COLUMN[kind], cost=0.1),
        _row(kind, "plaintiff", "company", "申请人" if kind == "restriction" else "疑似申请执行人", cost=0.2),
        _row(kind, "applicant", "company", "申请人" if kind == "restriction" else "疑似申请执行人"),
        _row(kind, "court", "court", "执行法院"),
    )
)
_PLACES: tuple[str, ...] = ("省份", "城市", "区县")
HOPS: tuple[Hop, ...] = (
    Hop("company", "parent", "company", "get_sub_company_info", ("关联上市公司全称",)),
    Hop("company", "sub", "company", "get_sub_company_info_list", ("公司名称",)),
    Hop("company", "doc", "doc", "get_legal_document_company_list", ("案号",)),
    Hop("company", "administrative", "administrative", "get_administrative_case_company_list", ("案号",)),
    Hop("company", "address", "address", "get_company_register", ("企业地址",)),
    Hop("company", "office_address", "address", "get_company_info", ("办公地址",)),
    Hop("case", "doc", "doc", "get_legal_document", ("案号",)),
    Hop("case", "administrative", "administrative", "get_administrative_case", ("案号",)),
    Hop("case", "court", "court", "get_court_code", ("法院名称",)),
    Hop("doc", "court", "court", "get_court_code", ("法院名称",)),
    _row("doc", "company", "company", "关联公司", cost=0.1),
    _row("doc", "plaintiff", "company", "原告", split=True),
    _row("doc", "defendant", "company", "被告", split=True),
    _row("doc", "plaintiff_firm", "firm", "原告律师事务所", split=True),
    _row("doc", "defendant_firm", "firm", "被告律师事务所", split=True),
    _row("doc", "firm", "firm", "原告律师事务所", "被告律师事务所", split=True),
    *_ENFORCED,
    _row("administrative", "company", "company", "行政处罚公司名称"),
    _row("administrative", "defendant", "company", "行政处罚公司名称", cost=0.1),
    _row("administrative", "agency", "agency", "处罚单位"),
    Hop("agency", "administrative", "administrative", "get_administrative_case_court_list", ("案号",)),
    Hop("court", "place", "place", "get_court_info", tuple(f"法院{part}" for part in _PLACES)),
    Hop("court", "address", "address", "get_court_info", ("法院地址",)),
    Hop("firm", "doc", "doc", "get_legal_document_law_list", ("案号",)),
    Hop("firm", "place", "place", "get_lawfirm_info", tuple(f"事务所{part}" for part in _PLACES)),
    Hop("firm", "address", "address", "get_lawfirm_info", ("事务所地址",)),
    Hop("place", "court", "court", "get_court_info_list", ("法院名称",)),
    Hop("place", "firm", "firm", "get_lawfirm_info_list", ("律师事务所名称",)),
    Hop("address", "place", "place", "get_address_info", _PLACES),
)
"""All direct hops."""

BY: dict[tuple[str, str], Hop] = {(hop.source, hop.relation): hop for hop in HOPS}

VIA: dict[tuple[Kind, str], tuple[tuple[str, ...], float]] = {
    ("company", "case"): (("doc",), 0.2),
    ("company", "place"): (("address", "place"), 0.1),
    ("company", "court"): (("doc", "court"), 0.9),
    ("company", "firm"): (("doc", "firm"), 0.7),
    ("company", "plaintiff"): (("doc", "plaintiff"), 0.8),
    ("company", "defendant"): (("doc", "defendant"), 0.8),
    ("company", "plaintiff_firm"): (("doc", "plaintiff_firm"), 0.6),
    ("company", "defendant_firm"): (("doc", "defendant_firm"), 0.6),
    ("company", "agency"): (("administrative", "agency"), 0.4),
    ("case", "plaintiff"): (("doc", "plaintiff"), 0.05),
    ("case", "defendant"): (("doc", "defendant"), 0.05),
    ("case", "firm"): (("doc", "firm"), 0.1),
    ("case", "plaintiff_firm"): (("doc", "plaintiff_firm"), 0.05),
    ("case", "defendant_firm"): (("doc", "defendant_firm"), 0.05),
    ("case", "company"): (("doc", "company"), 0.8),
    ("case", "applicant"): (("restriction", "applicant"), 0.4),
    ("case", "punished_company"): (("administrative", "company"), 0.1),
    ("case", "agency"): (("administrative", "agency"), 0.3),
    ("case", "place"): (("court", "place"), 1.2),
    ("doc", "parent"): (("company", "parent"), 0.3),
    ("doc", "place"): (("court", "place"), 1.2),
    ("court", "firm"): (("place", "firm"), 1.2),
    ("court", "neighbour"): (("place", "court"), 0.3),
    ("firm", "court"): (("place", "court"), 1.6),
    ("firm", "company"): (("doc", "company"), 0.8),
    ("firm", "case"): (("doc",), 0.0),
    ("firm", "defendant"): (("doc", "defendant"), 0.5),
    ("firm", "plaintiff"): (("doc", "plaintiff"), 0.5),
    ("address", "court"): (("place", "court"), 0.5),
    ("address", "firm"): (("place", "firm"), 0.5),
    ("agency", "case"): (("administrative",), 0.1),
    ("agency", "company"): (("administrative", "company"), 0.5),
    **{
        (kind, relation): (("company", relation), cost)
        for kind in (*ENFORCEMENT, "administrative")
        for relation, cost in (("parent", 0.4), ("sub", 0.9), ("doc", 1.2), ("place", 1.4), ("address", 0.5))
    },
}  # fmt: skip
"""Hops that people leave out: (kind, relation) -> the relations in between, and the cost when nothing hints at
them."""


def route(kind: Kind, relation: str) -> tuple[tuple[Hop, ...], float] | None:
    """The hops from a kind by a relation and their cost; None when the graph has no such way."""
    direct = BY.get((kind, relation))
    if direct:
        return (direct,), direct.cost
    if (kind, relation) not in VIA:
        return None
    relations, cost = VIA[(kind, relation)]
    hops: list[Hop] = []
    current = kind
    for step in relations:
        found = BY.get((current, step))
        if found is None:
            via = route(current, step)
            if via is None:
                return None
            hops += via[0]
            current = via[0][-1].target
            continue
        hops.append(found)
        current = found.target
    return tuple(hops), cost


@dataclass(frozen=True, slots=True)
class Source:
    """Where an attribute is kept: column of the row at hand (tool '') or of what a tool says about the thing."""

    tool: str
    column: str
    form: Literal["text", "money", "percent", "date", "number"] = "text"


def _rows(
    columns: dict[str, str], form: Literal["text", "money", "date"] = "text"
) -> dict[str, Source | tuple[Source, ...]]:
    return {concept: Source("", column, form) for concept, column in columns.items()}


_REGISTER, _INFO, _LINK = "get_company_register", "get_company_info", "get_sub_company_info"
_COURT, _CODE = "get_court_info", "get_court_code"
_FIRM, _LOG = "get_lawfirm_info", "get_lawfirm_log"

_ATTRIBUTES: dict[Kind, dict[str, Source | tuple[Source, ...]]] = {
    "company": {
        "full_name": (Source(_INFO, "公司名称"), Source(_REGISTER, "公司名称")),
        "short_name": (Source(_INFO, "公司简称"),),
        "english_name": (Source(_INFO, "英文名称"),),
        "securities": (Source(_INFO, "关联证券"),),
        "stock_code": (Source(_INFO, "公司代码"),),
        "former_short": (Source(_INFO, "曾用简称"),),
        "market": (Source(_INFO, "所属市场"),),
        "industry": (Source(_INFO, "所属行业"), Source(_REGISTER, "行业一级")),
        "listing_date": (Source(_INFO, "上市日期", "date"),),
        "legal_person": (Source(_REGISTER, "法定代表人"), Source(_INFO, "法人代表")),
        "general_manager": (Source(_INFO, "总经理"),),
        "secretary": (Source(_INFO, "董秘"),),
        "postcode": (Source(_INFO, "邮政编码"),),
        "register_address": (Source(_REGISTER, "企业地址"), Source(_INFO, "注册地址")),
        "office_address": (Source(_INFO, "办公地址"), Source(_REGISTER, "企业地址")),
        "phone": (Source(_REGISTER, "联系电话"), Source(_INFO, "联系电话")),
        "fax": (Source(_INFO, "传真"),),
        "website": (Source(_INFO, "官方网址"),),
        "email": (Source(_REGISTER, "联系邮箱"), Source(_INFO, "电子邮箱")),
        "index": (Source(_INFO, "入选指数"),),
        "main_business": (Source(_INFO, "主营业务"),),
        "scope": (Source(_REGISTER, "经营范围"), Source(_INFO, "经营范围")),
        "profile": (Source(_INFO, "机构简介"), Source(_REGISTER, "企业简介")),
        "par_value": (Source(_INFO, "每股面值（元）", "money"),),
        "issue_price": (Source(_INFO, "首发价格（元）", "money"),),
        "net_raised": (Source(_INFO, "首发募资净额（元）", "money"),),
        "underwriter": (Source(_INFO, "首发主承销商"),),
        "status": (Source(_REGISTER, "登记状态"),),
        "credit_code": (Source(_REGISTER, "统一社会信用代码"),),
        "capital": (Source(_REGISTER, "注册资本", "money"),),
        "founded": (Source(_REGISTER, "成立日期", "date"), Source(_INFO, "成立日期", "date")),
        "register_number": (Source(_REGISTER, "注册号"),),
        "organisation_code": (Source(_REGISTER, "组织机构代码"),),
        "insured": (Source(_REGISTER, "参保人数", "number"),),
        "industry_1": (Source(_REGISTER, "行业一级"),),
        "industry_2": (Source(_REGISTER, "行业二级"),),
        "industry_3": (Source(_REGISTER, "行业三级"),),
        "former_name": (Source(_REGISTER, "曾用名"),),
        "invested": (Source(_LINK, "上市公司投资金额", "money"),),
        "ratio": (Source(_LINK, "上市公司参股比例", "percent"),),
        "link": (Source(_LINK, "上市公司关系"),),
    },
    "doc": {
        **_rows({"amount": "涉案金额（元）"}, "money"),
        **_rows({"date": "日期"}, "date"),
        **_rows({
            "title": "标题", "number": "案号", "doc_type": "文书类型", "plaintiff": "原告", "defendant": "被告",
            "plaintiff_firm": "原告律师事务所", "defendant_firm": "被告律师事务所", "cause": "案由",
            "judgment": "判决结果", "file": "文件名",
        }),
        "abstract": (Source("get_legal_abstract", "文本摘要"),),
    },
    "case": {"abstract": Source("get_legal_abstract", "文本摘要")},
    "restriction": {
        **_rows({"amount": "涉案金额（元）"}, "money"),
        **_rows({"filed": "立案日期", "published": "限高发布日期", "date": "立案日期"}, "date"),
        **_rows({
            "number": "案号", "legal_person": "法定代表人", "applicant": "申请人", "court": "执行法院",
            "debtor": "限制高消费企业名称",
        }),
    },
    "finalized": {
        **_rows({"amount": "执行标的（元）", "target": "执行标的（元）", "unpaid": "未履行金额（元）"}, "money"),
        **_rows({"filed": "立案日期", "closed": "终本日期", "date": "立案日期"}, "date"),
        **_rows({"number": "案号", "applicant": "疑似申请执行人", "court": "执行法院", "debtor": "被执行人"}),
    },
    "dishonesty": {
        **_rows({"amount": "涉案金额（元）"}, "money"),
        **_rows({"filed": "立案日期", "published": "发布日期", "date": "立案日期"}, "date"),
        **_rows({"number": "案号", "applicant": "疑似申请执行人", "court": "执行法院", "debtor": "失信被执行人"}),
    },
    "administrative": {
        **_rows({"amount": "处罚金额（元）", "fine": "处罚金额（元）"}, "money"),
        **_rows({"date": "处罚日期", "punished": "处罚日期"}, "date"),
        **_rows({"number": "案号", "fact": "事实", "outcome": "处罚结果", "agency": "处罚单位"}),
    },
    "court": {
        "leader": Source(_COURT, "法院负责人"), "founded": Source(_COURT, "成立日期", "date"),
        "address": Source(_COURT, "法院地址"), "phone": Source(_COURT, "法院联系电话"),
        "website": Source(_COURT, "法院官网"), "province": Source(_COURT, "法院省份"),
        "city": Source(_COURT, "法院城市"), "county": Source(_COURT, "法院区县"),
        "admin_level": Source(_CODE, "行政级别"), "court_level": Source(_CODE, "法院级别"),
        "court_code": Source(_CODE, "法院代字"), "division_code": Source(_CODE, "区划代码"),
        "level_number": Source(_CODE, "级别"),
    },
    "firm": {
        "unique_code": Source(_FIRM, "律师事务所唯一编码"), "leader": Source(_FIRM, "律师事务所负责人"),
        "capital": Source(_FIRM, "事务所注册资本", "money"), "founded": Source(_FIRM, "事务所成立日期", "date"),
        "address": Source(_FIRM, "事务所地址"), "phone": Source(_FIRM, "通讯电话"),
        "email": Source(_FIRM, "通讯邮箱"), "profile": Source(_FIRM, "事务所简介"),
        "registrar": Source(_FIRM, "律所登记机关"), "province": Source(_FIRM, "事务所省份"),
        "city": Source(_FIRM, "事务所城市"), "county": Source(_FIRM, "事务所区县"),
        "rank": Source(_LOG, "业务量排名", "number"), "served": Source(_LOG, "服务已上市公司", "number"),
        "violations": Source(_LOG, "报告期间所服务上市公司违规事件", "number"),
        "investigations": Source(_LOG, "报告期所服务上市公司接受立案调查", "number"),
    },
    "place": _rows({"province": "省份", "city": "城市", "county": "区县"}),
}  # fmt: skip
ATTRIBUTES: dict[Kind, dict[str, tuple[Source, ...]]] = {
    kind: {concept: (found,) if isinstance(found, Source) else found for concept, found in concepts.items()}
    for kind, concepts in _ATTRIBUTES.items()
}
"""Kind -> attribute -> where to look, best place first."""

FALLBACK: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    ("get_company_register", "企业地址"): (("get_company_info", "注册地址"), ("get_company_info", "办公地址")),
    ("get_company_info", "办公地址"): (("get_company_register", "企业地址"),),
}
"""(tool, column) of a hop -> where else the same thing may be found."""

IMPLIES: dict[str, tuple[Kind, ...]] = {
    "target": ("finalized",), "unpaid": ("finalized",), "closed": ("finalized",), "fine": ("administrative",),
    "punished": ("administrative",), "fact": ("administrative",), "outcome": ("administrative",),
    "published": ("restriction", "dishonesty"), "filed": ENFORCEMENT, "applicant": ENFORCEMENT,
}  # fmt: skip
"""Attributes that only some kinds of case have: naming one tells which kind is meant."""
