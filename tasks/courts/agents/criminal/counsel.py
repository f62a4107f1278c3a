"""What 公诉人 and 辩护人 say: indictment, questions to the accused, exhibits and views on them, property, opinion,
debate.

刑事诉讼法第三十七条、第一百九十一条、第一百九十五条、第一百九十八条;
刑诉法解释第二百四十六条、第二百四十七条、第二百七十九条. The defender knows the plea of the accused, not his account
of the facts. Who is given the word to examine puts questions to the accused, where the profile lets him.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tasks.courts.agents.criminal.asking import contested, joined
from tasks.courts.agents.criminal.speaking import Speaks, ended, names
from tasks.courts.agents.own_words import parts_of, told
from tasks.courts.agents.trial.agenda import filled
from tasks.courts.agents.trial.party import seat
from tasks.courts.casefile.people import LawRef
from tasks.courts.procedure.replies import numbers_named

_FAST = re.compile(r"速裁")
_SHORT = re.compile(r"速裁|简要|摘要")
_MONEY = re.compile(r"\d元|万元|钱款|货款|财物|手机")
_BANNED = re.compile(r"毒品|冰毒|甲基苯丙胺|海洛因|大麻|枪|弹药|子弹|炸药|雷管|假币|伪造的?货币|淫秽")
_DRUG = re.compile(r"晶体|粉末|药片|药丸|颗粒|植物")
_THING = re.compile(r"^扣押的")
_BRACKET = re.compile(r"[（(]([^（）()]*)[）)]")
_FOLLOWS = re.compile(r"量刑建议[^。；]{0,12}(?:没有异议|无异议|适当)|同意量刑建议")
_PERSON = (
    ("name", "{}"), ("gender", "{}"), ("birth_date", "{}出生"), ("ethnicity", "{}"), ("education", "{}"),
    ("occupation", "{}"),
    ("address", "住{}"),
)  # fmt: skip
_PHOTO = re.compile(r"(?:及|和|的)照片$")


class ProsecutorSpeaks(Speaks):
    """One utterance of the procurator."""

    # --- indictment and opinion -------------------------------------------------------------------------------------

    def _office(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.matter.get("prosecution", {})
        return found

    def _charges(self) -> str:
        return "、".join(charge["name"] for charge in self.matter.get("charges", ()) if charge.get("name"))

    def _laws(self) -> str:
        refs = [LawRef.model_validate(law) for one in self.matter.get("charges", ()) for law in one.get("laws", ())]
        listed: dict[str, list[str]] = {}
        for ref in refs:
            listed.setdefault(ref.law, []).append(ref.chinese.removeprefix(f"《{ref.law}》"))
        return "、".join(f"《{law}》{'、'.join(articles)}" for law, articles in listed.items())

    def _to_identity(self) -> str:
        office = self._office()
        if not office.get("prosecutor"):
            return self.say("identity_short")
        return self.say(
            "identity", office=office.get("name", ""), title=office.get("title", ""), name=office["prosecutor"]
        )

    def _to_charge(self) -> str:
        if not self._charges():
            return self.say("unknown")
        number = self._office().get("indictment_no", "")
        key = "charge" if number else "charge_short"
        return self.say(key, number=number, accused=self.name, charges=self._charges())

    def _to_indictment(self) -> str:
        office, facts = self._office(), self.matter.get("indictment", "")
        if not facts:
            return self.say("unknown")
        parts = []
        if office.get("name") and office.get("indictment_no"):
            parts.append(self.say("head", office=office["name"], number=office["indictment_no"]))
        if not _SHORT.search(self.heard("judge")):
            parts.append(self.say("person", person="，".join(told(self.accused, _PERSON))))
        parts.append(self.say("found", indictment=facts))
        fast = bool(_FAST.search(self.heard("judge")))
        if fast and (titles := "；".join(item["title"] for item in self.own_exhibits)):
            parts.append(self.say("listed", titles=titles))
        if fast and self.matter.get("opinion"):
            parts.append(self.say("considered", opinion=self.matter["opinion"]))
        accused = fast and "追究其刑事责任" in self.matter.get("opinion", "")
        key = "close" if accused else "accuse" if self._laws() else "accuse_short"
        parts.append(self.say(key, accused=self.name, laws=self._laws(), charges=self._charges()))
        if self.matter.get("plea", {}).get("signed"):
            parts.append(self._to_request())
        return joined(parts)

    def _to_request(self) -> str:
        request = self.matter.get("request", {}).get("text", "")
        return self.say("request", request=request) if request else self.say("no_request")

    def _to_opinion(self) -> str:
        opinion = self.matter.get("opinion", "")
        said = self.say("opinion", bench=self.bench, opinion=opinion) if opinion else ""
        said = said or self.say("no_opinion", accused=self.name, charges=self._charges())
        return said + (self._to_request() if self.matter.get("request") else "")

    def _to_mutual(self) -> str:
        opinion = self.matter.get("opinion", "")
        own = self.view.own
        if not any("公诉意见" in turn.text or (opinion and opinion in turn.text) for turn in own):
            return self.say("mutual_early")
        return self.answered("defence_lawyer", [*self.objected(), *parts_of([opinion]), *self.proofs()])

    # --- examination ------------------------------------------------------------------------------------------------

    def _to_examine(self) -> str:
        if self.examined:
            return self.say("examine_none")
        if not self.may_examine:
            return self.say("examine_court")
        self.to = ("defendant",)
        first = "deny" if contested(self.heard("defendant")) else "story"
        topics = (first, "arrest", "victims" if self.matter.get("victims") else "money")
        return "被告人，" + "".join(f"{self.questions[topic]}？" for topic in topics)

    # --- evidence ---------------------------------------------------------------------------------------------------

    def _to_evidence(self) -> str:
        return self._to_detail() or self.offer()

    def _to_detail(self) -> str:
        """The words of exhibits that were offered already and are asked for again."""
        numbers = numbers_named(self.words) - {number for number, _ in self.left_to_show()}
        told_again = (
            self.say("detail", n=names([number]), excerpt=ended(item["excerpt"]))
            for number, item in enumerate(self.own_exhibits, 1)
            if number in numbers and item.get("excerpt")
        )
        return joined([*told_again])

    def _to_views(self) -> str:
        return self.views("defence_lawyer")

    # --- property and victims ---------------------------------------------------------------------------------------

    def _to_property(self) -> str:
        things, returned = self._seized()
        banned = [one for one in things if self._banned(one)]
        tools = [one for one in things if one not in banned]
        listed = {"seized": [*things, *returned], "returned": returned, "seized_banned": banned, "seized_tool": tools}
        parts = [self.say(key, things="、".join(named)) for key, named in listed.items() if named]
        victims = [one for one in self.matter.get("victims", ()) if _MONEY.search(one.get("loss", ""))]
        parts += map(self._loss, victims)
        parts += [self.say("restore")] if any(not one.get("settled") for one in victims) else []
        return joined(parts) or self.say("no_property")

    def _banned(self, thing: str) -> bool:
        """Whether nobody may own a thing: drugs, arms, counterfeit money and the like."""
        return bool(_BANNED.search(thing)) or ("毒品" in self._charges() and bool(_DRUG.search(thing)))

    def _seized(self) -> tuple[list[str], list[str]]:
        """What was seized and is still held, and what was given back, as the titles of exhibits tell."""
        held: list[str] = []
        back: list[str] = []
        for item in self.own_exhibits:
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
        return self.say("loss", name=victim.get("name", ""), loss=victim.get("loss", ""), settled=settled)

    def _to_victims(self) -> str:
        return joined([self._loss(one) for one in self.matter.get("victims", ())]) or self.say("no_victims")


class DefenderSpeaks(Speaks):
    """One utterance of the defence lawyer."""

    def _to_identity(self) -> str:
        counsel = self.accused.get("counsel", {})
        if not counsel.get("name"):
            return self.say("identity_short", accused=self.name)
        authority = f"{counsel['authority']}，" if counsel.get("authority") else ""
        told = {"firm": counsel.get("firm", ""), "name": counsel["name"], "authority": authority}
        return self.say("identity", **told, accused=self.name)

    def _to_consent(self) -> str:
        return self.procedure()

    def _to_examine(self) -> str:
        if self.examined or not self.may_examine:
            return self.say("examine_none")
        self.to = ("defendant",)
        if not self.denies:
            return f"被告人，{self.questions['attitude']}？"
        heard = parts_of(turn.text for turn in self.view.record if turn.speaker == "defendant")
        account = next(filter(contested, heard), "")
        question = filled(self.questions["deny"], {"account": account})
        return f"被告人，{question}？" if account else self.say("examine_none")

    def _to_views(self) -> str:
        return self.views("procurator")

    def _to_evidence(self) -> str:
        return self.offer()

    def _to_opinion(self) -> str:
        opinion = self.matter.get("defence_opinion", "")
        if not opinion:
            return self.say("no_opinion_denied" if self.denies else "no_opinion", accused=self.name)
        if any(opinion.strip() in turn.text for turn in self.view.own):
            return self.say("mutual")
        return self.say("opinion_fast" if "速裁" in self.words else "opinion", bench=self.bench, opinion=opinion)

    def _to_request(self) -> str:
        return self.say("request_ok" if _FOLLOWS.search(self.matter.get("defence_opinion", "")) else "request")

    def _to_plea(self) -> str:
        return self.say("plea" if self.denies else "plea_ok")

    def _to_mutual(self) -> str:
        argued = parts_of([str(self.matter.get("defence_opinion", ""))])
        return self.answered("procurator", [*self.objected(), *argued, *self.proofs()])

    def _to_property(self) -> str:
        return self.say("property_denied" if self.denies else "property")


Procurator = seat(ProsecutorSpeaks)
"""公诉人."""
DefenceLawyer = seat(DefenderSpeaks)
"""辩护人."""
