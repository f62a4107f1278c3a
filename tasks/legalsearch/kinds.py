"""The 13 tasks as data: what each asks, what its answers look like, and where the published tables list it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Domain = Literal["in", "out"]
Form = Literal["article", "consultation", "letters", "charges", "months"]
TEXTS = frozenset({"article", "consultation"})
"""Forms of answers that are texts of their own."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One task. `domain` "in": trained on in the paper; `form` is the form of its answers and names its scorers;
    short: Chinese and English, for tables."""

    id: str
    name: str
    english: str
    short: tuple[str, str]
    domain: Domain
    form: Form


KINDS: dict[str, Kind] = {
    kind.id: kind
    for kind in (
        Kind("lar", "法条背诵", "Legal Article Recitation", ("法条背诵", "Article recitation"), "in", "article"),
        Kind("lcs", "法律咨询", "Legal Consultation", ("法律咨询", "Consultation"), "in", "consultation"),
        Kind(
            "kqa",
            "法律知识问答",
            "Knowledge Question Answering",
            ("知识问答", "Knowledge questions"),
            "in",
            "letters",
        ),
        Kind("lap", "法条预测", "Legal Article Prediction", ("法条预测", "Article prediction"), "in", "letters"),
        Kind("ccp", "罪名预测", "Criminal Charge Prediction", ("罪名预测", "Charge prediction"), "in", "charges"),
        Kind("ptp", "刑期预测", "Prison Term Prediction", ("刑期预测", "Prison term prediction"), "in", "months"),
        Kind("lca", "案例分析", "Legal Case Analysis", ("案例分析", "Case analysis"), "in", "letters"),
        Kind(
            "cpa",
            "注册会计师考试",
            "Certified Public Accountant",
            ("注册会计师考试", "Accountant exam"),
            "out",
            "letters",
        ),
        Kind(
            "pae",
            "专利代理师考试",
            "Patent Agent Examination",
            ("专利代理师考试", "Patent agent exam"),
            "out",
            "letters",
        ),
        Kind(
            "nje",
            "国家司法考试",
            "National Judicial Examination",
            ("国家司法考试", "Judicial exam"),
            "out",
            "letters",
        ),
        Kind(
            "ungee",
            "法律硕士联考",
            "Unified National Graduate Entrance Examination",
            ("法律硕士联考", "Graduate entrance exam"),
            "out",
            "letters",
        ),
        Kind("lbk", "法律基础知识", "Legal Basic Knowledge", ("法律基础知识", "Legal basics"), "out", "letters"),
        Kind(
            "pfe",
            "公共基础知识",
            "Professional Fundamentals Examination",
            ("公共基础知识", "Professional basics"),
            "out",
            "letters",
        ),
    )
}
"""Id -> task, in the order of the published tables; a task of another id is no task of this benchmark."""

IN_DOMAIN = tuple(kind.id for kind in KINDS.values() if kind.domain == "in")
OUT_OF_DOMAIN = tuple(kind.id for kind in KINDS.values() if kind.domain == "out")
