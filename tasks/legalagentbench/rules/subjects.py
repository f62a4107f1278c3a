"""Names what an answer speaks of: the thing itself, or a short noun phrase hung on the last thing the question is
sure of."""

from __future__ import annotations

import re
from decimal import Decimal

from tasks.legalagentbench.rules.execute import Item
from tasks.legalagentbench.rules.frames import Frame
from tasks.legalagentbench.rules.graph import CASE_ROWS
from tasks.legalagentbench.rules.mentions import Modifier
from tasks.legalagentbench.rules.narrow import concept_of
from tasks.legalagentbench.rules.solve import Findings

LABELS: dict[str, str] = {
    "full_name": "公司全称", "short_name": "公司简称", "english_name": "英文名称", "securities": "关联证券",
    "stock_code": "公司代码", "former_short": "曾用简称", "market": "所属市场", "industry": "所属行业",
    "listing_date": "上市日期", "legal_person": "法定代表人", "general_manager": "总经理", "secretary": "董秘",
    "postcode": "邮政编码", "register_address": "注册地址", "office_address": "办公地址", "address": "地址",
    "phone": "联系电话", "fax": "传真", "website": "官方网址", "email": "邮箱", "index": "入选指数",
    "main_business": "主营业务", "scope": "经营范围", "profile": "简介", "par_value": "每股面值",
    "issue_price": "首发价格", "net_raised": "首发募资净额", "underwriter": "首发主承销商", "status": "登记状态",
    "credit_code": "统一社会信用代码", "capital": "注册资本", "founded": "成立日期", "register_number": "注册号",
    "organisation_code": "组织机构代码", "insured": "参保人数", "industry_1": "行业一级", "industry_2": "行业二级",
    "industry_3": "行业三级", "former_name": "曾用名", "invested": "投资金额", "ratio": "参股比例", "link": "上市公司关系",
    "amount": "涉案金额", "fine": "处罚金额", "target": "执行标的", "unpaid": "未履行金额", "date": "日期", "filed": "立案日期",
    "published": "发布日期", "closed": "终本日期", "punished": "处罚日期", "title": "标题", "number": "案号",
    "doc_type": "文书类型", "cause": "案由", "judgment": "判决结果", "file": "文件名", "abstract": "文本摘要",
    "applicant": "申请人", "debtor": "被执行人", "fact": "事实", "outcome": "处罚结果", "agency": "处罚单位",
    "leader": "负责人", "admin_level": "行政级别", "court_level": "法院级别", "court_code": "法院代字",
    "division_code": "区划代码", "level_number": "级别", "unique_code": "唯一编码", "registrar": "登记机关",
    "rank": "业务量排名", "served": "服务已上市公司数量", "violations": "报告期间所服务上市公司违规事件",
    "investigations": "报告期所服务上市公司接受立案调查", "province": "省份", "city": "城市", "county": "区县",
    "place": "省市区县", "laws": "文本摘要涉及的法条", "court": "审理法院",
}  # fmt: skip
NOUNS: dict[str, str] = {
    "parent": "母公司", "sub": "子公司", "doc": "裁判文书", "case": "案件", "restriction": "限制高消费案件", "finalized": "终本案件",
    "dishonesty": "失信被执行案件", "administrative": "行政处罚案件", "court": "法院", "neighbour": "法院", "firm": "律师事务所",
    "plaintiff": "原告", "applicant": "申请人", "defendant": "被告", "plaintiff_firm": "原告律师事务所", "defendant_firm": "被告律师事务所", "company": "公司",
    "address": "地址", "office_address": "办公地址", "place": "所在地区", "agency": "处罚单位",
}  # fmt: skip
_COURT_OF: dict[str, str] = {
    "restriction": "执行法院",
    "finalized": "执行法院",
    "dishonesty": "执行法院",
    "doc": "审理法院",
    "case": "审理法院",
}
_COMPANY_OF: dict[str, str] = {
    "restriction": "被限制高消费的企业", "finalized": "被执行企业", "dishonesty": "失信被执行企业", "administrative": "被处罚企业", "doc": "涉案公司",
}  # fmt: skip
_DATES = frozenset(("founded", "date", "filed", "published", "closed", "punished", "listing_date"))
_ENDS = {"max": ("最高", "最早"), "min": ("最低", "最晚"), "first": ("最早", "最早"), "last": ("最晚", "最晚")}
_OFTEN = "出现次数最多的"
_COMPARED = {">": "超过", ">=": "不低于", "<": "低于", "<=": "不超过", "=": "为", "between": ""}
_PLAIN = ("insured", "rank", "served", "violations", "investigations")
_RANKS = "零一二三四五六七八"
LONG = 28
"""A description longer than this many characters gives way to a pronoun."""


def label_of(frame: Frame, concept: str) -> str:
    """What an attribute of things of this kind is called."""
    if frame.kind == "administrative" and concept in ("amount", "date"):
        return {"amount": "处罚金额", "date": "处罚日期"}[concept]
    if frame.kind == "finalized" and concept == "amount":
        return "执行标的"
    if frame.kind == "doc" and concept == "date":
        return "审理日期"
    return LABELS.get(concept, concept.removeprefix("clause:"))


def noun_of(found: Findings, frame: Frame) -> str:
    """What things of a frame are called in view of where they come from."""
    source = found.plan.frames[frame.parent].kind if frame.parent >= 0 else ""
    if frame.relation == "court":
        return _COURT_OF.get(source, "法院")
    if frame.relation == "company":
        return _COMPANY_OF.get(source, "公司")
    if frame.relation == "case":
        return {"doc": "案件", "administrative": "行政处罚案件"}.get(frame.kind, NOUNS.get(frame.kind, "案件"))
    return NOUNS.get(frame.relation, "记录")


