"""How the trainee words an answer: yes or no with its article, an article that is asked for, or an answer in points.

Sentences are short enough to be read aloud; a second article is named only where the answer needs it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.experts.advice.polarity import Asked, Verdict, bare, predicates
from tasks.legalsearch.rules.likeness import contained

Kind = Literal["binary", "law", "open"]
SAME = 0.8
"""Words of an article are not quoted when so much of them was just said."""
SHORT = 60
"""From so many characters on a second rule is named without its words."""
_INNER = str.maketrans("“”", "‘’")
_LAW = re.compile(r"哪一?条|哪几条|第几条|哪部法|哪个法律|法律依据(?:是|在)|依据是(?:什么|《)|根据哪|什么法律|哪条法")
_YES_NO = re.compile(r"吗|能不能|可不可以|是不是|要不要|会不会|算不算|有没有(?=.{0,8}[?？]?$)")
_PREFACE = re.compile(
    r"[您你]?们?(?:就)?(?:能不能|能否|可不可以|可否|可以|能|方便)(?:不能)?(?:麻烦)?[您你]?(?:再|帮我?|给我?|跟我?|替我?|具体|简单|详细)*"
    r"(?:说得?|讲得?|解释|告诉|问|请教|看看|听听)"
)
"""Asks for an answer, not for the law: 你能不能说得再明白一点."""
_HOW = re.compile(
    r"(?:怎么(?!能|可以|回事)|如何|哪些|什么(?:条件|材料|手续|途径|证据|程序)|多少|找谁)[^，,。？?]{0,24}[，,；;]"
)
"""Asks how in one clause, and yes or no in another."""
_NTH = ("第一", "第二", "第三", "第四", "第五", "第六", "第七")
POINTS = 6
"""Points of one answer at most."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer rests on: an article by name, what it says in short, its own words, the verdict it gives.

    todo: what to do; also: further articles by name.
    """

    law: str
    named: str
    says: str
    words: str = ""
    verdict: Verdict = "none"
    todo: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


def kind_of(asked: Asked) -> Kind:
    """Which sort of answer a question wants."""
    if _LAW.search(asked.text):
        return "law"
    return "binary" if asked.binary and not several(asked) and not _HOW.search(asked.text) else "open"


def several(asked: Asked) -> tuple[str, ...]:
    """The parts of a question that asks yes or no twice; () for any other."""
    parts = [
        part
        for part in re.split(r"[，,；;]", asked.text)
        if _YES_NO.search(part) and not _PREFACE.match(part) and not bare(part)
    ]
    return tuple(parts) if len(parts) > 1 else ()


def binary(asked: Asked, bases: Sequence[Basis]) -> str:
    """Yes or no first, then the article, then on what it turns."""
    first = bases[0]
    parts = [
        head(asked, first.verdict),
        f"根据{first.named}，{first.says}。",
        _words(first),
        _others(first, bases[1:]),
    ]
    if first.todo and first.verdict != "no":
        parts.append(f"建议您{_lead(first.todo[0])}。")
    return "".join(parts)


def cited(bases: Sequence[Basis]) -> str:
    """The article that was asked for, and what it says."""
    first = bases[0]
    parts = [f"依据是{first.named}：{first.says}。", _words(first), _others(Basis("", "", ""), bases[1:])]
    if first.todo:
        parts.append(f"建议您{_lead(first.todo[0])}。")
    return "".join(parts)


def in_points(asked: Asked, bases: Sequence[Basis]) -> str:
    """What, by which article, and what to do."""
    first = bases[0]
    opening = head(asked, first.verdict) if asked.binary and first.verdict != "none" else ""
    parts = [opening, f"根据{first.named}，{first.says}。", _words(first), _others(first, (), bases[1:])]
    parts += [f"另外，根据{one.named}，{one.says}。" for one in bases[1:]]
    parts.append(numbered(list(dict.fromkeys(step for basis in bases for step in basis.todo))[:POINTS]))
    return "".join(parts)


NOTHING = "这个问题我手头没有可以直接引用的条文，说错了会误导您，我向带教律师请示后再答复您具体的条文。您也可以拨打12348公共法律服务热线。"


def numbered(steps: Sequence[str]) -> str:
    """您可以这样办：第一，…；第二，…."""
    if not steps:
        return ""
    if len(steps) == 1:
        return f"建议您{_lead(steps[0])}。"
    return (
        "您可以按下面几点来办："
        + "；".join(f"{nth}，{step.rstrip('。')}" for nth, step in zip(_NTH, steps, strict=False))
        + "。"
    )


_VERBS = re.compile(
    r"^(?:先|保留|让|列|固定|提供|提交|马上|立即|及时|尽快|保存|准备|带|向|书面|用|收集|看|申请|做好|联系|补充|列出|拍|把|报警|与|可以|自|起诉|要求|请|不要|积极|对|就|出示|提交|尽早)"
)


def _lead(step: str) -> str:
    """A step as the object of 建议您; what is no act stands for itself."""
    text = step.rstrip("。")
    return text.removeprefix("可以") if _VERBS.match(text) else f"注意，{text}"


def _words(basis: Basis) -> str:
    if not basis.words or contained(basis.words, basis.says) >= SAME:
        return ""
    return f"条文原话是：“{basis.words.rstrip('。；').translate(_INNER)}”。"


def _others(first: Basis, rest: Sequence[Basis], told: Sequence[Basis] = ()) -> str:
    """Further articles by name, but those that are told in full."""
    known = {first.named, *(one.named for one in told)}
    names = [name for name in dict.fromkeys([*first.also, *(one.named for one in rest)]) if name not in known]
    return f"相关的规定还有{'、'.join(names)}。" if names else ""


_HEADS = {
    "can": ("可以", "不可以"), "must": ("需要", "不需要"), "liable": ("需要", "不需要"), "will": ("会", "不会"),
    "be": ("是的", "不是"), "has": ("有", "没有"), "apply": ("是的", "不是"),
}  # fmt: skip
_VALID = (
    ("有效", "是的，有效", "无效"), ("合法", "是的，合法", "不合法"), ("成立", "是的，成立", "不成立"),
    ("算数", "是的，算数", "不算"), ("", "是的", "不是"),
)  # fmt: skip


def _last(asked: Asked) -> str:
    """The last clause of a question."""
    return re.split(r"[,，;；]", asked.plain.rstrip("?？ "))[-1]


def head(asked: Asked, verdict: Verdict) -> str:
    """Yes or no in the words of the question; where the law leaves it open, that."""
    if verdict == "none":
        return "这要看具体情况，不能一概而论。"
    place = 0 if verdict == "yes" else 1
    predicate = asked.predicates[0] if asked.predicates else None
    if predicate is None or predicate.denied or asked.claim or not any(predicates(_last(asked))):
        return f"{('是的', '不是')[place]}。"
    if predicate.kind == "must" and re.search("应当|应该", asked.turns):
        return f"{('应当', '不应当')[place]}。"
    if predicate.kind == "valid":
        return f"{next(pair for word, *pair in _VALID if word in asked.plain)[place]}。"
    return f"{_HEADS.get(predicate.kind, ('是的', '不是'))[place]}。"
