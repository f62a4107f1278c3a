"""What the 公诉人 says: indictment, questions to the accused, exhibits with name, source and purpose, property, opinion.

刑事诉讼法第一百九十一条、第一百九十五条、第一百九十八条; 刑诉法解释第二百四十六条、第二百四十七条、第二百七十九条.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from tasks.courts.agents.criminal.asking import contested, joined
from tasks.courts.agents.criminal.exhibits import ended, exhibit_numbers, left_to_show, names, offered
from tasks.courts.agents.criminal.objections import asked_about, grounds_text, objections
from tasks.courts.agents.criminal.speaking import Speaks
from tasks.courts.agents.criminal.telling import birthday
from tasks.courts.agents.own_words import parts_of
from tasks.courts.casefile.people import LawRef
from tasks.courts.procedure.replies import numbers_named

_FAST = re.compile(r"速裁")
_SHORT = re.compile(r"速裁|简要|摘要")
_MONEY = re.compile(r"\d元|万元|钱款|货款|财物|手机")
_BANNED = re.compile(r"毒品|冰毒|甲基苯丙胺|海洛因|大麻|枪|弹药|子弹|炸药|雷管|假币|伪造的?货币|淫秽")
_DRUG = re.compile(r"晶体|粉末|药片|药丸|颗粒|植物")
_THING = re.compile(r"^扣押的")
_BRACKET = re.compile(r"[（(]([^（）()]*)[）)]")
_PHOTO = re.compile(r"(?:及|和|的)照片$")


class ProsecutorSpeaks(Speaks):
    """One utterance of the procurator."""

    # --- indictment and opinion ---------------------------------------------------------------------------------------

    def _office(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.floor.matter.get("prosecution", {})
        return found

    def _charges(self) -> str:
        return "、".join(charge["name"] for charge in self.floor.matter.get("charges", ()) if charge.get("name"))

    def _laws(self) -> str:
        refs = [
            LawRef.model_validate(law) for one in self.floor.matter.get("charges", ()) for law in one.get("laws", ())
        ]
        listed: dict[str, list[str]] = {}
        for ref in refs:
            listed.setdefault(ref.law, []).append(ref.chinese.removeprefix(f"《{ref.law}》"))
        return "、".join(f"《{law}》{'、'.join(articles)}" for law, articles in listed.items())

    def _identity(self) -> str:
        office = self._office()
        if not office.get("prosecutor"):
            return self.floor.say("identity_short")
        return self.floor.say(
            "identity", office=office.get("name", ""), title=office.get("title", ""), name=office["prosecutor"]
        )

    def _charge(self) -> str:
        if not self._charges():
            return self.floor.say("unknown")
        number = self._office().get("indictment_no", "")
        key = "charge" if number else "charge_short"
        return self.floor.say(key, number=number, accused=self.floor.name, charges=self._charges())

    def _indictment(self) -> str:
        floor = self.floor
        office, facts = self._office(), floor.matter.get("indictment", "")
        if not facts:
            return floor.say("unknown")
        parts = []
        if office.get("name") and office.get("indictment_no"):
            parts.append(floor.say("head", office=office["name"], number=office["indictment_no"]))
        if not _SHORT.search(self._said_by_judge()):
            parts.append(floor.say("person", person=self._person()))
        parts.append(floor.say("found", indictment=facts))
        fast = bool(_FAST.search(self._said_by_judge()))
        if fast and (titles := "；".join(item["title"] for item in floor.own_exhibits)):
            parts.append(floor.say("listed", titles=titles))
        if fast and floor.matter.get("opinion"):
            parts.append(floor.say("considered", opinion=floor.matter["opinion"]))
        told = fast and "追究其刑事责任" in floor.matter.get("opinion", "")
        key = "close" if told else "accuse" if self._laws() else "accuse_short"
        parts.append(floor.say(key, accused=floor.name, laws=self._laws(), charges=self._charges()))
        if floor.matter.get("plea", {}).get("signed"):
            parts.append(self._request())
        return joined(parts)

    def _person(self) -> str:
        accused = self.floor.accused
        told = [accused.get(field, "") for field in ("name", "gender")]
        told += [birthday(accused), *(accused.get(field, "") for field in ("ethnicity", "education", "occupation"))]
        told.append(f"住{accused['address']}" if accused.get("address") else "")
        return "，".join(filter(None, told))

    def _said_by_judge(self) -> str:
        return " ".join(turn.text for turn in self.floor.view.record if turn.speaker == "judge")

    def _request(self) -> str:
        request = self.floor.matter.get("request", {}).get("text", "")
        return self.floor.say("request", request=request) if request else self.floor.say("no_request")

    def _opinion(self) -> str:
        floor = self.floor
        opinion = floor.matter.get("opinion", "")
        said = floor.say("opinion", bench=floor.bench, opinion=opinion) if opinion else ""
        said = said or floor.say("no_opinion", accused=floor.name, charges=self._charges())
        return said + (self._request() if floor.matter.get("request") else "")

    def _mutual(self) -> str:
        opinion = self.floor.matter.get("opinion", "")
        own = self.floor.view.own
        if not any("公诉意见" in turn.text or (opinion and opinion in turn.text) for turn in own):
            return self.floor.say("mutual_early")
        return self.answered("defence_lawyer", [*self.objected(), *parts_of([opinion]), *self.proofs()])

    # --- examination --------------------------------------------------------------------------------------------------

    def _examine(self) -> str:
        floor = self.floor
        if self.examined:
            return floor.say("examine_none")
        if not self.may_examine:
            return floor.say("examine_court")
        self.to = ("defendant",)
        heard = " ".join(turn.text for turn in floor.view.record if turn.speaker == "defendant")
        topics = (
            "deny" if contested(heard) else "story",
            "arrest",
            "victims" if floor.matter.get("victims") else "money",
        )
        return "被告人，" + "".join(f"{floor.questions[topic]}？" for topic in topics)

    # --- evidence -----------------------------------------------------------------------------------------------------

    def _evidence(self) -> str:
        floor = self.floor
        if (numbers := numbers_named(floor.text)) and (known := self._details(numbers)):
            return known
        left = left_to_show(floor)
        if not left:
            return floor.say("no_more" if floor.own_exhibits else "none")
        return offered(floor, left)

    def _detail(self) -> str:
        return self._details(numbers_named(self.floor.text))

    def _details(self, numbers: frozenset[int]) -> str:
        """The words of exhibits that were offered already and are asked for again."""
        floor, shown = self.floor, exhibit_numbers(self.floor)
        parts = []
        for number, item in enumerate(floor.own_exhibits, 1):
            if number in numbers and number in shown and item.get("excerpt"):
                parts.append(floor.say("detail", n=names([number]), excerpt=ended(item["excerpt"])))
        return joined(parts)

    def _views(self) -> str:
        floor = self.floor
        offers = asked_about(floor, "defence_lawyer")
        held = objections(floor, offers, len(floor.own_exhibits))
        if not held:
            return floor.say("no_objection")
        parts = [
            floor.say("objection", n=names([offer.number]), text=grounds_text(floor, grounds))
            for offer, grounds in held
        ]
        return joined([*parts, floor.say("rest") if len(held) < len(offers) else ""])

    # --- property and victims -----------------------------------------------------------------------------------------

    def _property(self) -> str:
        things, returned = self._seized()
        parts = []
        if things or returned:
            parts.append(self.floor.say("seized", things="、".join([*things, *returned])))
        if returned:
            parts.append(self.floor.say("returned", things="、".join(returned)))
        if things:
            banned = [one for one in things if self._banned(one)]
            tools = [one for one in things if one not in banned]
            parts.append(self.floor.say("seized_banned", things="、".join(banned)) if banned else "")
            parts.append(self.floor.say("seized_tool", things="、".join(tools)) if tools else "")
        parts += [
            self._loss(one) for one in self.floor.matter.get("victims", ()) if _MONEY.search(one.get("loss", ""))
        ]
        if any(
            not one.get("settled") and _MONEY.search(one.get("loss", ""))
            for one in self.floor.matter.get("victims", ())
        ):
            parts.append(self.floor.say("restore"))
        return joined(parts) or self.floor.say("no_property")

    def _banned(self, thing: str) -> bool:
        """Whether nobody may own a thing: drugs, arms, counterfeit money and the like."""
        return bool(_BANNED.search(thing)) or ("毒品" in self._charges() and bool(_DRUG.search(thing)))

    def _seized(self) -> tuple[list[str], list[str]]:
        """What was seized and is still held, and what was given back, as the titles of exhibits tell."""
        held: list[str] = []
        back: list[str] = []
        for item in self.floor.own_exhibits:
            if not _THING.match(item["title"]):
                continue
            note = "".join(_BRACKET.findall(item["title"]))
            for part in _BRACKET.sub("", item["title"]).split("、"):
                thing = _PHOTO.sub("", _THING.sub("", part)).strip()
                given = "发还" in note and (thing[:2] in note or "实物" in note)
                (back if given else held).append(thing)
        return held, back

    def _loss(self, victim: Mapping[str, Any]) -> str:
        settled = victim.get("settled") or "尚未退赔"
        return self.floor.say("loss", name=victim.get("name", ""), loss=victim.get("loss", ""), settled=settled)

    def _victims(self) -> str:
        return joined([self._loss(one) for one in self.floor.matter.get("victims", ())]) or self.floor.say(
            "no_victims"
        )

    _ANSWERS: ClassVar[Mapping[str, Callable[[Any], str]]] = {
        "identity": _identity, "charge": _charge, "indictment": _indictment, "opinion": _opinion, "mutual": _mutual, "request": _request,
        "examine": _examine, "evidence": _evidence, "detail": _detail, "views": _views, "property": _property,
        "victims": _victims,
    }  # fmt: skip