def case_name(item: Item) -> str:
    """A case by its number."""
    return f"{item.name}案" if item.name.startswith("（") else item.name


def _only(found: Findings, number: int) -> Item | None:
    items = {item.name: item for item in found.items[number]} if number < len(found.items) else {}
    return next(iter(items.values())) if len(items) == 1 else None


def owner(found: Findings, number: int) -> str:
    """The thing a frame hangs on: its name where there is one only, else its description."""
    frame = found.plan.frames[number]
    only = _only(found, number)
    if frame.kind in ("address", "place") and frame.entity is None:
        return describe(found, number)
    if only is not None:
        return case_name(only) if frame.kind in (*CASE_ROWS, "case") else only.name
    return describe(found, number)


def _place(found: Findings, number: int) -> str:
    """X所在区县, X办公地址所在区县; the way over an address is left out."""
    frame = found.plan.frames[number]
    if frame.entity is not None:
        return frame.entity.name
    above = found.plan.frames[frame.parent]
    if frame.hop is None:
        return _place(found, frame.parent)
    if above.kind == "address" and above.entity is None and above.parent >= 0:
        kind = (
            "办公地址"
            if above.relation == "office_address"
            else "登记地址"
            if found.plan.frames[above.parent].kind == "company"
            else ""
        )
        return f"{owner(found, above.parent)}{kind}所在区县"
    return f"{owner(found, frame.parent)}所在区县"


def describe(found: Findings, number: int) -> str:
    """A frame in words: its owner, its noun, and the conditions put to it."""
    frame = found.plan.frames[number]
    if frame.entity is not None:
        return found.items[number][0].name if found.items[number] else frame.entity.name
    if frame.kind == "place":
        return _place(found, number)
    chain = [frame]
    while frame.hop is None and frame.parent >= 0 and frame.entity is None:
        frame = found.plan.frames[frame.parent]
        chain.append(frame)
    if frame.entity is not None:
        return found.items[number][0].name if found.items[number] else frame.entity.name
    base = owner(found, frame.parent)
    if len(base) > LONG and frame.parent >= 0 and found.plan.frames[frame.parent].entity is None:
        base = "其"
    filters, choice = _conditions(chain)
    noun = "" if filters.endswith("书") else noun_of(found, frame)
    if choice == _OFTEN:
        return f"{base}{'中' if found.plan.frames[frame.parent].kind in CASE_ROWS else '的'}{filters}{_OFTEN}{noun}"
    link = "" if base == "其" or re.match(r"\d{4}年|单独作为|作为", filters) else "的"
    return f"{base}{link}{filters}{noun}{choice}"


def _conditions(chain: list[Frame]) -> tuple[str, str]:
    filters: list[str] = []
    choice = ""
    for frame in reversed(chain):
        for modifier in frame.modifiers:
            concept = concept_of(frame, modifier)
            if modifier.op in _ENDS:
                word = _ENDS[modifier.op][concept in _DATES]
                word = word if modifier.nth == 1 else f"第{_RANKS[min(modifier.nth, 8)]}{word[-1]}"
                choice = f"中{label_of(frame, concept)}{word}的" + ("一件" if frame.kind in CASE_ROWS else "")
            elif modifier.op == "mode":
                choice = _OFTEN
            elif modifier.op == "role":
                filters.append(
                    f"{'单独' if modifier.concepts else ''}作为{'原告' if modifier.value == 'plaintiff' else '被告'}的"
                )
            elif modifier.op == "in":
                low, high = modifier.value
                span = (
                    f"{low}年"
                    if low == high
                    else f"{high}年及以前"
                    if low == 0
                    else f"{low}年以来"
                    if high == 9999
                    else f"{low}年至{high}年"
                )
                filters.append(span + ("成立的" if concept == "founded" else "的"))
            elif modifier.op == "listed":
                filters.append("上市的")
            elif modifier.op == "other":
                filters.append("其他")
            elif modifier.op in ("cause", "form", "type", "level") and modifier.value:
                filters.append(f"{modifier.value}类" if modifier.op == "cause" else str(modifier.value))
            elif modifier.op in _COMPARED:
                filters.append(_compared(modifier, concept, label_of(frame, concept)))
            else:
                filters.append(f"名称含“{modifier.value}”的" if modifier.op == "name" else "有相应记录的")
    kept = list(dict.fromkeys(filters))
    kept = [re.sub(r"(?<=\d{4}年)的$", "", words) if words is not kept[-1] else words for words in kept]
    return "".join(kept), choice


def _compared(modifier: Modifier, concept: str, label: str) -> str:
    if modifier.op == "between":
        return f"{label}在{_amount(modifier.value[0], concept)}与{_amount(modifier.value[1], concept)}之间的"
    return f"{label}{_COMPARED[modifier.op]}{_amount(modifier.value, concept)}的"


def _amount(value: Decimal, concept: str) -> str:
    """A threshold as people say it: 1.5亿元, 100%."""
    for scale, unit in ((10**8, "亿元"), (10**4, "万元")):
        if concept not in ("ratio", *_PLAIN) and value >= scale:
            return f"{(value / scale).normalize():f}{unit}"
    return f"{Decimal(value).normalize():f}{'%' if concept == 'ratio' else '' if concept in _PLAIN else '元'}"
