"""防卫: whether the accused repelled an attack, and whether what he did went too far (刑法第二十条).

The defence must claim it, and the evidence that the court relies on must show the attack: a recording or another thing counts
two points, what people say one, injuries of the accused himself one. Blows exchanged by both, or dealt when the attack was
over, shown by a recording, are no defence. Only serious injury or death is 重大损害 (关于依法适用正当防卫制度的指导意见第十三条);
against an attack with a deadly weapon, robbery, rape, kidnapping there is no excess (第二十条第三款).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.courts.agents.criminal.heard import Exhibit

ENOUGH = 3
_CLAIMED = re.compile(r"正当防卫|防卫(?:性质|过当|行为)|制止(?:正在进行的)?不法侵害|明显超过必要限度|特殊防卫|无限防卫")
CHARGES = re.compile(r"故意伤害|故意杀人|过失致人死亡|过失致人重伤")
_BLOWS = (
    "掐|卡住?[^，。]{0,3}(?:脖|颈)", "勒", "[压按摁]在|按倒|摁倒|压住", "拳击|挥拳|拳打|用拳|打了?[^，。]{0,4}拳", "踢|踹", "殴打|围殴|群殴|打人",
    "持(?:刀|棍|械|斧|砖|酒瓶|钢管|铁)", "砍", "砸", "扑", "掀",
)
"""Kinds of blows: an exhibit shows the attack where it tells of one that the defence names."""
_BOTH = re.compile(r"互相(?:厮打|殴打|推打)|相互(?:厮打|殴打)|对打|互殴|约架")
_AFTER = re.compile(r"追(?:上|赶|出|打|砍)|(?:倒地|逃跑|离开)(?:以?后|之后)[^，。；]{0,12}(?:仍|又|再|继续)")
_GRAVE = re.compile(r"重伤|死亡")
_DEADLY = re.compile(r"被害人[^，。；]{0,16}(?:持(?:砍?刀|匕首|斧|枪)|抢劫|强奸|绑架|行凶)")
_HURT = re.compile(r"轻微伤|轻伤|重伤|皮下出血|挫伤|裂伤|挫裂|骨折")


@dataclass(frozen=True, slots=True)
class Repelled:
    """kind: 防卫过当, or 正当防卫. shown: the exhibits that show the attack."""

    kind: Literal["excess", "complete"]
    shown: tuple[Exhibit, ...]


def repelled(pleaded: str, facts: str, name: str, relied: Sequence[Exhibit], grounds: str) -> Repelled | None:
    """What the evidence makes of a plea of defence; None where there is none, or no attack is shown.

    pleaded: what accused and counsel said; relied: exhibits without the accused's own words; grounds: what the prosecution said.
    """
    if not _CLAIMED.search(pleaded):
        return None
    named = [blow for blow in _BLOWS if re.search(blow, pleaded)]
    told = [(one, _content(one)) for one in relied]
    if any(one.objective and (_BOTH.search(text) or _AFTER.search(text)) for one, text in told):
        return None
    shown = [one for one, text in told if any(re.search(blow, text) for blow in named)]
    hurt = any(name in text and _HURT.search(text[text.index(name) :][:48]) for _, text in told)
    if sum(2 if one.objective else 1 for one in shown) + hurt < ENOUGH:
        return None
    grave = _GRAVE.search(facts) and not _DEADLY.search(" ".join(text for _, text in told) + grounds)
    return Repelled("excess" if grave else "complete", tuple(shown))


def _content(exhibit: Exhibit) -> str:
    """What an exhibit says, not what it is offered to prove."""
    return exhibit.offer.body.rpartition("主要内容：")[2]
