"""What measures are called wherever people read; their codes are the names that JSON, CSV and the papers use.

An arrow stands behind a measure of which less is better. Who asks for codes gets them in place of all names.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Names = tuple[str, str]
"""Chinese, English."""

MEASURES: dict[str, Names] = {
    "overall": ("总分", "overall"),
    "success": ("成功率", "success rate"),
    "score": ("得分", "score"),
    "all": ("得分", "score"),
    "covered": ("得分（有文本的题）", "score, with texts"),
    "process": ("过程率", "process rate"),
    "success_not_given": ("成功率（题面外）", "success, not given"),
    "all_keys": ("全部命中", "all keys"),
    "f1": ("F1", "F1"),
    "jaccard": ("Jaccard", "Jaccard"),
    "bleu_4": ("BLEU-4", "BLEU-4"),
    "passed": ("通过", "passed"),
    "exact": ("完全一致", "exact"),
    "BIN": ("判断类话题", "yes-or-no topics"),
    "NBIN": ("开放类话题", "open topics"),
    "BIN_all": ("判断类话题（含未问完的对话）", "yes-or-no topics, all dialogues"),
    "NBIN_all": ("开放类话题（含未问完的对话）", "open topics, all dialogues"),
    "COV": ("话题覆盖率", "topics reached"),
    "FOR": ("文书格式", "form of the document"),
    "Label": ("必备标题", "labels of the document"),
    "Seq": ("标题顺序", "order of the labels"),
    "DOC": ("文书内容", "content of the document"),
    "PLA": ("原告信息", "plaintiff's particulars"),
    "DEF": ("被告信息／答辩意见", "defendant's particulars / defence"),
    "RES": ("答辩人信息", "respondent's particulars"),
    "CLA": ("诉讼请求", "claims"),
    "EVI": ("证据", "evidence"),
    "F&R": ("事实与理由", "facts and reasons"),
    "PFS": ("程序遵循", "procedure followed"),
    "STA": ("阶段完成率", "stages completed"),
    "ACT": ("诉讼行为完成率", "duties done"),
    "UNI": ("不代言、不并段", "one voice, one stage"),
    "ORD": ("先后次序", "order of duties"),
    "JUD": ("判决结果", "judgment"),
    "JUD_claims": ("判决结果（逐项请求）", "judgment, claim by claim"),
    "REA": ("裁判理由", "reasons"),
    "REA_points": ("理由要点", "points of the reasons"),
    "LAW": ("引用法条", "articles cited"),
    "LAW_P": ("引用法条精确率", "articles cited, precision"),
    "LAW_F1": ("引用法条 F1", "articles cited, F1"),
    "LAW_FAKE": ("虚构条文 ↓", "invented articles ↓"),
    "LAW_OLD": ("非有效条文 ↓", "articles not in force ↓"),
    "LAW_UNK": ("不在索引 ↓", "laws not in the index ↓"),
    "CRI": ("罪名", "charge"),
    "VER": ("量刑 ↓", "sentence ↓"),
    "SEN": ("刑期 ↓", "term ↓"),
    "FINE": ("罚金 ↓", "fine ↓"),
    "SEN_d": ("刑期差距（对数） ↓", "term, log distance ↓"),
    "FINE_d": ("罚金差距（对数） ↓", "fine, log distance ↓"),
    "PROB": ("缓刑一致", "probation agrees"),
    "LIFE": ("无期徒刑、死刑一致", "life or death sentence agrees"),
}
"""Code -> (Chinese, English)."""

PROXY = "_proxy"
DISTANCES = frozenset({"SEN_d", "FINE_d", "log_distance"})
"""Values that are differences of logarithms, no shares: they are shown as they are."""

_codes: ContextVar[bool] = ContextVar("codes", default=False)


@contextmanager
def as_codes(wanted: bool = True) -> Iterator[None]:
    """Within it, measures and groups are called by their codes."""
    token = _codes.set(wanted)
    try:
        yield
    finally:
        _codes.reset(token)


def called(code: str, names: Names, language: str) -> str:
    """A name in a language; the code where codes are wanted, and where nobody has named it."""
    return code if _codes.get() else names[language == "en"] or code


def names_of(code: str) -> Names:
    """What a measure is called; what rules say in place of a grader is called after what the grader says."""
    graded = MEASURES.get(code.removesuffix(PROXY))
    if code.endswith(PROXY) and graded:
        return f"{graded[0]}（规则近似）", f"{graded[1]}, by rules"
    return MEASURES.get(code, (code, code))


def measure_name(code: str, language: str) -> str:
    """What a measure is called, without its rule."""
    return called(code, names_of(code), language)
