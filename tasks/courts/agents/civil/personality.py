"""Personality rights: how far deletion, apology and solatium go. 民法典第九百九十八条、第一千条、第一千一百八十三条.

An apology reaches as far as the harm did and no further; what was deleted already is not ordered again; a solatium stands at the
discretion of the court, by the fault, the spread and the consequences that are shown. Yuan.
"""

from __future__ import annotations

import re

from store.text.normalise import fold_width
from tasks.courts.agents.civil.case import Case, Lessened, Reckoned
from tasks.courts.agents.civil.heard import Claim
from tasks.courts.agents.civil.sums import yuan

CAUSES = re.compile(r"名誉|荣誉|隐私|肖像|姓名权|个人信息|人格权|网络侵权")
STEP = 1000.0
"""What each of fault, wide spread and medical consequence adds to a solatium."""
WIDE = 1000
"""From so many viewers, readers or members on words have spread widely."""
_SPREAD = re.compile(
    r"(?:播放|浏览|阅读|点击|转发|成员|粉丝|评论)(?:量|数|次数)?[^0-9，。；]{0,6}(?P<n>[0-9][0-9.,]*)(?P<u>万?)|(?P<n2>[0-9][0-9.,]*)(?P<u2>万?)(?:次(?:播放|浏览|阅读)|人)"
)
_ILL = re.compile(r"病历|就诊|诊断|门诊|住院|抑郁|焦虑|失眠")
_GRAVE = re.compile(r"谩骂|威胁|骚扰|辱骂|人肉|围攻|花圈|自杀")
_APOLOGY = re.compile(
    r"在(?P<places>.{2,160}?)(?:上|中|内|里)?(?P<verb>(?:公开|书面|当众|登报|刊登|发布|张贴)[^，。；]{0,16})?(?P<to>向原告)?(?:赔礼)?道歉"
)
_APART = re.compile(r"、|以及|并在|及|和(?=[“本在])")
_PRESS = re.compile(r"报纸|日报|晚报|报刊|电视台|电台|杂志|省级|全国性")
_KEPT = re.compile(
    r"(?:保留|连续|持续|置顶)[^，。；0-9一二三四五六七八九十]{0,6}(?P<n>[0-9]{1,3}|[一二三四五六七八九十两]{1,3})(?P<u>日|天|个月|年)"
)
LESS = r"已(?:经)?[^，。；]{0,18}(?:删除|撤回|下架|关闭)|超出|影响范围|期限过长"
"""Words of a contention that an order goes too far."""
_GONE = re.compile(r"已(?:经)?(?:于[^，。；]{2,14})?(?:自行|主动)?(?:删除|撤回|下架|关闭)")


def solatium(case: Case, claim: Claim) -> Reckoned | None:
    """精神损害抚慰金 where a personality right was harmed; None where the claim or the cause is another."""
    if not CAUSES.search(case.cause) or not re.search("精神损害|精神抚慰", claim.text):
        return None
    shown = fold_width("\n".join(one.offer.says for one in case.standing if one.offer.side == "plaintiff"))
    ill, grave = bool(_ILL.search(shown)), bool(_GRAVE.search(shown))
    wide = any(_count(match) >= WIDE for match in _SPREAD.finditer(shown))
    if not ill and not grave:
        return Reckoned(0.0, ("原告没有证据证明精神损害达到严重的程度",), less=Lessened())
    amount = min(claim.amount or 0.0, STEP * (1 + ill + wide))
    why = [
        *(["传播范围较广"] if wide else []),
        *(["原告因此就诊"] if ill else []),
        *(["原告受到他人谩骂、骚扰"] if grave else []),
    ]
    return Reckoned(
        amount,
        (f"综合被告的过错程度、{'、'.join(why)}等情节，酌定精神损害抚慰金{yuan(amount)}",),
        adopts="影响|范围|过高|精神",
    )


def _count(match: re.Match[str]) -> float:
    number = (match["n"] or match["n2"]).replace(",", "").strip(".")
    try:
        return float(number) * (10_000 if match["u"] or match["u2"] else 1)
    except ValueError:
        return 0.0


def scoped(case: Case, claim: Claim) -> tuple[str, tuple[str, ...]]:
    """An order to delete or to apologise as far as it goes, with the reasons; '' where it goes as far as was asked."""
    if not CAUSES.search(case.cause):
        return "", ()
    if "道歉" in claim.text:
        return _apology(case, claim)
    gone = next((point for point in case.on(claim) if _GONE.search(point.text)), None)
    if gone is None or not re.search("删除|下架|撤回|停止", claim.text):
        return "", ()
    return f"{claim.brief}，被告已经自行删除的部分除外", ("已经自行删除的内容不再判令删除，其余侵权内容应当删除",)


def _apology(case: Case, claim: Claim) -> tuple[str, tuple[str, ...]]:
    match = _APOLOGY.search(claim.brief)
    if match is None:
        return "", ()
    shown = case.shown
    places = [part for part in _APART.split(match["places"]) if part]
    kept = [part for part in places if not _PRESS.search(part) or any(word in shown for word in _PRESS.findall(part))]
    lasting = _KEPT.search(claim.brief)
    if not kept or (len(kept) == len(places) and not lasting):
        return "", ()
    left_out = [part for part in places if part not in kept]
    why = (
        [f"原告要求在{'、'.join(left_out)}道歉超出了影响的范围，道歉限于侵权内容传播的{'、'.join(kept)}"]
        if left_out
        else []
    )
    why += ["要求的保留期限过长，酌定保留不少于七日"] if lasting else []
    end = "，致歉内容须经本院审核" + ("，保留不少于七日" if lasting else "")
    return f"被告在{'和'.join(kept)}向原告公开赔礼道歉{end}", tuple(why)
