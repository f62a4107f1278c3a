"""The 14 tables, the 3 document corpora and the 28 lookups of LegalAgentBench, as data.

Column names and their order are those of the database behind the published runs (the published schema file differs:
it lacks the unit suffixes and says 事务简介 for 事务所简介). Matching is exact string equality.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
