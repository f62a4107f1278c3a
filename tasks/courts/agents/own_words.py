"""What a party says out of its own fields, the sentence that covers a question best; and how a judge may quote it:
short, on one line, free of words that would do something in court.

Sentences are compared in pairs of neighbouring characters. A pair counts by how few sentences of the speaker's own
fields hold it, so that names and words that stand everywhere decide nothing; shares are from 0 to 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from math import log
from typing import Any

from store.text.dates import plain_date
from store.text.normalise import fold_width
from tasks.courts.casefile.people import PROCURATORATE
from tasks.courts.play.view import CourtView
from tasks.courts.scores.bigrams import bigrams, sentences
from tasks.courts.scores.documents import yuan

COVERS = 0.4
"""From this share of a question on a sentence answers it."""
_ASKS = re.compile(
    r"[^\w]+|什么时候|什么|何时|哪[一些里个天]?|多少钱?|把|出去|回来|怎么样?|怎样|如何|是否|是不是|有没有|有无"
    r"|为什么|为何|请问|请|说明|讲讲|说一下|说说|回答"
    r"|告诉|一下|现在|发言|起诉|需要|询问|发问|法庭|本案|具体|情况|当时|时候|关于|对于|有何|属实|原告|被告人?|你方|你们?|您|对方|[吗呢的了是在就过]"
)
"""Words that ask, or name whom they ask: they tell nothing of the matter."""
_DOES = re.compile(r"闭庭|庭审(?:到此)?结束|判决如下|本院认为|<[^<>]{0,12}>|公诉人")
_SPEAKER = re.compile(r"(原告|被告)([^：:，,。\n]{0,8})[：:]")
_MARKS = str.maketrans("“”「」『』", "‘’‘’‘’")


@lru_cache(maxsize=4096)
def matter(text: str) -> frozenset[str]:
    """What a text is about, in pairs of characters."""
    return frozenset(chain.from_iterable(bigrams(part) for part in _ASKS.split(fold_width(text)) if len(part) > 1))


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    """A sentence as its pairs are looked for; the same ones are asked again and again in a hearing."""
    return fold_width(text).lower()


def _weights(told: Sequence[str]) -> Callable[[Iterable[str]], float]:
    plain = [_plain(one) for one in told]

    @cache
    def rarity(pair: str) -> float:
        return log(1 + len(plain) / (1 + sum(pair in one for one in plain)))

    return lambda pairs: sum(map(rarity, pairs))


def fact(question: str, told: Iterable[str]) -> str:
    """The sentences that answer questions of fact: for each the one that covers it best; '' where none covers
    enough."""
    pool = list(dict.fromkeys(told))
    weight = _weights(pool)
    found = (_covering(part, pool, weight) for part in sentences(question))
    return "".join(dict.fromkeys(f"{text.rstrip('。；;')}。" for text in found if text))


def _covering(question: str, pool: Sequence[str], weight: Callable[[Iterable[str]], float]) -> str:
    asked = matter(question)
    whole = weight(asked)

    def covers(text: str) -> float:
        plain = _plain(text)
        return weight(pair for pair in asked if pair in plain) / whole if whole else 0.0

    best = max(pool, key=covers, default="") if len(asked) > 1 else ""
    return best if best and covers(best) >= COVERS else ""


def owns(view: CourtView, item: Mapping[str, Any]) -> bool:
    """Whether an exhibit is one of the seat's side; of the others it may hold the name and its objections."""
    if view.env not in ("CI", "CR"):
        return "title" in item
    if view.env == "CR":
        return (item.get("owner") == PROCURATORATE) == (view.role == "procurator")
    side, parties = view.role.removesuffix("_lawyer"), view.held.get("parties", ())
    return any(party["id"] == item["owner"] and party["side"] == side for party in parties)


def field_words(
    item: Mapping[str, Any],
    fields: Iterable[tuple[str, str]],
    worded: Callable[[Any], str] = lambda value: plain_date(str(value)) or str(value),
) -> list[str]:
    """The fields of an item that say something, each in its form: ("birth_date", "{}出生") -> 1979年4月12日出生."""
    words = ((form, worded(item[name])) for name, form in fields if item.get(name) not in (None, ""))
    return [form.replace("{}", word) for form, word in words if word]


def parts_of(texts: Iterable[str]) -> list[str]:
    """The sentences of some texts, each once, without end marks."""
    found = (part.strip().rstrip("。；;") for text in texts for part in sentences(text))
    return list(dict.fromkeys(part for part in found if part))


def with_parts(claim: Mapping[str, Any]) -> str:
    """The words of a claim, with the heads of its sum."""
    text = str(claim.get("text", "")).rstrip("。；;")
    heads = "、".join(
        f"{part['text']}{yuan(part['amount'])}" for part in claim.get("parts", ()) if part.get("amount")
    )
    return f"{text}，其中{heads}" if heads else text


def quotable(text: str, most: int = 400) -> str:
    """A text that can stand between quotation marks, with inner ones in their place."""
    plain = _DOES.sub("", " ".join(text.split())).translate(_MARKS)
    plain = plain.replace("被答辩人", "原告").replace("答辩人", "被告")
    return _SPEAKER.sub(r"\1\2，", plain)[:most].strip("，,；;。、 ")
