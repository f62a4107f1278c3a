"""Which solver answers which task, and the plan each publishes."""

from __future__ import annotations

from collections.abc import Mapping

from store.search.law_search import LawSearch
from tasks.legalsearch.questions import options
from tasks.legalsearch.rules.advise import advise
from tasks.legalsearch.rules.choose import choose
from tasks.legalsearch.rules.crimes import accuse, apply_articles
from tasks.legalsearch.rules.looking import Work
from tasks.legalsearch.rules.recite import recite
from tasks.legalsearch.rules.terms import sentence

_CHOICE = ("从题干提取时间、法律和关键词，检索法条", "把各选项与检索到的条文比较", "选出与条文相符的选项")
PLANS: Mapping[str, tuple[str, ...]] = {
    "": _CHOICE,
    "ccp": ("从事实中找出行为线索", "按行为时间检索罪名条文", "列出得分最高的罪名"),
    "lap": ("查出各选项法条在行为时的条文", "比较条文罪名与案件事实", "选出相符的法条"),
    "lar": ("确定法律、条号和日期", "检索当日施行的版本", "照录条文"),
    "lcs": ("按咨询内容检索条文", "选出最接近的条文", "写明回答和法律依据"),
    "ptp": ("查出相关法条在行为时的法定刑", "确定罪名和情节", "在法定刑幅度内取常见刑期"),
}
"""Task -> the steps of its plan; '' for all others."""


def solver(kind: str, question: str, search: LawSearch, *, dated: bool = True, abstain: bool = True) -> Work:
    """The solver of a task; `dated`: the search filters by day; `abstain`: no other version stands in for a text."""
    if kind == "lar":
        return recite(question, search.analyse(question), dated=dated, abstain=abstain)
    if kind == "ccp":
        return accuse(question, search.analyse(question))
    if kind == "lap":
        return apply_articles(question, search.analyse(question), options(question))
    if kind == "lcs":
        return advise(question)
    if kind == "ptp":
        return sentence(question, search.analyse(question))
    return choose(question, options(question), only_one=kind in ("lbk", "pfe"))
