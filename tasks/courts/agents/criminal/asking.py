"""What a party of a criminal trial is asked: the words put to it, the kinds of answer they call for, the exhibits
they mean.

The speech acts of the procedure come first, since judges are scored by them; words of the table
`criminal_speech.toml` catch what any other judge may say. Everything is read from the record, so that whoever sat
there before makes no difference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

from tasks.courts.casefile.people import PROCURATORATE
from tasks.courts.environment import Role
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.acts import Found, addressed, cut, parse, sentences
from tasks.courts.procedure.replies import numbers_named
from tasks.courts.procedure.turns import Side, Turn
from tasks.tables import beside

SIDES: Mapping[Role, Side] = {"procurator": "procurator", "defendant": "accused", "defence_lawyer": "defence"}
DENIES = re.compile(
    r"不承认|否认|真不是|不全是|多算了|没有那么多|不认(?!识|为)|不构成|不是(?:我|事实|诈骗|犯罪)|冤|无罪|有异议|没有(?:做|干|卖|打|骗|偷|拿|犯罪)|没[卖打骗偷拿做干]"
)
NO_OBJECTION = re.compile(r"[^，。；：\n]*(?:(?:没有|无)(?:任何)?(?:异议|意见)|不持异议)")
"""A clause that agrees."""
_REQUEST = re.compile(r"[？?]|请|吗|是否|有无|有没有|可以")
_RIGHTS = re.compile(r"(?:享有|下列|以下|如下)[^。\n]{0,12}权利[：:][^。\n]*")
"""Rights that are read out ask for nothing."""
_PLEAD = re.compile(r"发表|辩护意见|辩护词|公诉意见|公诉词|进行辩护")
_PART = re.compile(r"[^？?\n]+[？?\n]?")
_SOLE = re.compile(r"报告独任审判员|由审判员[^，。；]{1,8}独任审[判理]")
_LEAD = re.compile(
    r"^[\s，,、；;。]*(?:<[^>]{1,8}>|(?:审判长|法庭|本庭|公诉人|辩护人)(?:讯问|询问|发问|问)?(?:被告人)?[：:，,]?|被告人[^，,：:]{0,4}[，,：:])+"
)


def speech() -> Mapping[str, Any]:
    """The tables of questions and phrases."""
    return beside(__package__, "speech")


@cache
def _asks(role: Role) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern)) for kind, pattern in speech()["asks"][role].items())


@lru_cache(maxsize=2048)
def acts_of(text: str) -> tuple[Found, ...]:
    """The speech acts of a judge's words; kept, because a record is read again at every turn."""
    return tuple(parse(text, "CR"))


@lru_cache(maxsize=1024)
def kinds_of(text: str, role: Role) -> tuple[str, ...]:
    """What a text asks of a role, in the order of its words; () where it asks nothing that is known."""
    side, named = SIDES[role], speech()["acts"][role]
    found: dict[int, tuple[int, str]] = {}
    for act in acts_of(text):
        if act.act in named and not act.fallback and (not act.named or side in act.named):
            found.setdefault(act.start, (act.end, _instead(text, act, named[act.act], role)))
    strict = bool(found)
    kept = _RIGHTS.sub(lambda match: "\u3000" * len(match[0]), cut(text))
    mine = [(start, words) for start, words in sentences(kept) if _meant(words, side)] or list(sentences(kept))
    for start, words in mine:
        end = start + len(words)
        if strict and (any(start <= at < end for at in found) or not _REQUEST.search(words)):
            continue
        taken: list[tuple[int, int]] = []
        for kind, pattern in _asks(role):
            for match in pattern.finditer(words):
                low, high = match.span()
                if all(high <= first or last <= low for first, last in taken):
                    taken.append((low, high))
                    found.setdefault(start + low, (start + high, kind))
    return tuple(dict.fromkeys(kind for _, (_, kind) in sorted(found.items())))


def _instead(text: str, act: Found, kind: str, role: Role) -> str:
    """The kind of an act, or a narrower one that its sentence asks for: 辩护人对指控的罪名有无意见 is no call for the defence."""
    sentence = next((words for start, words in sentences(text) if start <= act.start < start + len(words)), "")
    if kind != "opinion" or _PLEAD.search(sentence):
        return kind
    narrower = dict(_asks(role))
    return next(
        (one for one in ("mutual", "plea", "request") if one in narrower and narrower[one].search(sentence)), kind
    )


def _meant(sentence: str, side: Side) -> bool:
    named = addressed(sentence, "CR")
    return not named or side in named


