"""What a party says out of its own fields, the sentence that covers a question best and its answers to the points of
the other side; and how a judge may quote it: short, on one line, free of words that would do something in court.

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
from tasks.courts.play.views import CourtView
from tasks.courts.scores.bigrams import bigrams, sentences

COVERS = 0.4
"""From this share of a question on a sentence answers it."""
MEETS = 0.2
"""From this share of the shorter of two on they speak of one matter."""
_SHORTEST = 8
"""A sentence of fewer pairs is a scrap and no argument."""
SAME = 0.7
"""From this share on they say the same."""
_ASKS = re.compile(
    r"[^\w]+|什么时候|什么|何时|哪[一些里个天]?|多少钱?|把|出去|回来|怎么样?|怎样|如何|是否|是不是|有没有|有无"
    r"|为什么|为何|请问|请|说明|讲讲|说一下|说说|回答"
    r"|告诉|一下|具体|情况|当时|时候|关于|对于|有何|属实|原告|被告人?|你方|你们?|您|对方|[吗呢的了是在就过]"
)
"""Words that ask, or name whom they ask: they tell nothing of the matter."""
_FORMS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"多少|几|数额|金额|价格"), re.compile(r"[0-9]万?元")),
    (re.compile(r"什么时候|哪一?天|何时|日期|时间"), re.compile(r"[0-9]+[年月日]")),
)  # fmt: skip
"""What is asked for -> how an answer to it looks."""
_QUOTED = re.compile(r"“([^”]{8,200})”")
"""Words of somebody that are put to a side, whole clauses: what it has to say to them is asked."""
_LIKELY = 0.15
"""What such a look is worth."""
_DOES = re.compile(r"闭庭|庭审(?:到此)?结束|判决如下|本院认为|<[^<>]{0,12}>|公诉人")
_SPEAKER = re.compile(r"(原告|被告)([^：:，,。\n]{0,8})[：:]")
_MARKS = str.maketrans("“”「」『』", "‘’‘’‘’")


@lru_cache(maxsize=4096)
def matter(text: str) -> frozenset[str]:
    """What a text is about, in pairs; a word of one character between words that ask counts by itself."""
    return frozenset(chain.from_iterable(bigrams(part) for part in _ASKS.split(fold_width(text)) if part))


def _weights(told: Sequence[str]) -> Callable[[Iterable[str]], float]:
    plain = [fold_width(one).lower() for one in told]

    @cache
    def rarity(pair: str) -> float:
        return log(1 + len(plain) / (1 + sum(pair in one for one in plain)))

    return lambda pairs: sum(map(rarity, pairs))


def nearest(question: str, told: Iterable[str], most: int = 1) -> list[str]:
    """The sentences that cover a question best, in their own order; [] where none covers enough of it."""
    pool = list(dict.fromkeys(told))
    asked, weight = matter(question), _weights(pool)
    looks = [look for form, look in _FORMS if form.search(question)]
    whole = weight(asked)

    def covers(text: str) -> float:
        plain = fold_width(text).lower()
        share = weight(pair for pair in asked if pair in plain) / whole if whole else 0.0
        return share + _LIKELY * any(look.search(plain) for look in looks) if share else 0.0

    ranked = sorted(range(len(pool)), key=lambda at: -covers(pool[at]))[:most]
    return [pool[at] for at in sorted(ranked) if covers(pool[at]) >= COVERS]


def meeting(points: Iterable[str], own: Iterable[str], most: int = 3) -> list[tuple[str, str]]:
    """The points of the other side with what this side has against each; [] where it has nothing.

    Args:
        points: sentences of the other side.
        own: sentences of this side that it has not said yet.
        most: points that are answered.
    """
    left = [one for one in dict.fromkeys(own) if len(matter(one)) >= _SHORTEST]
    heard = list(dict.fromkeys(points))
    weight = _weights([*left, *heard])
    found: list[tuple[str, str]] = []
    for point in heard:
        scored = [(_shared(matter(point), matter(one), weight), one) for one in left]
        like, best = max((pair for pair in scored if pair[0] < SAME), key=lambda pair: pair[0], default=(0.0, ""))
        if like >= MEETS and len(found) < most:
            found.append((point, best))
            left.remove(best)
    return found


def answer(question: str, told: Sequence[str], most: int = 1) -> list[str]:
    """What is said to a question: what covers it, or meets the words that it quotes; [] where nothing does."""
    put = _QUOTED.findall(question)
    found = nearest("，".join(put) or question, told, most)
    return found or [own for _, own in meeting(put, told, most)]


def _shared(one: frozenset[str], other: frozenset[str], weight: Callable[[Iterable[str]], float]) -> float:
    least = min(weight(one), weight(other))
    return weight(one & other) / least if least else 0.0


def agree(one: str, other: str, among: Sequence[str]) -> bool:
    """Whether two texts speak of one matter, `among` being those that are compared."""
    return _shared(matter(one), matter(other), _weights(among)) >= MEETS


def unsaid(told: Iterable[str], said: str) -> list[str]:
    """The sentences that were not said before."""
    return [one for one in told if one.strip("。；;！ ") not in said]


def owns(view: CourtView, item: Mapping[str, Any]) -> bool:
    """Whether an exhibit is one of the seat's side; of the others it may hold the name and its objections."""
    if view.env not in ("CI", "CR"):
        return "title" in item
    if view.env == "CR":
        return (item.get("owner") == PROCURATORATE) == (view.role == "procurator")
    side, parties = view.role.removesuffix("_lawyer"), view.held.get("parties", ())
    return any(party["id"] == item["owner"] and party["side"] == side for party in parties)


def told(
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


def quotable(text: str, most: int = 400) -> str:
    """A text that can stand between quotation marks, with inner ones in their place."""
    plain = _DOES.sub("", " ".join(text.split())).translate(_MARKS)
    plain = plain.replace("被答辩人", "原告").replace("答辩人", "被告")
    return _SPEAKER.sub(r"\1\2，", plain)[:most].strip("，,；;。、 ")


def outer(text: str) -> str:
    """‘’ that stand in no “” become “”: single marks are for a quotation within a quotation."""
    kept, depth = [], 0
    for sign in text:
        depth = max(0, depth + (sign == "“") - (sign == "”"))
        kept.append({"‘": "“", "’": "”"}.get(sign, sign) if not depth else sign)
    return "".join(kept)


def gist(text: str, most: int = 40) -> str:
    """The first clauses of a point, without its end mark."""
    kept = ""
    for clause in re.split(r"(?<=[，,；;。])", text):
        if kept and len(kept) + len(clause) > most:
            break
        kept += clause
    return quotable(kept.replace("；", "，").replace("。", "，"), most + 20)
