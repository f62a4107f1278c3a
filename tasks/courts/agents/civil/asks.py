"""What a court asks of one side of a civil trial in one utterance, in order, whatever the wording: the acts of the
procedure table first, then a table of plain phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from store.tables import beside
from tasks.courts.agents.trial.party import Asked
from tasks.courts.procedure.acts import Found, cut, parse, sentences
from tasks.courts.procedure.turns import Side

ANSWERED = frozenset(
    "identity rights recusal default claim answer issues exhibit cross question debate mutual final mediate"
    " settlement".split()
)
"""Acts to which a party has something to say; the rest is announced."""
_ASKING = re.compile(r"[？?]|请|说|讲|谈|回答|意见|吗|呢|有无|有没有|是否")
_QUESTION = re.compile(r"[？?]\s*$|(?:吗|呢)[。！]?$")
_LOOSE = re.compile(r"什么|多少|几|怎么|如何|是否|有没有|有无|为何|为什么|哪|何时|说说|讲讲|谈谈|说一下|讲一下")
"""A question without its mark; heard as one where nothing else is asked."""
_CONFIRMS = ("rights", "consent")
_TITLE = re.compile(r"《[^《》]{0,80}(?:《[^《》]{0,60}》[^《》]{0,40})?》")
_VOCATIVE = re.compile(r"^[（(]?(?:原告|被告)(?:方|的?(?:委托诉讼代理人|代理人|律师))?[）)]?[，,：:、\s]*")


@lru_cache(maxsize=1024)
def asked_of(text: str, side: Side) -> tuple[Asked, ...]:
    """What an utterance asks of a side, in order, each kind once; () where it is put to the other side alone.

    A sentence that speaks to the other side by name asks nothing of this one.
    """
    acts = [act for act in parse(text, "CI") if act.act in ANSWERED]
    mine = [act for act in acts if not act.named or side in act.named]
    found: list[Asked] = []
    for start, sentence in sentences(cut(text)):
        if not sentence.strip("\u3000 \n") or _other(sentence, side):
            continue
        words = text[start : start + len(sentence)].strip()
        here = [act for act in mine if start <= _home(act) < start + len(sentence)]
        kind = _phrase(sentence, side, over=True)
        if kind is not None:
            found.append(Asked(kind, words))
            continue
        real = [act for act in here if not act.fallback and act.act != "question"]
        found += [Asked(act.act, words) for act in _distinct(real)]
        if not real:
            found += _plain(sentence, words, side, bool(here))
    return tuple(_each_once(found or _loose(text, side)))


def _loose(text: str, side: Side) -> list[Asked]:
    """Questions without a mark, where an utterance asks nothing else."""
    kept = [words.strip() for _, words in sentences(cut(text)) if _LOOSE.search(words) and not _other(words, side)]
    return [Asked("question", words) for words in kept if len(words) > 4]


def _home(act: Found) -> int:
    """An act that spans sentences is asked by its last one."""
    return max(act.start, act.end - 1) if act.end - act.start > 40 else act.start


def _distinct(acts: list[Found]) -> Iterator[Found]:
    """Acts of one sentence; what only announces rights gives way to what is asked."""
    kinds = {act.act for act in acts}
    for kind in dict.fromkeys(act.act for act in acts):
        if kind == "rights" and len(kinds) > 1:
            continue
        if kind == "debate" and "mutual" in kinds:
            continue
        yield next(act for act in acts if act.act == kind)


def _plain(sentence: str, words: str, side: Side, question: bool) -> list[Asked]:
    """A sentence in which the table finds nothing but, at most, a question on the case."""
    kind = _phrase(sentence, side, over=False)
    asks = bool(_QUESTION.search(sentence))
    if kind is not None and (question or asks or _ASKING.search(sentence)):
        return [Asked(kind, words)]
    return [Asked("question", words)] if question or (asks and len(words) > 5) else []


def _each_once(found: list[Asked]) -> Iterator[Asked]:
    """Each kind once; several questions stay; what only confirms gives way to what is asked."""
    seen = set(_CONFIRMS) if any(one.kind not in _CONFIRMS for one in found) else set()
    for one in found:
        if one.kind == "question" or one.kind not in seen:
            seen.add(one.kind)
            yield one


def _other(sentence: str, side: Side) -> bool:
    """Whether a sentence speaks to the other side by name, and not to this one."""
    names = {"plaintiff": "原告", "defendant": "被告"}
    mine = names.pop(side)
    other = next(iter(names.values()))
    starts = sentence.lstrip("\u3000 \n，,、现在下面首先请由再")
    return starts.startswith(other) and not re.search(rf"(?:和|、|及|与|请|由){mine}|双方", sentence)


def speech() -> Mapping[str, Any]:
    """The table of phrases and short replies."""
    return beside(__package__, "speech")


def _phrase(sentence: str, side: Side, *, over: bool) -> str | None:
    """The kind that a sentence asks for by the table of phrases; over: by those that go before the acts."""
    sentence = _TITLE.sub("《》", sentence)
    phrases = (one for one in speech()["asks"] if one.get("over", False) == over and one.get("side", side) == side)
    said = (one for one in phrases if re.search(one["pattern"], sentence))
    return next((one["kind"] for one in said if not ("not" in one and re.search(one["not"], sentence))), None)


def without_vocative(words: str) -> str:
    """A question without the name by which it is put."""
    words = re.sub(
        r"^(?:现在|下面)?(?:由)?(?:法庭|本庭|审判长|合议庭).{0,6}(?:发问|询问|问)[：:，,。]?", "", words.strip()
    )
    return _VOCATIVE.sub("", words).strip()