@dataclass(frozen=True)
class Floor:
    """A party that has the floor: its view, the words it answers to, and what it holds."""

    view: CourtView

    @cached_property
    def asked(self) -> Turn | None:
        """The last words put to this role, else the last of anybody else."""
        role = self.view.role
        put = (turn for turn in reversed(self.view.record) if role in turn.to and turn.speaker != role)
        return next(put, self.view.asked)

    @property
    def text(self) -> str:
        """The words it answers to."""
        return self.asked.text if self.asked else ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What they ask; who is examined by a party is asked open questions."""
        if self.asked is not None and self.asked.speaker != "judge":
            return ("question",)
        return kinds_of(self.text, self.view.role)

    @property
    def matter(self) -> Mapping[str, Any]:
        """The criminal part of what is held."""
        found: Mapping[str, Any] = self.view.held.get("criminal", {})
        return found

    @property
    def accused(self) -> Mapping[str, Any]:
        """The accused as far as this role knows."""
        found: Sequence[Mapping[str, Any]] = self.view.held.get("parties", ())
        return next((party for party in found if party.get("side") == "defendant"), {})

    @property
    def name(self) -> str:
        """Name of the accused; '' where it is not held."""
        return str(self.accused.get("name", ""))

    @property
    def bench(self) -> str:
        """How the court is addressed: 审判员 alone where the record says that one judge sits alone,
        人民陪审员 where it names one."""
        told = [turn.text for turn in self.view.record if turn.speaker in ("clerk", "judge")]
        if any(map(_SOLE.search, told)):
            return "尊敬的审判员"
        return "审判长、审判员" + ("、人民陪审员" if any("人民陪审员" in text for text in told) else "")

    def say(self, key: str, **values: object) -> str:
        """A phrase of this role; fields it does not hold are left out."""
        return filled(str(speech()["say"][self.view.role].get(key, "")), values)

    @property
    def questions(self) -> Mapping[str, str]:
        """What this role asks the accused, by topic."""
        found: Mapping[str, str] = speech()["say"][self.view.role]["questions"]
        return found

    @property
    def own_exhibits(self) -> list[Mapping[str, Any]]:
        """The exhibits that this role may offer, in the order of the case."""
        return [item for item in self.view.held.get("evidence", ()) if item.get("title") and not self._others(item)]

    @property
    def others_exhibits(self) -> list[Mapping[str, Any]]:
        """What it knows of the exhibits of the other side: objections of its own, and titles where it has read the
        file."""
        return [item for item in self.view.held.get("evidence", ()) if self._others(item)]

    def _others(self, item: Mapping[str, Any]) -> bool:
        return (item.get("owner") == PROCURATORATE) != (self.view.role == "procurator")


def contested(text: str) -> bool:
    """Whether words of the accused deny something."""
    return bool(DENIES.search(NO_OBJECTION.sub("", text)))


def filled(text: str, values: Mapping[str, object]) -> str:
    """A phrase with its fields; the full stop of a value gives way to that of the phrase."""
    for key, value in values.items():
        words = str(value).strip()
        after = text.partition("{" + key + "}")[2][:1]
        if after in "。；，" and after:
            words = words.rstrip("。；，")
        text = text.replace("{" + key + "}", words)
    return text


def joined(parts: Sequence[str]) -> str:
    """Answers one after another, each once."""
    return "".join(dict.fromkeys(part for part in parts if part))


def questions_of(text: str) -> list[str]:
    """The single questions of a text, without the words that address somebody."""
    asked = [_LEAD.sub("", part).strip() for part in _PART.findall(text)]
    marked = [part for part in asked if part[-1:] in ("？", "?")]
    return [part for part in (marked or asked) if len(part) > 2]


# --- exhibits as they are offered -----------------------------------------------------------------------------------------

_NUMBER = r"(?:\d{1,3}|[一二三四五六七八九十]{1,3})"
_OFFER = re.compile(rf"(?:第)?(?:辩方|控方)?证据\s*({_NUMBER})\s*[：:、，,]\s*(?=\S)")
_TITLE = re.compile(r"^[^，,。；;\n]{2,120}")
_SHOWN = re.compile(
    r"(?:出示|提交|举示|宣读|提供)(?:了)?(?:的是|的为|一份|一组|以下证据[：:]?)?\s*[：:，,]?([^，,。；;\n]{2,80})"
)
_NOTHING = re.compile(
    r"(?:没有|无|暂无)[^。；，]{0,8}证据|(?:举证|出示|质证)[^。；，]{0,6}(?:完毕|结束|完了)|证据[^。；，]{0,8}(?:出示|举示)(?:完毕|完了)"
)


@dataclass(frozen=True, slots=True)
class Offer:
    """An exhibit as it was offered in court. number: as said, 0 where none was; body: all that was said of it."""

    number: int
    title: str
    body: str


def finished(text: str) -> bool:
    """Whether somebody says that there is no (further) evidence."""
    return bool(_NOTHING.search(text))


@lru_cache(maxsize=1024)
def offers_of(text: str) -> tuple[Offer, ...]:
    """The exhibits that an utterance offers; one without numbers offers one; () where it offers none."""
    marks = list(_OFFER.finditer(text))
    found = []
    for mark, after in zip(marks, [*marks, None][1:], strict=True):
        body = text[mark.end() : after.start() if after else len(text)].strip()
        if title := _TITLE.match(body):
            number = next(iter(numbers_named(f"证据{mark[1]}")), 0)
            found.append(Offer(number, title[0].strip("“”《》 "), body))
    if found:
        return tuple(found)
    bare = _NOTHING.sub("", text)
    if match := _SHOWN.search(bare):
        return (Offer(0, match[1].strip("“”《》 "), bare),)
    return ()
