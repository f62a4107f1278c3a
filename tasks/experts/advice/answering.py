"""How the trainee words an answer: yes or no with its article, or what the law says and what to do, in points.

Sentences are short enough to be read aloud; a second article is named only where the answer needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.experts.advice.polarity import Asked, Verdict
from tasks.legalsearch.rules.likeness import contained

SAME = 0.8
"""Words of an article are not quoted when so much of them was just said."""
_INNER = str.maketrans("“”", "‘’")
_NTH = ("第一", "第二", "第三", "第四", "第五", "第六", "第七")
POINTS = 6
"""Points of one answer at most."""
NOTHING = "这个问题我手头没有可以直接引用的条文，说错了会误导您，我向带教律师请示后再答复您具体的条文。您也可以拨打12348公共法律服务热线。"
_HEADS = {
    "can": ("可以", "不可以"), "must": ("需要", "不需要"), "liable": ("需要", "不需要"), "will": ("会", "不会"),
    "has": ("有", "没有"),
}  # fmt: skip
"""What a question turns on -> yes and no in its own words."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer rests on: an article by name, what it says in short, its own words, the verdict it gives.

    todo: what to do; also: further articles by name.
    """

    named: str
    says: str
    words: str = ""
    verdict: Verdict = "none"
    todo: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


def answer(asked: Asked, bases: Sequence[Basis]) -> str:
    """The answer by one basis or more, the best first: to a yes-no question that of the first, else all in points."""
    first, *rest = bases
    told = () if asked.binary else rest
    if asked.binary:
        steps = first.todo[:1] if first.verdict != "no" else ()
    else:
        steps = tuple(dict.fromkeys(step for basis in bases for step in basis.todo))[:POINTS]
    parts = [
        head(asked, first.verdict) if asked.binary else "",
        f"根据{first.named}，{first.says}。",
        _words(first),
        _others([*first.also, *(one.named for one in rest)], {first.named, *(one.named for one in told)}),
        *(f"另外，根据{one.named}，{one.says}。" for one in told),
        numbered(steps),
    ]
    return "".join(parts)


def numbered(steps: Sequence[str]) -> str:
    """您可以按下面几点来办：第一，…；第二，…."""
    if len(steps) < 2:
        return "".join(f"建议：{step.rstrip('。')}。" for step in steps)
    listed = "；".join(f"{nth}，{step.rstrip('。')}" for nth, step in zip(_NTH, steps, strict=False))
    return f"您可以按下面几点来办：{listed}。"


def _words(basis: Basis) -> str:
    if not basis.words or contained(basis.words, basis.says) >= SAME:
        return ""
    return f"条文原话是：“{basis.words.rstrip('。；').translate(_INNER)}”。"


def _others(named: Sequence[str], told: set[str]) -> str:
    """Further articles by name, but those that are told in full."""
    names = [name for name in dict.fromkeys(named) if name not in told]
    return f"相关的规定还有{'、'.join(names)}。" if names else ""


def head(asked: Asked, verdict: Verdict) -> str:
    """Yes or no in the words of the question; where the law leaves it open, that."""
    if verdict == "none":
        return "这要看具体情况，不能一概而论。"
    kind = next((one.kind for one in asked.predicates[:1] if not one.denied), "")
    return f"{_HEADS.get(kind, ('是的', '不是'))[verdict == 'no']}。"
