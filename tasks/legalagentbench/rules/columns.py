"""Which columns a call should ask for: the names a frame needs, and what its conditions, questions and row hops
read."""

from __future__ import annotations

from tasks.legalagentbench.rules.frames import Frame, Plan
from tasks.legalagentbench.rules.graph import ATTRIBUTES, TABLE_OF

_ALWAYS: dict[str, tuple[str, ...]] = {
    "LegalDoc": ("关联公司", "案号", "日期", "涉案金额（元）"),
    "RestrictionCase": ("限制高消费企业名称", "案号", "涉案金额（元）", "执行法院"),
    "FinalizedCase": ("终本公司名称", "案号", "执行标的（元）", "执行法院"),
    "DishonestyCase": ("失信被执行公司名称", "案号", "涉案金额（元）", "执行法院"),
    "AdministrativeCase": ("行政处罚公司名称", "案号", "处罚金额（元）"),
    "SubCompanyInfo": ("关联上市公司全称", "公司名称", "上市公司参股比例", "上市公司投资金额"),
}


def frame_columns(plan: Plan, index: int) -> tuple[str, ...]:
    """The columns that a frame's call should ask for: its names, and what conditions, questions and row hops need."""
    frame = plan.frames[index]
    assert frame.hop is not None
    wanted = list(frame.hop.columns)
    table = TABLE_OF.get(frame.kind, "SubCompanyInfo" if frame.relation in ("sub", "parent") else "")
    wanted += _ALWAYS.get(table, ())
    group = {index}
    for other in range(index + 1, len(plan.frames)):
        follower = plan.frames[other]
        if follower.parent in group and follower.hop is None:
            group.add(other)
        elif follower.parent in group and follower.hop is not None and not follower.hop.tool:
            wanted += follower.hop.columns
            if follower.relation in ("firm", "company"):
                wanted += ("原告", "被告") if frame.kind == "doc" else ()
    for member in group:
        for concept in _concepts(plan.frames[member]):
            for source in ATTRIBUTES.get(frame.kind, {}).get(concept, ()):
                if source.tool in ("", frame.hop.tool.removesuffix("_list")):
                    wanted.append(source.column)
        for modifier in plan.frames[member].modifiers:
            wanted += _needs(frame, modifier.op)
    return tuple(dict.fromkeys(wanted))


def _concepts(frame: Frame) -> list[str]:
    found = [concept for modifier in frame.modifiers for concept in modifier.concepts]
    if frame.kind == "firm" and any(
        m.op in (">", ">=", "<", "<=", "max", "min", "between") and not m.concepts for m in frame.modifiers
    ):
        found.append("capital")
    if any(m.op in ("first", "last") and not m.concepts for m in frame.modifiers):
        found.append("founded" if frame.kind in ("firm", "court") else "date")
    if any(w.kind == "days" for w in frame.wanted):
        found += ["filed", "closed", "published"]
    for wanted in frame.wanted:
        found.append("judgment" if wanted.concept.startswith("clause:") else wanted.concept)
    return found


def _needs(frame: Frame, op: str) -> tuple[str, ...]:
    if frame.kind != "doc":
        return ()
    return {
        "role": ("原告", "被告", "原告律师事务所", "被告律师事务所"),
        "cause": ("案由",),
        "form": ("文书类型",),
        "first": ("日期",),
        "last": ("日期",),
    }.get(op, ())
