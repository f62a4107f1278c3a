"""What the 辩护人 says: questions to the accused, views on each exhibit, own exhibits, property, defence, debate.

刑事诉讼法第三十七条、第一百九十一条第二款、第一百九十五条、第一百九十八条; it knows the plea of the accused, not his account of the facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from tasks.courts.agents.criminal.asking import contested, filled, joined
from tasks.courts.agents.criminal.exhibits import left_to_show, names, offered
from tasks.courts.agents.criminal.objections import asked_about, grounds_text, objections
from tasks.courts.agents.criminal.speaking import Speaks
from tasks.courts.agents.own_words import parts_of


class DefenderSpeaks(Speaks):
    """One utterance of the defence lawyer."""

    def _identity(self) -> str:
        counsel = self.floor.accused.get("counsel", {})
        if not counsel.get("name"):
            return self.floor.say("identity_short", accused=self.floor.name)
        authority = counsel.get("authority", "")
        return self.floor.say(
            "identity",
            firm=counsel.get("firm", ""),
            name=counsel["name"],
            authority=f"{authority}，" if authority else "",
            accused=self.floor.name,
        )

    def _consent(self) -> str:
        found = re.search(r"(简易|速裁|普通)程序", self.floor.text)
        return self.floor.say("consent", procedure=found[0]) if found else self.floor.say("consent_no")

    def _examine(self) -> str:
        floor = self.floor
        if self.examined or not self.may_examine:
            return floor.say("examine_none")
        self.to = ("defendant",)
        if not self.denies:
            return f"被告人，{floor.questions['attitude']}？"
        heard = parts_of(turn.text for turn in floor.view.record if turn.speaker == "defendant")
        account = next(filter(contested, heard), "")
        return (
            f"被告人，{filled(floor.questions['deny'], {'account': account})}？"
            if account
            else floor.say("examine_none")
        )

    def _views(self) -> str:
        floor = self.floor
        offers = asked_about(floor, "procurator")
        held = objections(floor, offers)
        if not held:
            which = (
                "公诉人出示的全部证据"
                if len(offers) > 1
                else f"证据{names([offers[0].number])}"
                if offers
                else "该证据"
            )
            return floor.say("views_none", which=which)
        told = [
            floor.say("views", n=names([offer.number]), text=grounds_text(floor, grounds)) for offer, grounds in held
        ]
        return joined([*told, floor.say("rest") if len(held) < len(offers) else ""])

    def _evidence(self) -> str:
        left = left_to_show(self.floor)
        if not left:
            return self.floor.say("no_more" if self.floor.own_exhibits else "none")
        return offered(self.floor, left)

    def _opinion(self) -> str:
        floor = self.floor
        opinion = floor.matter.get("defence_opinion", "")
        if not opinion:
            return floor.say("no_opinion_denied" if self.denies else "no_opinion", accused=floor.name)
        if any(opinion.strip() in turn.text for turn in floor.view.own):
            return floor.say("mutual")
        return floor.say("opinion_fast" if "速裁" in floor.text else "opinion", bench=floor.bench, opinion=opinion)

    def _request(self) -> str:
        agreed = re.search(
            r"量刑建议[^。；]{0,12}(?:没有异议|无异议|适当)|同意量刑建议",
            self.floor.matter.get("defence_opinion", ""),
        )
        return self.floor.say("request_ok" if agreed else "request")

    def _charge(self) -> str:
        return self.floor.say("plea" if self.denies else "plea_ok")

    def _mutual(self) -> str:
        argued = parts_of([str(self.floor.matter.get("defence_opinion", ""))])
        return self.answered("procurator", [*self.objected(), *argued, *self.proofs()])

    def _property(self) -> str:
        return self.floor.say("property_denied" if self.denies else "property")

    _ANSWERS: ClassVar[Mapping[str, Callable[[Any], str]]] = {
        "identity": _identity, "consent": _consent, "examine": _examine, "views": _views, "evidence": _evidence,
        "opinion": _opinion, "request": _request, "plea": _charge,
        "mutual": _mutual, "property": _property,
    }  # fmt: skip
