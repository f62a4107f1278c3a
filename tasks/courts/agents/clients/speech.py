"""How a client sounds: length, fillers, thanks and bluntness by its traits, the same for the same case and turn.

The markers are those that `tasks.courts.scores.consistency` counts. What is added says nothing about the case.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

from tasks.courts.play.views import CourtView
from tasks.courts.scores.bigrams import sentences

CHATTER: tuple[str, ...] = (
    "我说话啰嗦，您多担待。", "要是哪儿没说清楚，您随时打断我。", "我这个人有一说一。", "您慢慢来，我不赶时间。",
    "身边的人各说各的，我也不知道该听谁的。", "能想起来的我都说了。",
    "我一说起来就收不住，您别见怪。", "昨晚我还跟邻居念叨来着。", "听人说多问一句总没有坏处。",
)  # fmt: skip
WORRY = ("我心里一直挺担心的。", "我真有点着急。", "唉，一想到这事我就害怕。", "您说这可怎么办。")
_THANKS = ("麻烦您了。", "谢谢您。", "辛苦您了。")
_BLUNT = ("这些你记好。", "我说的都是实话。")
_FILLED = ("呃，", "嗯，", "唉，", "这个，")
_AT_HOME = re.compile(r"家里人|邻居|身边的人")
"""What a company does not speak of."""
_COMPANY = re.compile(r"公司|企业|厂长|经理|法务|人事|负责人|主管|老板")
_QUOTED = re.compile(r"(“[^”]{0,200}”)")
_WORRIED = re.compile(r"呃|嗯|唉|哎|担心|害怕|着急|怎么办")
_LOW, _HIGH = 2, 4


def pick(choices: Sequence[str], view: CourtView, salt: str = "") -> str:
    """One of several, fixed by case, turn and salt."""
    return choices[int(sha256(f"{view.case_id}/{view.turn}/{salt}".encode()).hexdigest()[:8], 16) % len(choices)]


def unsaid(choices: Sequence[str], view: CourtView, salt: str = "") -> str:
    """The same, of what was not said before; '' where all was."""
    said = "\n".join(turn.text for turn in view.own).replace("你", "您")
    left = [choice for choice in choices if choice.replace("你", "您").strip("。，") not in said]
    return pick(left, view, salt) if left else ""


def styled(parts: Sequence[str], view: CourtView, *, thanks: bool = True) -> str:
    """The sentences of an utterance in the manner of its speaker.

    Args:
        parts: what is to be said, in order.
        view: with the traits.
        thanks: whether thanks fit here at all.
    """
    traits = view.traits
    told = [part for part in parts if part.strip()]
    plain = len(told)
    if traits.get("extraversion") == "low":
        told = _run_together(told)
    elif traits.get("extraversion") == "high":
        told = _long(told, view)
    if traits.get("agreeableness") == "high" and thanks:
        told = _thankful(told, view)
    elif (
        traits.get("agreeableness") == "low"
        and traits.get("extraversion") != "low"
        and view.turn % 3 == 2
        and len(told) == plain
    ):
        told = [*told, unsaid(_BLUNT, view)]
    text = "".join(told)
    if traits.get("stability") == "low" and (
        view.turn % 2 or not any(_WORRIED.search(turn.text) for turn in view.own)
    ):
        text = pick(_FILLED[: 3 if text.startswith("这个") else 4], view, "filler") + text
    return addressing(text, view)


def addressing(text: str, view: CourtView) -> str:
    """The lawyer addressed in one way throughout; what others are quoted with stays."""
    word = "你" if view.traits.get("agreeableness") == "low" else "您"
    parts = _QUOTED.split(text)
    return "".join(part if part.startswith("“") else re.sub("您|你(?!们)", word, part) for part in parts)


def _company(view: CourtView) -> bool:
    """Whether somebody speaks for a company."""
    own = (party for party in view.held.get("parties", ()) if party.get("side") == view.role)
    return any(party.get("kind") == "company" for party in own) or bool(
        _COMPANY.search(str(view.held.get("client", {}).get("occupation", "")))
    )


def _run_together(told: Sequence[str]) -> list[str]:
    """At most two sentences: what comes before the last is run together."""
    parts = [sentence for part in told for sentence in sentences(part)]
    if len(parts) <= _LOW:
        return parts
    head = "，".join(part.strip().rstrip("。；！，") for part in parts[:-1])
    return [f"{head}。", parts[-1]]


def _long(told: Sequence[str], view: CourtView) -> list[str]:
    parts = list(told)
    worries = view.traits.get("stability") == "low" and view.env != "KQ"
    pool = (*CHATTER, *WORRY) if worries else CHATTER
    if _company(view):
        pool = tuple(one for one in CHATTER if not _AT_HOME.search(one))
    extra = unsaid(pool, view, "first")
    if not extra or view.turn % 2 or sum(len(sentences(part)) for part in parts) > _HIGH:
        return parts
    return [*parts, extra]


def _thankful(told: Sequence[str], view: CourtView) -> list[str]:
    if view.traits.get("extraversion") == "low":
        return [f"好的，{told[0]}", *told[1:]] if told and view.turn % 2 else list(told)
    return [*told[:-1], pick(_THANKS, view, "thanks"), *told[-1:]] if view.turn % 2 else list(told)
