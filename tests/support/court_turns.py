"""Turns of judges, labelled by hand with the acts that a lawyer would say they did.

A label says what the turn with its replies accomplishes in its place, so a question put to the wrong side, in the
wrong stage or without an answer accomplishes nothing. Three rounds: the first was labelled before any pattern was
written; the second and third put the same acts in looser words and were labelled before the patterns met them. What
the patterns made of a round at first sight, precision and recall over all acts: 1.00 / 0.97, 0.67 / 0.52, 0.93 /
0.74; each round then corrected them. Read a perfect figure on these turns accordingly. Everybody here is invented.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tasks.courts.procedure.turns import Hearing, Item, Turn

Kind = Literal[
    "good", "missing", "bundled", "wrong_stage", "wrong_addressee", "agenda", "single_word", "no_answer", "quotation"
]

_CIVIL = (
    Item("E1", "plaintiff", "装饰装修施工合同", 1),
    Item("E2", "plaintiff", "银行转账回单", 2),
    Item("E3", "plaintiff", "墙面渗水现场照片", 3),
    Item("E4", "defendant", "工程竣工验收单", 1),
)
_CRIMINAL = (
    Item("K1", "procurator", "商场监控录像", 1),
    Item("K2", "procurator", "被害人冯某的陈述", 2, disputed=False),
    Item("K3", "procurator", "价格认定结论书", 3, disputed=False),
    Item("K4", "defence", "被害人出具的谅解书", 1, disputed=False),
)
_CIVIL_NAMES: Mapping[str, tuple[str, ...]] = {
    "plaintiff": ("周岚", "陈立言"),
    "defendant": ("江枫市启明装饰工程有限公司", "启明公司", "罗平", "何青"),
}
_CRIMINAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "procurator": ("姜文",),
    "accused": ("林海涛",),
    "defence": ("赵宁",),
}
_LAWYERS = frozenset({"represented", "mediable"})
HEARINGS: Mapping[str, Hearing] = {
    "civil": Hearing("CI", "普通程序", _CIVIL_NAMES, _CIVIL, _LAWYERS | {"collegial"}),
    "civil_summary": Hearing("CI", "简易程序", _CIVIL_NAMES, _CIVIL, _LAWYERS),
    "civil_small": Hearing("CI", "小额诉讼程序", _CIVIL_NAMES, _CIVIL, _LAWYERS),
    "divorce": Hearing("CI", "普通程序", _CIVIL_NAMES, _CIVIL, _LAWYERS | {"collegial", "divorce"}),
    "criminal": Hearing("CR", "普通程序", _CRIMINAL_NAMES, _CRIMINAL, frozenset({"collegial"})),
    "plea": Hearing(
        "CR", "普通程序", _CRIMINAL_NAMES, _CRIMINAL, frozenset({"collegial", "guilty_plea", "request", "property"})
    ),
    "criminal_summary": Hearing("CR", "简易程序", _CRIMINAL_NAMES, _CRIMINAL, frozenset({"guilty_plea", "request"})),
    "fast": Hearing("CR", "速裁程序", _CRIMINAL_NAMES, _CRIMINAL, frozenset({"guilty_plea", "request"})),
}
PLAINTIFF, DEFENDANT = ("plaintiff_lawyer",), ("defendant_lawyer",)
BOTH = ("plaintiff_lawyer", "defendant_lawyer")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A judge turn in its place. `stage`: where the trial is; `done`: acts of that stage already done; `acts`: the
    label."""

    id: str
    kind: Kind
    case: str
    stage: str
    to: tuple[str, ...]
    text: str
    replies: tuple[tuple[str, str], ...]
    acts: frozenset[str]
    done: tuple[str, ...] = ()
    round: int = 1

    def turns(self) -> list[Turn]:
        """The judge's turn and the replies, all numbered 7 (a judge turn and its replies share a number)."""
        return [Turn(7, "judge", self.to, self.text)] + [
            Turn(7, speaker, ("judge",), text) for speaker, text in self.replies
        ]


def _labelled(row: dict[str, Any]) -> Labelled:
    replies = tuple((speaker, text) for speaker, text in row["replies"])
    sets = {"to": tuple(row["to"]), "replies": replies, "acts": frozenset(row["acts"]), "done": tuple(row["done"])}
    return Labelled(**{**row, **sets})


LABELLED: tuple[Labelled, ...] = tuple(
    _labelled(json.loads(line))
    for line in Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
)
