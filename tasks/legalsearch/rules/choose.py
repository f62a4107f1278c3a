"""Multiple choice by retrieved text: how many answers the question wants, whether it asks for what is wrong, what
fits.

An option is supported as far as an article returned for the question contains its words, the more so the more of the
question the article contains too. Of several right options those are chosen that articles say nearly word for word.
Where no article supports one option the answer is the default: all of them where several are asked for, B where one
is, and so for questions about what is wrong: in development questions support said nothing about those.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tasks.legalsearch.rules.likeness import contained
from tasks.legalsearch.rules.looking import Query, Reply, Seen, Work, hits_of

BASE = 0.3
"""What support counts before the article shares a word with the question."""
LEAST = 0.1
"""Support below which no option counts as supported."""
SAID = 0.8
"""The share of an option that one article must have for the article to say it."""
DEFAULT = "B"

_OPTIONS = re.compile(r"\n\s*选项\s*[:：]")
_HEAD = re.compile(r"^\s*(?:问题|题目)\s*[:：]\s*")
_TAIL = 60
_SEVERAL = re.compile(r"哪些|哪几|的有|包括[^A-Za-z]{0,3}$|有[:：?？（(\s]*$")
_ONE = re.compile(r"哪一|哪项|哪个|何者")
_SENTENCE = re.compile("[。；;]")
_REVERSED = re.compile(
    r"不正确|错误|不属于|不包括|不符合|不构成|不是|不应|不能|不得|不可以|有误|不当|不合法|不包含|除外|不需要|不具有"
    r"|不成立|不恰当"
    r"|不会|不必|不享有|不适用"
)


def stem_of(question: str) -> str:
    """The question without its heading and its options."""
    return _HEAD.sub("", _OPTIONS.split(question, maxsplit=1)[0]).strip()


def wants_several(stem: str) -> bool:
    """Whether the words of the question ask for more than one option."""
    tail = stem[-_TAIL:]
    return _SEVERAL.search(tail) is not None and _ONE.search(tail) is None


def is_reversed(stem: str) -> bool:
    """Whether the question asks for what is wrong."""
    return _REVERSED.search(_SENTENCE.split(stem.rstrip("。；;"))[-1][-40:]) is not None


def support(option: str, stem: str, hits: Sequence[Seen]) -> float:
    """How far retrieved articles bear an option out, from 0 to 1.3."""
    texts = [f"{hit.title}\n{hit.text}" for hit in hits if hit.text]
    return max((contained(option, text) * (BASE + contained(stem, text)) for text in texts), default=0.0)


def _said(option: str, hits: Sequence[Seen]) -> bool:
    return any(contained(option, hit.text) >= SAID for hit in hits if hit.text)


def choose(question: str, choices: Mapping[str, str], *, only_one: bool) -> Work:
    """The options that fit. only_one: the task never has more than one right option."""
    stem = stem_of(question)
    hits = hits_of((yield Query((stem,), "按题干中的时间、法律和关键词检索条文。")))
    if not choices:
        return Reply("", "题目没有列出选项。")
    if not only_one and wants_several(stem):
        said = [letter for letter, option in choices.items() if _said(option, hits)]
        if 1 < len(said) < len(choices) and not is_reversed(stem):
            return Reply("".join(said), "条文中有这些选项的文字，没有其余选项的文字。")
        return Reply("".join(choices), "题干要求选出多项；条文不足以排除任何一项，按默认全选。")
    default = DEFAULT if DEFAULT in choices else next(iter(choices))
    if is_reversed(stem):
        return Reply(default, "题干要求选出不符合的一项；条文不足以判断，按默认选项作答。")
    points = {letter: support(option, stem, hits) for letter, option in choices.items()}
    best = max(points, key=lambda letter: (points[letter], letter == default))
    listed = "，".join(f"{letter} {value:.2f}" for letter, value in points.items())
    if points[best] < LEAST:
        return Reply(default, f"检索到的条文不支持任何选项（{listed}），按默认选项作答。")
    return Reply(best, f"各选项得到条文支持的程度：{listed}。")
