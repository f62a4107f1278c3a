"""Consultations: what the nearest retrieved articles say, and the articles as 法律依据, in the published two-part
form.

Only a grader can score these answers. The legal basis is what the tool returned; nothing is said that no article
says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.legalsearch.rules.likeness import contained
from tasks.legalsearch.rules.looking import Query, Reply, Seen, Work, hits_of

MOST = 2
"""Articles named as the basis."""
SHARE = 0.75
"""A further article needs this share of the likeness of the first."""
LONGEST = 700
"""Characters of an article that are cited."""

_HEAD = re.compile(r".*(?:用户提问|咨询|提问|问题)\s*[:：]", re.DOTALL)
_NONE = "回答:未检索到可以适用的法律条文，无法给出意见，建议补充事实后咨询律师。法律依据:无。"


def advise(question: str) -> Work:
    """An answer with its legal basis from the articles that fit the question best."""
    asked = _HEAD.sub("", question).strip() or question.strip()
    found = hits_of((yield Query((asked,), "按咨询内容检索有关条文。")))
    chosen = fitting(asked, found)
    if not chosen:
        return Reply(_NONE, "没有检索到带文本的条文。", abstained=True)
    first = chosen[0]
    said = (
        f"根据《{first.law}》{first.chinese}的规定，{_short(first)}您的情况与此相符的，按上述规定处理；"
        "具体结果取决于合同约定和能够证明的事实。"
    )
    basis = "".join(f"《{hit.law}》{hit.chinese}{_cited(hit)}" for hit in chosen)
    named = "、".join(f"《{hit.law}》{hit.chinese}" for hit in chosen)
    return Reply(f"回答:{said}法律依据:{basis}", f"与咨询内容最接近的条文：{named}。")


def fitting(asked: str, hits: Sequence[Seen]) -> list[Seen]:
    """The articles with text that share most with the question, the order of the search among equals; at most
    `MOST`."""
    likeness = {
        hit.id: contained(asked, f"{hit.title}\n{hit.text}") / (1 + place / 4) for place, hit in enumerate(hits)
    }
    ranked = sorted((hit for hit in hits if hit.text), key=lambda hit: -likeness[hit.id])
    best = likeness[ranked[0].id] if ranked else 0.0
    return [hit for hit in ranked[:MOST] if likeness[hit.id] >= SHARE * best]


def _short(hit: Seen) -> str:
    """The first sentence of an article."""
    sentence = (hit.text or "").split("。", 1)[0].replace("\n", "")
    return f"{sentence[:200]}。"


def _cited(hit: Seen) -> str:
    return "".join((hit.text or "").split())[:LONGEST]
