"""A side that has the floor in a trial, by rules: it answers what the court asks by the acts of the procedure, and
where nothing known is asked, it states what it owes next out of its own fields.

What is owed has an order (`owes`): the pleading, the story, the exhibits, and once the court has opened the debate
the speech. Whether something was stated is read from the record, whoever sat there before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

from store.tables import beside
from store.text.numerals import int_to_chinese
from tasks.courts.agents.own_words import fact, owns, parts_of
from tasks.courts.agents.trial.record import (
    ASPECTS,
    NAME,
    OFFERING,
    VIEWING,
    ExhibitOffer,
    acts_owed,
    filled,
    offers_in,
)
from tasks.courts.play.view import CourtRules, CourtView
from tasks.courts.procedure.acts import cut, stages_tagged
from tasks.courts.procedure.exhibits import items_named, numbers_named
from tasks.courts.procedure.model import ProcedureExhibit, Turn, profile, side_of
from tasks.episode.seats import Say

GROUNDS = ("truth", "legality", "relevance", "weight", "text")
QUESTIONS = frozenset(("question", "examine_court"))
SPEECHES = frozenset(
    ("debate", "mutual", "final", "prosecution", "defence", "self_defence", "last_word", "fast_defence")
)
"""Acts that call for what has its place behind the pleadings and the evidence."""
_NAMED_SPEECH = re.compile(r"辩论|公诉意见|辩护意见|自行辩护|为自己辩护|最后(?:陈述|意见)|补充|回应|不再进行")
_NAMED_PLEADING = re.compile(r"诉讼请求|事实|理由|答辩|起诉书|陈述|异议|证据|辩论|意见")
_SHORT = re.compile(r"异议|意见|同意|听清|清楚|明白|申请")
_ALL = re.compile(r"分组|一并|全部|所有|其余|剩余|合并|一次性|概括|综合|集中")
_INNER = str.maketrans("“”", "‘’")
_INVITES = re.compile(r"发言|发表|说明|陈述|讲|说|谈|介绍|回答")


class PartySeat:
    """One utterance of a side. words: the court's that are answered; to: whom it addresses, where not the court."""

    owes: ClassVar[Mapping[str, str]]
    """What is owed, in its order -> the stage in which it is due."""
    other: ClassVar[str]
    """The role whose exhibits this side speaks on."""

    def __init__(self, view: CourtView) -> None:
        self.view = view
        self.env: Literal["CI", "CR"] = "CR" if view.env == "CR" else "CI"
        self.side: str = side_of(self.env, view.role) or view.role
        self.me = NAME[self.side]
        self.held: Mapping[str, Any] = view.held
        self.to: tuple[str, ...] = ()
        self.words = self.asked.text if self.asked else ""

    def say(self, key: str, **values: object) -> str:
        """A phrase of this side; '' for none. Fields that it does not hold are left out."""
        return filled(str(beside(__package__, "speech")["say"][self.side].get(key, "")), values)

    def stated(self, kind: str) -> bool:
        """Whether something owed was stated: in words of this side, or as an answer when it was asked for it."""
        raise NotImplementedError

    def pool(self) -> list[str]:
        """What this side may tell of the matter, sentence by sentence."""
        raise NotImplementedError

    def text(self) -> str:
        """What is said: the answers to what is asked, in its order, else what is owed next."""
        asked = self.asked
        kinds = self._kinds(asked.text) if asked and asked.speaker == "judge" else []
        said = "\n".join(dict.fromkeys(part for kind in kinds if (part := self.answer(kind))))
        return said or self._open()

    def _kinds(self, text: str) -> list[str]:
        """What is asked; 请发言 alone calls for no speech while something is owed, nor for what was stated."""
        early = self.due is not None and self.stage() < self._stage("debate") and not _NAMED_SPEECH.search(text)
        found = acts_owed(text, self.env, self.side)
        again = self.due is not None and not _NAMED_PLEADING.search(text)
        return [
            kind
            for kind in found
            if kind not in QUESTIONS
            and not (early and kind in SPEECHES)
            and not (again and kind in self.owes and self.stated(kind))
        ]

    def _open(self) -> str:
        """The answer where no act is asked: a fact, yes or no, what is owed next, or that nothing is left."""
        if said := fact(self.words, self.pool()):
            return said
        if _SHORT.search(self.words) and not (self.due and _INVITES.search(self.words)):
            return self.say("consent")
        return self.state(self.due) if self.due else self.say("nothing")

    def state(self, kind: str) -> str:
        """What is owed, where nobody asked for it in particular."""
        return self.answer(kind)

    def answer(self, kind: str) -> str:
        """The answer to an act of the court, by the method for it (`_to_cross`), or a phrase."""
        made: Callable[[], str] | None = getattr(self, f"_to_{kind}", None)
        return made() if made else self.say(kind)

    @cached_property
    def due(self) -> str | None:
        """The first thing owed in the stages that the court has opened and not stated; None where nothing is."""
        here = self.stage()
        return next(
            (kind for kind, at in self.owes.items() if self._stage(at) <= here and not self.stated(kind)), None
        )

    def _stage(self, name: str) -> int:
        return profile("law", self.env).stage(name)

    def stage(self) -> int:
        """The stage that the court has opened by its words or a tag, the investigation at least."""
        table = profile("law", self.env)
        found = [self._stage("investigation")]
        for turn in (turn for turn in self.view.record if turn.speaker == "judge"):
            kept = cut(turn.text)
            found += [at for at, one in enumerate(table.stages) if any(p.search(kept) for p in one.enter)]
            found += [*stages_tagged(turn.text, table), table.stage(turn.stage) if turn.stage else 0]
        return max(at for at in found if at < 0 or not table.stages[at].floating)

    @cached_property
    def asked(self) -> Turn | None:
        """The last words put to this role, else the last of anybody else."""
        role = self.view.role
        put = (turn for turn in reversed(self.view.record) if role in turn.to and turn.speaker != role)
        return next(put, self.view.asked)

    def has_stated(self, texts: Iterable[str]) -> bool:
        """Whether the first words of any of these texts were said by this side; True where there are none."""
        heads = [part[0][:24] for text in texts if (part := parts_of([text]))]
        return not heads or any(head in self.own for head in heads)

    @cached_property
    def own(self) -> str:
        """All that this side has said."""
        return "\n".join(turn.text for turn in self.view.own)

    def words_of(self, role: str) -> str:
        """All that a role has said."""
        return "\n".join(turn.text for turn in self.view.record if turn.speaker == role)

    def answered(self, role: str, *kinds: str) -> list[int]:
        """Places in the record where a role answers one of these acts."""
        places, called = [], False
        side = side_of(self.env, role) or role
        for place, turn in enumerate(self.view.record):
            if turn.speaker == "judge":
                called = role in turn.to and bool(set(kinds) & set(acts_owed(turn.text, self.env, side)))
            elif turn.speaker == role and called:
                places.append(place)
        return places

    # --- exhibits ---------------------------------------------------------------------------------------------------

    @cached_property
    def own_exhibits(self) -> list[Mapping[str, Any]]:
        """The exhibits that this side may offer, in the order of the case."""
        return [item for item in self.held.get("evidence", ()) if item.get("title") and owns(self.view, item)]

    @cached_property
    def others_exhibits(self) -> list[Mapping[str, Any]]:
        """What it knows of the exhibits of the other side: titles, and objections of its own."""
        return [item for item in self.held.get("evidence", ()) if not owns(self.view, item)]

    def showings(self, role: str) -> list[tuple[int, Sequence[ExhibitOffer]]]:
        """Places where a role offered exhibits, called upon or not, and what it offered there."""
        found: list[tuple[int, Sequence[ExhibitOffer]]] = []
        called, count = set(self.answered(role, *OFFERING)), 0
        for place, turn in enumerate(self.view.record):
            offering = turn.speaker == role and (place in called or "拟证明" in turn.text)
            if offering and (offers := offers_in(turn.text, role, count)):
                count = max(count, *(offer.number for offer in offers))
                found.append((place, offers))
        return found

    def left_to_show(self) -> list[tuple[int, Mapping[str, Any]]]:
        """The own exhibits that were not offered yet, with their numbers."""
        own = list(enumerate(self.own_exhibits, 1))
        shown = set[int]()
        for offer in (offer for _, listed in self.showings(self.view.role) for offer in listed):
            like = _called_by(offer.title, self.own_exhibits)
            numbers = [number for number, item in own if item in like]
            shown |= {offer.number} if offer.number in numbers else set(numbers[:1])
        return [(number, item) for number, item in own if number not in shown]

    def _to_exhibit(self) -> str:
        """The next exhibit, or all that are left where the court lets them be offered together."""
        left = self.left_to_show()
        if not left:
            return self.say("no_more" if self.own_exhibits else "none")
        single = self.env == "CI" and self.view.profile == "j1"
        now = left if _ALL.search(self.words) and not single else left[:1]
        later = {number for number, _ in left[len(now) :]}
        said = [self._exhibit(number, item, later) for number, item in now]
        return "\n".join([*said, *([self.say("done")] if len(now) == len(left) else [])])

    _to_defence_evidence = _to_exhibit

    def _exhibit(self, number: int, one: Mapping[str, Any], later: set[int]) -> str:
        """One exhibit with name, source, words and purpose; parts that would name an exhibit that comes later are
        left out."""
        title = one["title"].replace("，", "、")  # a title ends at its first comma
        witness = one.get("witness", {}).get("name", "")
        excerpt = one.get("excerpt", "").translate(_INNER)
        parts = [
            f"证据{int_to_chinese(number)}：{title}", one.get("kind", ""),
            f"证人{witness}" if witness and witness not in title else "",
            f"来源：{one['source']}" if one.get("source") else "",
            f"载明：“{excerpt}”" if excerpt and not excerpt.startswith(title) else "",
            f"拟证明{re.sub(r'^(?:用以|拟)?证明', '', one.get('purpose', '')) or f'{self.me}主张的事实'}",
        ]  # fmt: skip
        items = [
            ProcedureExhibit(each["id"], "plaintiff", each["title"], at)
            for at, each in enumerate(self.own_exhibits, 1)
        ]
        for kept in (parts, [part for part in parts if not part.startswith("载明")], parts[:1]):
            text = "，".join(part.rstrip("。") for part in kept if part) + "。"
            if not later & {item.number for item in items_named(text, items)}:
                break
        return text

    def _to_cross(self) -> str:
        return "\n".join(map(self._view_on, self.exhibits_in_question(self.other))) or self.say("no_exhibit_yet")

    def _view_on(self, offer: ExhibitOffer) -> str:
        """What this side has to say on an exhibit, with the point that each objection concerns."""
        name = f"证据{int_to_chinese(offer.number)}" + (offer.title if len(offer.title) <= 40 else "")
        against = self.against(offer)
        if not against:
            return f"对{name}的真实性、合法性、关联性均无异议。"
        if whole := against.get("text"):
            return f"对{name}的质证意见：{whole.rstrip('。；')}。"
        said = [f"对{word}有异议，{against[one].rstrip('。；')}" for one, word in ASPECTS.items() if one in against]
        free = "、".join(word for one, word in ASPECTS.items() if one not in against and one != "weight")
        return f"对{name}的质证意见：" + "；".join([*([f"对{free}没有异议"] if free else []), *said]) + "。"

    def exhibits_in_question(self, owner: str) -> list[ExhibitOffer]:
        """The exhibits of another role that the question is about: those it names, else those since this side last
        spoke on any."""
        shown, numbers = self.showings(owner), numbers_named(self.words)
        offers = list({(offer.number, offer.title): offer for _, listed in shown for offer in listed}.values())
        if named := [offer for offer in offers if offer.number in numbers]:
            return named
        if titled := [offer for offer in offers if offer.title and offer.title[:30] in self.words]:
            return titled
        last = max(self.answered(self.view.role, VIEWING), default=-1)
        fresh = [offer for place, listed in shown if place > last for offer in listed]
        return fresh or list(shown[-1][1] if shown else ())

    def against(self, offer: ExhibitOffer) -> dict[str, str]:
        """What this side has against an exhibit of the other, by the point that it concerns."""
        known = self.others_exhibits
        like = _called_by(offer.title, known)
        if len(like) != 1:
            like = known[offer.number - 1 : offer.number]
        return grounds(like[0]) if like else {}

    def proofs(self, whose: str = "") -> list[str]:
        """What the own exhibits show."""
        shown = (item for item in self.own_exhibits if str(item.get("purpose", "")).startswith("证明"))
        return [f"{whose}{item['title']}能够{item['purpose'].rstrip('。')}" for item in shown]

    def objections(self) -> list[str]:
        """What this side has against exhibits of the other."""
        return parts_of(text for item in self.others_exhibits for text in grounds(item).values())


def seat(side: Callable[[CourtView], PartySeat]) -> type[CourtRules]:
    """The policy of a side."""

    class SidePolicy(CourtRules):
        def _speak(self, view: CourtView) -> Say:
            speaker = side(view)
            text = speaker.text()
            return Say(text, speaker.to)

    return SidePolicy


def grounds(item: Mapping[str, Any]) -> dict[str, str]:
    """Objections to an exhibit by the point that each concerns."""
    return {ground: one[ground] for one in item.get("objections", ()) for ground in GROUNDS if one.get(ground)}


def _called_by(title: str, items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The exhibits that a title names: by the whole of it, else those whose title holds it or stands in it."""
    said, titles = _plain(title), [(_plain(item.get("title", "")), item) for item in items]
    same = [item for known, item in titles if said and known == said]
    return same or [item for known, item in titles if said and known and (known in said or said in known)]


def _plain(title: str) -> str:
    """A title without marks and blanks, by which it is known again."""
    return re.sub(r"[《》“”‘’\"'\s，。、；：:（）()]", "", title)
