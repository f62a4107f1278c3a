"""The 书记员: before the hearing finds who is present, reads the discipline of the court, reports that all is ready.

民事诉讼法第一百四十条第一款; 刑诉法解释第二百三十四条. What the clerk does is not credited to the judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from store.search.law_search import LawSearch
from tasks.courts.casefile.material import presiding_title
from tasks.courts.casefile.people import divorce
from tasks.courts.play.standing import CourtView
from tasks.episode.actions import Move, Say

RULES = (
    "现在宣布法庭规则：全体人员应当服从法庭指挥，遵守法庭礼仪；未经许可不得录音、录像、摄影或者传播庭审活动；"
    "不得鼓掌、喧哗，不得随意走动；发言应当经{title}许可；请将通讯工具关闭或者调至静音。"
)


class Clerk:
    """Speaks once, before the hearing opens."""

    def __init__(self, search: LawSearch | None = None) -> None:
        del search

    def move(self, view: CourtView) -> Move:
        """The attendance, the rules of the court, the report."""
        yield from ()
        held = view.held
        present = _criminal(held) if view.env == "CR" else _civil(held)
        title = presiding_title(held.get("court", {}))
        return Say(f"现在查明到庭情况。{present}{RULES.format(title=title)}报告{title}，庭前准备工作就绪，可以开庭。")


def _civil(held: Mapping[str, Any]) -> str:
    parts = []
    for party in held.get("parties", ()):
        side = "原告" if party["side"] == "plaintiff" else "被告"
        counsel, name = party.get("counsel"), party.get("name", "")
        link = "及其" if divorce(str(held.get("cause", ""))) else "的"
        who = f"{side}{name}{link}委托诉讼代理人{counsel.get('name', '')}" if counsel else f"{side}{name}"
        parts.append(f"{who}已到庭")
    return "，".join(parts) + "。"


def _criminal(held: Mapping[str, Any]) -> str:
    prosecution = held.get("criminal", {}).get("prosecution", {})
    who = f"公诉人{prosecution.get('name', '')}{prosecution.get('title', '')}{prosecution.get('prosecutor', '')}"
    accused = [party for party in held.get("parties", ()) if party["side"] == "defendant"]
    counsel = [f"辩护人{party['counsel'].get('name', '')}" for party in accused if party.get("counsel")]
    waiting = [f"被告人{party.get('name', '')}在庭外候审" for party in accused]
    present = "，".join(["、".join([who, *counsel]) + "已到庭", *waiting]) + "。"
    names = "、".join(party.get("name", "") for party in accused)
    cause = f"本案系被告人{names}涉嫌{held['cause']}一案。" if held.get("cause") else ""
    return present + cause
