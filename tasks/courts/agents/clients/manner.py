"""How somebody who seeks advice reacts to an answer and sounds: by traits, never the same words twice, at most one aside a turn.

What is added says nothing about the case: thanks, a short restatement of what was answered, a doubt, a remark that fits the
place. The markers are those that `tasks.courts.scores.consistency` counts. Chosen by case and turn, so always the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

from tasks.courts.agents.clients.speech import addressing, run_together, unsaid
from tasks.courts.play.views import CourtView
from tasks.courts.scores.bigrams import sentences

_YES = re.compile(r"^(?:是的|可以|需要|会|有(?!争议)|要)[，。]")
_NO = re.compile(r"^(?:不|没有|无效)")
_OPEN = re.compile(r"^这要看")
_NOT_KNOWN = re.compile(r"没有可以直接引用的条文")
_CITED = re.compile(
    r"《[^《》]{2,40}(?:《[^《》]{1,40}》[^《》]{0,40})?》(?P<number>第[零一二三四五六七八九十百千]{1,9}条(?:之[一二三四五])?)"
)

_TAKEN = {
    "yes": ("这么一说我心里有数了。", "哦，那我就明白了。", "原来是这样规定的。", "我记下了。"),
    "no": ("原来不是那么回事。", "哦，我先前还不知道。", "原来法律上不是这么算的。", "这下我弄清楚了。"),
    "open": ("看来要把情况一条一条理清楚。", "这样啊，我再想想具体情况。"),
    "told": ("您说得挺清楚，我照着去准备。", "我一条一条记下了。", "这样我就知道该往哪儿使劲了。", "原来还有这些讲究。"),
    "unknown": ("那我等您问清楚再说。", "不要紧，这个先放一放。"),
}  # fmt: skip
"""What was answered -> what somebody says who takes it."""
_DOUBTED = ("这跟我以前听说的不大一样。", "我原来一直不是这么想的。", "我还是有点拿不准，回去再琢磨琢磨。")
"""Of somebody who holds to own views."""
_MULLED = (
    "我还当是另一回事呢。", "回头我也跟身边的人说说。", "以前谁也没跟我讲过这些。", "看来问一问是对的。", "差点就听别人瞎说了。", "这个我得记牢。",
)  # fmt: skip
"""Of somebody who likes to talk, besides."""
_GRUMBLED = ("道理我懂了。", "我也是被人绕糊涂了。", "我就想听句实在话。", "之前没一个人跟我讲清楚。")
_CURT = ("知道了。", "行，这条我记住了。", "嗐，早说清楚就好了。", "那就这样。", "这还差不多。")
"""Of somebody who is not agreeable."""
_THANKS = ("谢谢您。", "麻烦您了。", "辛苦您了。", "谢谢您说得这么细。", "真是麻烦您了。")
ASIDES = {
    "KQ": (
        "我平时也没机会问这些。", "多懂一点总没有坏处。", "身边的人各说各的，我也不知道该听谁的。", "我这个人爱刨根问底。", "我还攒了几个问题。",
        "要是哪儿没问明白，您随时打断我。",
    ),
    "LC": (
        "我说话啰嗦，您多担待。", "我能想起来的都会说。", "这些天我满脑子都是这件事。", "我这是头一回碰上这种事。", "身边的人各说各的，我也不知道该听谁的。",
        "要是哪儿没说清楚，您随时打断我。",
    ),
}  # fmt: skip
"""Of somebody who likes to talk."""
WORRIES = {"KQ": ("我就怕自己弄错了。",), "LC": ("我心里一直挺担心的。", "我真有点着急。", "想起来我就睡不好。")}
_FILLED = ("呃，", "嗯，", "唉，")
_NUMBER = "我记一下，是{number}。"


def reaction(view: CourtView) -> list[str]:
    """What is said to an answer before the next question; [] at the beginning, to a question, and in about half of the turns."""
    heard = view.asked.text if view.asked else ""
    if not heard or len(view.own) < 2 or _even(view, "reaction"):
        return []
    traits, kind = view.traits, _kind(heard)
    if traits.get("agreeableness") == "low":
        said = unsaid(_CURT, view, "curt")
    elif traits.get("openness") == "low" and kind in ("yes", "no") and _even(view, "doubt"):
        said = unsaid(_DOUBTED, view, "doubt") or unsaid(_TAKEN[kind], view, "taken")
    else:
        said = unsaid(_TAKEN[kind], view, "taken")
    parts = [said] if said else []
    number = _CITED.search(heard)
    if traits.get("conscientiousness") == "high" and number and not _noted(view):
        parts = [_NUMBER.format(number=number["number"])]
    thankful, talks = traits.get("agreeableness") == "high", traits.get("extraversion")
    if thankful and talks != "low":
        parts += [thanks] if (thanks := unsaid(_THANKS, view, "thanks")) else []
    elif talks == "high":
        pool = _GRUMBLED if traits.get("agreeableness") == "low" else _MULLED
        parts += [mulled] if (mulled := unsaid(pool, view, "mulled")) else []
    return parts


def spoken(before: Sequence[str], told: Sequence[str], question: str, view: CourtView) -> str:
    """An utterance in the manner of its speaker.

    Args:
        before: the reaction to what was heard.
        told: of the story, in its order.
        question: what is put; it stays last.
        view: with the traits.
    """
    traits = view.traits
    if traits.get("extraversion") == "low":
        # One or two sentences: who has something to tell does not comment on the answer as well.
        story = "".join(run_together([*told, ""])) if told else ""
        text = f"{_kindly(view)}{story}{question}" if told else f"{''.join(before[:1])}{question}"
    else:
        text = "".join([*before, *_aside(view, before, told), *told, question])
    hesitates = traits.get("stability") == "low" and not _even(view, "filled") and text[0] not in "嗐唉哎嗯呃"
    if hesitates or _still(view):
        text = unsaid_start(view) + text
    return addressing(text, "你" if traits.get("agreeableness") == "low" else "您")


def _noted(view: CourtView) -> bool:
    return any("我记一下" in turn.text for turn in view.own)


def unsaid_start(view: CourtView) -> str:
    """A hesitation that the last utterance did not begin with."""
    last = view.own[-1].text if view.own else ""
    return next((word for word in _FILLED if not last.startswith(word)), "")


def _still(view: CourtView) -> bool:
    """Whether somebody who worries has not sounded so yet."""
    return view.traits.get("stability") == "low" and not any(turn.text[:2] in _FILLED for turn in view.own)


def _aside(view: CourtView, before: Sequence[str], told: Sequence[str]) -> list[str]:
    """One remark beside the matter, in about half of the turns, of somebody who talks much or worries."""
    talks, worries = view.traits.get("extraversion") == "high", view.traits.get("stability") == "low"
    enough = sum(len(sentences(part)) for part in told) > 2 or (len(before) > 1 and not talks)
    # Who likes to talk does so when it is about the answer anyway: the other turns stay short.
    if not (talks or worries) or _even(view, "reaction" if talks else "aside") or enough or not view.own:
        return []
    worried = worries and (not talks or _even(view, "worry"))
    said = unsaid(WORRIES[view.env], view, "aside") if worried else ""
    said = said or (unsaid(ASIDES[view.env], view, "aside") if talks else "")
    return [said] if said else []


def _kindly(view: CourtView) -> str:
    """Somebody kind who says little says 好的 and goes on."""
    fits = view.traits.get("agreeableness") == "high" and len(view.own) > 1 and not _even(view, "kind")
    return (
        "好的，谢谢您，"
        if fits and not any("好的，谢谢您" in turn.text for turn in view.own)
        else "好的，"
        if fits
        else ""
    )


def _kind(heard: str) -> str:
    if _NOT_KNOWN.search(heard):
        return "unknown"
    for kind, pattern in (("open", _OPEN), ("yes", _YES), ("no", _NO)):
        if pattern.match(heard):
            return kind
    return "told"


def _even(view: CourtView, salt: str) -> bool:
    """Every second turn, from a turn fixed by the case."""
    start = int(sha256(f"{view.case_id}/{salt}".encode()).hexdigest()[:2], 16)
    return (len(view.own) + start) % 2 == 0
