"""The lawyers of a civil trial by rules: each answers what the court asks, in order, from what its own side holds.

A party without counsel speaks for itself in the same seat. Nothing is said unasked, nothing is invented: a question
that the material does not answer is left to be checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from store.search.law_search import LawSearch
from store.text.numerals import int_to_chinese
from tasks.courts.agents.civil.asks import Asked, acts_of, asked_of, speech
from tasks.courts.agents.civil.heard import ASPECTS, Offer, claims_in, offers_in
from tasks.courts.agents.civil.speech import Speaker
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.replies import items_named, numbers_named
from tasks.courts.procedure.turns import SIDE_OF, Item, Side, Turn
from tasks.courts.scores.slots import yuan
from tasks.episode.actions import Move, Say

_ALL = re.compile(r"一并|一次性|分组|全部|所有|集中|合并")
_FACTS_ONLY = re.compile(r"事实|理由")
_CLAIMS = re.compile(r"诉讼请求|诉请|请求")
_WHOLE = re.compile(r"起诉状|诉状")
_INNER = str.maketrans("“”", "‘’")
_CONTACT = re.compile(r"电话|联系方式|送达地址")
_SAID_ABOUT: tuple[tuple[str, str], ...] = (
    ("truth", "对真实性有异议，{}"), ("legality", "对合法性有异议，{}"), ("relevance", "对关联性有异议，{}"),
    ("weight", "对证明目的有异议，{}"),
)  # fmt: skip


class CivilLawyer:
    """Speaks for the plaintiff or the defendant, as the role of the view says."""

    def __init__(self, search: LawSearch | None = None) -> None:
        del search

    def move(self, view: CourtView) -> Move:
        """One reply."""
        yield from ()
        return Say(Reply(view).text(), routed="")


class Reply:
    """The reply to what was asked last."""

    def __init__(self, view: CourtView) -> None:
        self._view = view
        self._side: Side = SIDE_OF[view.role]
        self._speaker = Speaker(view.held, self._side)
        self._evidence = [one for one in view.held.get("evidence", ()) if one["owner"] == self._speaker.id]
        self._items = [
            Item(one["id"], self._side, one.get("title", ""), number) for number, one in enumerate(self._evidence, 1)
        ]

    def text(self) -> str:
        """What is said."""
        turn = self._asked()
        if turn is None:
            return self._short("not_me")
        if turn.speaker != "judge":
            return self._speaker.answer(turn.text)
        asked = asked_of(turn.text, self._side)
        if not asked:
            other = asked_of(turn.text, "defendant" if self._side == "plaintiff" else "plaintiff")
            return self._short("not_me" if other else "hear")
        questions = "".join(one.words for one in asked if one.kind == "question")
        said = (self._speaker.answer(questions) if one.kind == "question" else self._one(one) for one in asked)
        return "\n".join(dict.fromkeys(said))

    def _asked(self) -> Turn | None:
        """The turn that asks: of the court, or of the other side where it put a question to this one."""
        for turn in reversed(self._view.record):
            if turn.speaker == "judge" or self._view.role in turn.to:
                return turn
        return None

    def _one(self, asked: Asked) -> str:
        made: Mapping[str, Callable[[str], str]] = {
            "identity": self._identity, "claim": self._claim, "answer": self._answer, "exhibit": self._exhibit,
            "cross": self._cross, "debate": self._debate, "final": self._final, "mediate": self._mediate,
            "proposal": self._proposal, "other_identity": self._other,
            "mutual": self._mutual,
        }  # fmt: skip
        return made[asked.kind](asked.words) if asked.kind in made else self._short(asked.kind)

    def _short(self, kind: str) -> str:
        words: str = speech()["replies"][kind][self._side]
        return words.format(me=self._speaker.me, we=self._speaker.we)

    def _other(self, words: str) -> str:
        """That the side has nothing against those who appear for the other; of powers where the court asked for
        them."""
        said = self._short("other_identity")
        return said if "代理" in words else said.replace("和代理权限", "")

    # --- opening and pleadings ----------------------------------------------------------------------------------------

    def _identity(self, words: str) -> str:
        return self._speaker.identity(contact=bool(_CONTACT.search(words)))

    def _claim(self, words: str) -> str:
        if self._side == "defendant":
            return self._short("not_mine_claim")
        claims = [_with_parts(one) for one in self._view.held.get("claims", ())]
        listed = "；".join(f"{int_to_chinese(place)}、{text}" for place, text in enumerate(claims, 1))
        story = self._view.held.get("complaint", "").strip()
        asks, tells = _CLAIMS.search(words), _FACTS_ONLY.search(words)
        both = bool(_WHOLE.search(words)) or bool(asks and tells) or not (asks or tells)
        parts = []
        if listed and (both or asks):
            parts.append(f"诉讼请求：{listed}。")
        if story and (both or tells):
            parts.append(f"事实和理由：{story}")
        return "\n".join(parts) or "诉讼请求以起诉状为准。"

    def _answer(self, words: str) -> str:
        if self._side == "plaintiff":
            return self._short("not_mine_answer")
        return self._speaker.defence()

    # --- exhibits -----------------------------------------------------------------------------------------------------

    def _exhibit(self, words: str) -> str:
        shown = self._shown()
        left = [place for place, item in enumerate(self._items) if item.id not in shown]
        if not left:
            some = "其他" if self._items else ""
            done = "证据出示完毕，" if self._items else ""
            return f"{self._speaker.me}{done}没有{some}证据向法庭出示。"
        at_once = self._view.profile == "law" and bool(_ALL.search(words))
        now = left if at_once else left[:1]
        said = [self._said(place, shown | {self._items[one].id for one in now}) for place in now]
        if len(now) == len(left):
            said.append(f"{self._speaker.me}的证据出示完毕。")
        return "\n".join(said)

    def _shown(self) -> set[str]:
        """Own exhibits that were offered when evidence was called for."""
        shown: set[str] = set()
        called = False
        for turn in self._view.record:
            if turn.speaker == "judge":
                called = any(one.kind == "exhibit" for one in asked_of(turn.text, self._side))
            elif called and SIDE_OF.get(turn.speaker) == self._side:
                shown |= {item.id for item in items_named(turn.text, self._items)}
        return shown

    def _said(self, place: int, meant: set[str]) -> str:
        """One exhibit with name, source, words and purpose; parts that would name another exhibit are left out."""
        one = self._evidence[place]
        title = one.get("title", "")
        parts = [f"证据{int_to_chinese(place + 1)}：{title}"]
        if one.get("kind"):
            parts.append(one["kind"])
        if (witness := one.get("witness", {}).get("name")) and witness not in title:
            parts.append(f"证人{witness}")
        if one.get("source"):
            parts.append(f"来源：{one['source']}")
        excerpt = one.get("excerpt", "").translate(_INNER)
        if excerpt and not excerpt.startswith(title):
            parts.append(f"载明：“{excerpt}”")
        purpose = re.sub(r"^(?:用以|拟)?证明", "", one.get("purpose", ""))
        parts.append(f"拟证明{purpose or f'{self._speaker.me}主张的事实'}")
        for kept in (parts, [part for part in parts if not part.startswith("载明")], parts[:2]):
            text = "，".join(part.rstrip("。") for part in kept) + "。"
            if {item.id for item in items_named(text, self._items)} <= meant | self._shown():
                return text
        return f"证据{int_to_chinese(place + 1)}。"

    def _cross(self, words: str) -> str:
        offers = self._offers()
        numbers = [number for number in sorted(numbers_named(words)) if number in offers]
        if not numbers:
            numbers = self._waiting() or [
                number for number, offer in offers.items() if offer.title and offer.title in words
            ]
        if not numbers:
            return self._short("no_exhibit_yet")
        return "\n".join(self._view_on(number, offers.get(number)) for number in numbers)

    def _offers(self) -> dict[int, Offer]:
        """What the other side has offered so far, by number."""
        found: dict[int, Offer] = {}
        for _, offer in self._offered():
            found.setdefault(offer.number, offer)
        return found

    def _offered(self) -> list[tuple[int, Offer]]:
        """Place in the record and exhibit, for all that the other side offered when evidence was called for."""
        other: Side = "defendant" if self._side == "plaintiff" else "plaintiff"
        found: list[tuple[int, Offer]] = []
        called = False
        for place, turn in enumerate(self._view.record):
            if turn.speaker == "judge":
                called = any(one.kind == "exhibit" for one in asked_of(turn.text, other))
            elif called and SIDE_OF.get(turn.speaker) == other:
                known = {offer.number for _, offer in found}
                found += [(place, one) for one in offers_in(turn.text, other, len(known)) if one.number not in known]
        return found

    def _waiting(self) -> list[int]:
        """What was offered since this side last gave its view on exhibits."""
        last = -1
        called = False
        for place, turn in enumerate(self._view.record):
            if turn.speaker == "judge":
                called = any(one.kind == "cross" for one in asked_of(turn.text, self._side))
            elif called and turn.speaker == self._view.role:
                last = place
        return [offer.number for place, offer in self._offered() if place > last]

    def _view_on(self, number: int, offer: Offer | None) -> str:
        name = offer.name if offer and len(offer.title) <= 40 else f"证据{int_to_chinese(number)}"
        against = self._objections(number, offer)
        if not against:
            return f"对{name}的真实性、合法性、关联性均无异议。"
        if whole := against.get("text"):
            return f"对{name}的质证意见：{whole.rstrip('。；')}。"
        said = [form.format(against[aspect].rstrip("。；")) for aspect, form in _SAID_ABOUT if against.get(aspect)]
        free = [name for aspect, name in ASPECTS[:3] if not against.get(aspect)]
        rest = [f"对{'、'.join(free)}没有异议"] if free else []
        return f"对{name}的质证意见：" + "；".join([*rest, *said]) + "。"

    def _objections(self, number: int, offer: Offer | None) -> Mapping[str, str]:
        """What this side holds against an exhibit of the other: by its title, by its number where titles do not
        tell."""
        theirs = [one for one in self._view.held.get("evidence", ()) if one["owner"] != self._speaker.id]
        said = _bare(offer.title if offer else "")
        like = [one for one in theirs if said and _bare(one.get("title", "")) == said] or [
            one
            for one in theirs
            if said and (title := _bare(one.get("title", ""))) and (title in said or said in title)
        ]
        if len(like) != 1:
            like = [one for one in like or theirs if self._place(one["id"]) == number]
        return next(
            (told for one in like for told in one.get("objections", ()) if told["by"] == self._speaker.id), {}
        )

    def _place(self, identity: str) -> int:
        """The number of an exhibit of the other side by its id: E6 behind five own ones is its first."""
        head, value = _split(identity)
        own = [_split(one["id"]) for one in self._evidence]
        return value - sum(stem == head and other < value for stem, other in own)

    # --- questions, debate, end ---------------------------------------------------------------------------------------

    def _debate(self, words: str) -> str:
        court = [turn.text for turn in self._view.record if turn.speaker == "judge"]
        pleaded = [turn.text for turn in self._view.record if SIDE_OF.get(turn.speaker) == "plaintiff"]
        claims = next((found for text in pleaded if "诉讼请求" in text and (found := claims_in(text))), [])
        return self._speaker.debate(court, claims)

    def _mutual(self, words: str) -> str:
        debated: dict[bool, list[str]] = {True: [], False: []}
        called = False
        for turn in self._view.record:
            if turn.speaker == "judge":
                called = any(act.act in ("debate", "mutual") for act in acts_of(turn.text))
            elif called and (side := SIDE_OF.get(turn.speaker)):
                debated[side == self._side].append(turn.text)
        return self._speaker.mutual(debated[False], "\n".join(debated[True]))

    def _final(self, words: str) -> str:
        if self._side == "plaintiff":
            return "坚持诉讼请求，请求法院支持原告的全部诉讼请求。"
        if self._speaker.admits_something:
            return "坚持答辩意见，对原告没有事实和法律依据的诉讼请求，请求法院依法驳回。"
        return "坚持答辩意见，请求法院依法驳回原告的诉讼请求。"

    def _mediate(self, words: str) -> str:
        asked = sum(
            self._view.role in turn.to
            and any(one.kind in ("mediate", "proposal") for one in asked_of(turn.text, self._side))
            for turn in self._view.record
            if turn.speaker == "judge"
        )
        return self._speaker.mediation(again=asked > 1)

    def _proposal(self, words: str) -> str:
        turn = self._asked()
        return self._speaker.proposal(turn.text if turn else words)


def _with_parts(claim: Mapping[str, Any]) -> str:
    """The words of a claim, with the heads of its sum."""
    text = claim["text"].rstrip("。；;")
    heads = "、".join(f"{part['text']}{yuan(part['amount'])}" for part in claim.get("parts", ()))
    return f"{text}，其中{heads}" if heads else text


def _bare(title: str) -> str:
    """A title without marks and blanks, by which it is known again."""
    return re.sub(r"[《》“”‘’\"'\s，。、；：:（）()]", "", title)


def _split(identity: Any) -> tuple[str, int]:
    """E12 -> E, 12; an id without a number counts as 0."""
    match = re.fullmatch(r"(.*?)(\d{1,6})", str(identity))
    return (match[1], int(match[2])) if match else (str(identity), 0)
