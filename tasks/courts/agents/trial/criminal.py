"""The sides of a criminal trial by rules: 公诉人, 被告人, 辩护人, each in the words of its role, from what it holds
alone.

The defender knows the plea of the accused, not his account of the facts. Who pleads guilty tells the facts that he
knows, who denies his own account alone. Exhibits are offered one at a time, or together where the court says so
(刑诉法解释第二百六十八条). 刑事诉讼法第三十七条、第一百九十一条、第一百九十五条、第一百九十八条.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from store.tables import beside
from store.text.dates import plain_date
from tasks.courts.agents.own_words import fact, field_words, parts_of
from tasks.courts.agents.trial.side import PartySeat, seat
from tasks.courts.casefile.people import LawRef
from tasks.courts.play.view import CourtView

_MONEY = re.compile(r"\d元|万元|钱款|货款|财物|手机")
_THING, _BRACKET = re.compile(r"^扣押的"), re.compile(r"[（(]([^（）()]*)[）)]")
_WHO = (
    ("name", "{}"), ("gender", "{}"), ("birth_date", "{}出生"), ("ethnicity", "{}"), ("birthplace", "出生地{}"),
    ("education", "{}"), ("occupation", "{}"), ("workplace", "在{}工作"), ("address", "住{}"),
)  # fmt: skip


class _Criminal(PartySeat):
    """What the three sides share. Roles are those of the seats."""

    def __init__(self, view: CourtView) -> None:
        super().__init__(view)
        self.matter: Mapping[str, Any] = view.held.get("criminal", {})
        self.plea: Mapping[str, Any] = self.matter.get("plea", {})
        parties: Sequence[Mapping[str, Any]] = view.held.get("parties", ())
        self.accused: Mapping[str, Any] = next((one for one in parties if one.get("side") == "defendant"), {})
        self.name = str(self.accused.get("name", ""))
        self.court = f"尊敬的{view.called('judge')}"

    @property
    def denies(self) -> bool:
        """Whether the accused contests the charge in whole or in part."""
        return self.plea.get("stance") in ("partial", "not_guilty")

    def pool(self) -> list[str]:
        """Nothing: only the accused tells of the facts."""
        return []

    def examine(self, *topics: str) -> str:
        """Questions to the accused, once, where the profile lets a party put them."""
        if self.view.profile == "j1" or any("defendant" in turn.to for turn in self.view.own):
            return self.say("examine_none")
        if "defendant" not in self.view.there:
            return self.say("examine_none")
        self.to = ("defendant",)
        asked: Mapping[str, str] = beside(__package__, "speech")["say"][self.side]["questions"]
        return "被告人，" + "".join(f"{asked[topic]}？" for topic in topics)


class _Prosecution(_Criminal):
    other = "defence_lawyer"
    owes = {"indictment": "investigation", "exhibit": "investigation", "prosecution": "debate"}

    def stated(self, kind: str) -> bool:
        """Whether something owed was stated."""
        if kind == "exhibit":
            return not self.left_to_show()
        texts = {"indictment": [self.matter.get("indictment", "")], "prosecution": [self.matter.get("opinion", "")]}
        return bool(self.answered(self.view.role, kind)) or self.has_stated(filter(None, texts.get(kind, ())))

    @property
    def _charges(self) -> str:
        return "、".join(charge["name"] for charge in self.matter.get("charges", ()) if charge.get("name"))

    def _open(self) -> str:
        """Before the indictment is read the court may ask who prosecutes, and for what."""
        if "罪名" not in self.words or not self._charges:
            return super()._open()
        office, number = (self.matter.get("prosecution", {}).get(key, "") for key in ("name", "indictment_no"))
        return self.say("charge", office=office, number=number, accused=self.name, charges=self._charges)

    @property
    def _laws(self) -> str:
        laws = (law for one in self.matter.get("charges", ()) for law in one.get("laws", ()))
        return "、".join(LawRef.model_validate(law).chinese for law in laws)

    def _to_indictment(self) -> str:
        """The indictment; in a 速裁程序 with the list of evidence, which has no other place."""
        office, facts = self.matter.get("prosecution", {}), self.matter.get("indictment", "")
        court = self.words_of("judge")
        if not facts:
            return self.say("nothing")
        fast = "速裁" in court
        parts = []
        if office.get("name") and office.get("indictment_no"):
            parts.append(self.say("head", office=office["name"], number=office["indictment_no"]))
        if not re.search(r"速裁|简要|摘要", court):
            parts.append(self.say("person", person="，".join(field_words(self.accused, _WHO))))
        parts.append(self.say("found", indictment=facts))
        if fast and (titles := "；".join(item["title"] for item in self.own_exhibits)):
            parts.append(self.say("listed", titles=titles))
        key = "accuse" if self._laws else "accuse_short"
        parts.append(self.say(key, accused=self.name, laws=self._laws, charges=self._charges))
        return "".join([*parts, self._request() if self.plea.get("signed") else ""])

    def _request(self) -> str:
        request = self.matter.get("request", {}).get("text", "")
        return self.say("request", request=request) if request else self.say("no_request")

    def _to_prosecution(self) -> str:
        opinion = self.matter.get("opinion", "")
        said = self.say("opinion", bench=self.court, opinion=opinion) if opinion else ""
        said = said or self.say("no_opinion", accused=self.name, charges=self._charges)
        return said + (self._request() if self.matter.get("request") else "")

    def _to_examine_pros(self) -> str:
        return self.examine("story", "arrest", "victims" if self.matter.get("victims") else "money")

    def _to_property(self) -> str:
        """What was seized as the titles of exhibits tell, and the losses (刑诉法解释第二百七十九条)."""
        things = [
            _THING.sub("", _BRACKET.sub("", item["title"]))
            for item in self.own_exhibits
            if _THING.match(item["title"])
        ]
        victims = [one for one in self.matter.get("victims", ()) if _MONEY.search(one.get("loss", ""))]
        parts = [self.say("seized", things="、".join(things))] if things else []
        parts += [
            self.say("loss", name=one.get("name", ""), loss=one["loss"], settled=one.get("settled") or "尚未退赔")
            for one in victims
        ]
        parts += [self.say("restore")] if any(not one.get("settled") for one in victims) else []
        return "".join(parts) or self.say("no_property")


class _Defence(_Criminal):
    other = "procurator"
    owes = {"exhibit": "investigation", "defence": "debate"}

    def stated(self, kind: str) -> bool:
        """Whether something owed was stated; exhibits are offered once the prosecution has offered its own."""
        if kind == "exhibit":
            return not self.left_to_show() or not self.showings("procurator")
        return bool(self.answered(self.view.role, "defence", "fast_defence")) or (
            bool(self.matter.get("defence_opinion")) and self.has_stated([self.matter["defence_opinion"]])
        )

    def _to_examine_def(self) -> str:
        return self.examine("deny" if self.denies else "attitude")

    def _to_defence(self) -> str:
        opinion = self.matter.get("defence_opinion", "")
        if not opinion:
            return self.say("no_opinion_denied" if self.denies else "no_opinion", accused=self.name)
        if opinion.strip() in self.own:
            return self.say("mutual")
        return self.say(
            "opinion_fast" if "速裁" in self.words else "opinion",
            bench=self.court,
            opinion=opinion,
        )

    _to_fast_defence = _to_defence


class _Accused(_Criminal):
    other = "procurator"
    owes = {"objection": "investigation", "statement": "investigation", "self_defence": "debate", "last_word": "last"}

    @property
    def guilty(self) -> bool:
        """Whether the accused pleads guilty without reserve."""
        return bool(self.plea.get("stance") == "guilty")

    def stated(self, kind: str) -> bool:
        """Whether something owed was stated; the statement sentence by sentence."""
        if kind == "statement":
            return not self._fresh()
        if kind == "objection" and self._to_objection() in self.own:
            return True
        return bool(self.answered(self.view.role, kind, *(["fast_views"] if kind == "objection" else [])))

    def pool(self) -> list[str]:
        """All that he tells: the facts that he knows where he admits them, his own account."""
        facts = [str(one["text"]) for one in self.held.get("facts", ())] if self.guilty else []
        return [*(self._first_person(text) for text in facts), *self._own_account()]

    def _own_account(self) -> list[str]:
        denied = [_pleaded(str(self.plea.get("facts", "")))] if not self.guilty else []
        texts = [str(self.plea.get("text", "")), *self.held.get("statements", {}).values(), *denied]
        return [one for text in texts for one in _parts(text)]

    def _first_person(self, text: str) -> str:
        said = re.sub(rf"(?:被告人)?{re.escape(self.name)}", "我", text) if self.name else text
        return re.sub(r"^(?:被告人|其)", "", said)

    def _fresh(self) -> list[str]:
        return [one for one in self.pool() if one.rstrip("。！？；") not in self.own]

    # --- who he is, what happened so far ----------------------------------------------------------------------------

    def _to_identity(self) -> str:
        """What 刑诉法解释第二百三十五条 asks of an accused, as far as it is on file."""
        said = "，".join(field_words(self.accused, _WHO))
        return f"我叫{said}。" if self.name else self.say("unknown")

    def _to_record(self) -> str:
        record = str(self.matter.get("record", "")).strip().rstrip("。")
        return self.say("record", record=record) if record not in ("", "无", "没有") else self.say("record_none")

    def _to_custody(self) -> str:
        said = [
            f"{day}被{one['measure']}"
            for one in self.matter.get("custody", ())
            if (day := plain_date(one.get("since", "")))
        ]
        return self.say("custody", list="，".join(said)) if said else self.say("unknown")

    def _to_served(self) -> str:
        day = plain_date(self.matter.get("served", ""))
        return self.say("served", day=day) if day else self.say("served_unknown")

    # --- plea, statement, last words --------------------------------------------------------------------------------

    def _to_plea_check(self) -> str:
        return self.say({"True": "signed_yes", "False": "signed_no"}.get(str(self.plea.get("signed")), "unknown"))

    def _to_objection(self) -> str:
        facts, charge = (str(self.plea.get(field, "")).strip().rstrip("。") for field in ("facts", "charge"))
        said = [f"{_pleaded(one)}。" for one in (facts, charge) if one]
        if not said and self.guilty:
            said = [self.say("plea_guilty")]
        own = _parts(self.plea.get("text", ""))
        return "".join(dict.fromkeys([*said, *own[: 1 if self.guilty else 3]])) or self.say("self_denied")

    def _to_fast_views(self) -> str:
        return self.say("fast") if self.guilty else self._to_objection() + self.say("request_no")

    def _to_statement(self) -> str:
        said = "".join(self._fresh()[:3])
        if not said:
            return self.say("statement_none")
        return said + ("对不起。" if self.guilty and "对不起" not in said + self.own else "")

    def _open(self) -> str:
        """A question on the facts that no sentence answers gets the next of his account; once all is said, that."""
        if self.asked is None or self.asked.speaker == "judge":
            return super()._open()
        return fact(self.words, self.pool()) or "".join(self._fresh()[:2]) or self.say("again")

    def _to_exhibit(self) -> str:
        return self.say("evidence")

    def _to_self_defence(self) -> str:
        own = _parts(self.plea.get("text", ""))
        said = re.sub(r"^(?:但是?|可是?|不过)，?", "", "".join(own[1:] or own[:1]))
        return said or self.say("self_guilty" if self.guilty else "self_denied")

    def _to_last_word(self) -> str:
        said = "".join(self.held.get("statements", {}).values())
        return said or self.say("last_guilty" if self.guilty else "last_denied")


Procurator = seat(_Prosecution)
"""公诉人."""
DefenceLawyer = seat(_Defence)
"""辩护人."""
Accused = seat(_Accused)
"""被告人."""


def _parts(text: str) -> list[str]:
    return [one if one[-1] in "！？" else f"{one}。" for one in parts_of([text])]


def _pleaded(text: str) -> str:
    """承认X；否认Y，称Z -> 我承认X；我不承认Y，Z."""
    text = re.sub(r"(^|[；;，。])承认", r"\1我承认", text)
    text = re.sub(r"(^|[；;，。])(?:否认|不承认)", r"\1我不承认", text)
    return re.sub(r"([；;，。]|^)(?:称|辩称)", r"\1", text)
