"""What the 被告人 says, in the first person: identity, record, custody, plea, statement, answers, views, last word.

Who pleads guilty tells the facts that he knows; who denies gives his own account alone. Nothing is made up: what is
not on file he does not know. Traits of the personality colour open answers alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from store.text.dates import plain_date
from tasks.courts.agents.criminal.asking import joined, questions_of, speech
from tasks.courts.agents.criminal.exhibits import names
from tasks.courts.agents.criminal.objections import asked_about, objections
from tasks.courts.agents.criminal.speaking import Speaks
from tasks.courts.agents.criminal.telling import (
    custody,
    identity,
    in_first_person,
    own_words,
    parts,
)
from tasks.courts.agents.own_words import answer
from tasks.courts.procedure.replies import ALL_MEANT

_TOPICS: tuple[tuple[str, str], ...] = (
    (r"赔偿|退赔|退赃|谅解|弥补", r"赔|退缴|退了|退还|谅解|缴存|补偿|还上|退.{0,4}(?:钱|款)"),
    (
        r"钱款|财物|去向|怎样处理|怎么处理|用(?:途|到|在|于)",
        r"花掉|拿去还|用于|卖给|卖了|转卖|花销|偿还|还给|付清|支付|转账",
    ),
    (r"到案|投案|抓获|归案", r"抓了|派出所|公安|投案|报警|报了警|电话|传唤"),
    (r"为什么|动机|原因|理由|为何", r"因为|为了|想着|以为|缺钱|欠|糊涂|一时|贪|没看清|没注意|气不过|害怕"),
)
"""Words of a question -> words by which a sentence on that topic is known."""
_STORY = re.compile(r"经过|过程|怎么回事|事实|怎样做|说一下|承认|情况|认识|悔|态度|想法|看法|想说")
_PROOF = re.compile(r"证实|证据|线索|证人")
_SIGNED = re.compile(r"具结书|自愿|律师|没有人逼|签")


class AccusedSpeaks(Speaks):
    """One utterance of the accused."""

    def answer(self, kind: str) -> str:
        """The answer to one kind of question."""
        if kind in ("plea", "consent") and "fast" in self.floor.kinds:
            return ""
        return super().answer(kind)

    def otherwise(self) -> str:
        """An open question."""
        return self._question()

    @property
    def guilty(self) -> bool:
        """Whether the accused pleads guilty without reserve."""
        return bool(self.plea.get("stance") == "guilty")

    # --- who he is, what happened so far ------------------------------------------------------------------------------

    def _identity(self) -> str:
        return identity(self.floor.accused) if self.floor.name else self.floor.say("unknown")

    def _record(self) -> str:
        told = str(self.floor.matter.get("record", "")).strip().rstrip("。")
        if told in ("无", "没有", "无前科"):
            return self.floor.say("record_none")
        if not told:
            return self.floor.say("unknown")
        return self.floor.say("record_raw" if re.match(r"无|没有|未", told) else "record", record=told)

    def _custody(self) -> str:
        told = custody(self.floor.matter.get("custody", ()))
        return self.floor.say("custody", list=told) if told else self.floor.say("forgotten")

    def _served(self) -> str:
        day = plain_date(self.floor.matter.get("served", ""))
        return self.floor.say("served", day=day) if day else self.floor.say("served_unknown")

    # --- plea ---------------------------------------------------------------------------------------------------------

    def _consent(self) -> str:
        found = re.search(r"(简易|速裁|普通)程序", self.floor.text)
        if not found or not self.guilty:
            return self.floor.say("consent_no")
        return self.floor.say("consent", procedure=found[0])

    def _signed(self) -> str:
        if not self.plea.get("signed"):
            return self.floor.say("signed_no" if "signed" in self.plea else "forgotten")
        own = [one for one in parts(self.plea.get("text", "")) if _SIGNED.search(one)]
        return joined([self.floor.say("signed_yes"), *own[:2]])

    def _plea(self) -> str:
        facts, charge = (str(self.plea.get(field, "")).strip().rstrip("。") for field in ("facts", "charge"))
        told = [f"{own_words(one)}。" for one in (facts, charge) if one]
        if not told and self.guilty:
            told = [self.floor.say("plea_guilty")]
        own = parts(self.plea.get("text", ""))
        return joined([*told, *own[: 1 if self.guilty else 3]]) or self.floor.say("self_denied")

    def _fast(self) -> str:
        if not self.guilty:
            return self._plea() + self.floor.say("request_no")
        wide = re.search(r"证据|速裁|指控|事实", self.floor.text)
        return self.floor.say("fast" if wide and "速裁" in self.floor.text else "request_ok")

    # --- telling ------------------------------------------------------------------------------------------------------

    def _facts(self) -> list[str]:
        """What he tells of the facts: all that he knows, nothing where he denies."""
        told = [str(one["text"]) for one in self.floor.view.held.get("facts", ())] if self.guilty else []
        return [in_first_person(text, self.floor.name) for text in told]

    def _own(self) -> list[str]:
        """His own account: plea and statements, sentence by sentence."""
        told = [own_words(str(self.plea.get("facts", "")))] if not self.guilty else []
        texts = [str(self.plea.get("text", "")), *self.floor.view.held.get("statements", {}).values(), *told]
        return [one for text in texts for one in parts(text)]

    def _fresh(self, told: list[str]) -> list[str]:
        """What he has not said before, else once that he has said it."""
        said = " ".join(turn.text for turn in self.floor.view.own)
        fresh = [one for one in told if one.rstrip("。！？；") not in said]
        again = self.floor.say("again", told="")[:4]
        return fresh or [self.floor.say("again", told=one) for one in told[:1] if again not in said]

    def _statement(self) -> str:
        told = self._fresh([*self._facts()[:2], *self._own()])
        return self._coloured(joined(told[:3])) if told else self.floor.say("statement_none")

    def _question(self) -> str:
        said = joined(list(dict.fromkeys(self._one(question) for question in questions_of(self.floor.text)[:4])))
        return said if said == self.floor.say("forgotten") else self._coloured(said)

    def _one(self, question: str) -> str:
        """The answer to one open question; what he has said before he does not say again."""
        pool = [one for one in (*self._facts(), *self._own()) if one.rstrip("。！？；") not in question]
        if _PROOF.search(question) and not self.guilty:
            titles = "、".join(item["title"] for item in self.floor.own_exhibits[:3])
            return self.floor.say("proof", titles=titles) if titles else self.floor.say("proof_none")
        if found := answer(question, pool, 2):
            return re.sub("；$", "。", joined(self._fresh(found) or found))
        for asked, words in _TOPICS:
            if re.search(asked, question) and (found := [one for one in pool if re.search(words, one)]):
                return joined(self._fresh(found)[:2]) or self.floor.say("statement_none")
        if _STORY.search(question) and pool:
            return joined(self._fresh(pool)[:2]) or self.floor.say("statement_none")
        return self.floor.say("forgotten")

    def _coloured(self, text: str) -> str:
        """An open answer with the fillers of a personality; who pleads guilty says sorry once."""
        if not text:
            return ""
        tables, traits = speech()["say"]["defendant"], self.floor.view.traits
        before = tables["opening"]["stability"].get(traits.get("stability", ""), "")
        after = tables["close"]["agreeableness"].get(traits.get("agreeableness", ""), "") if self.guilty else ""
        said = text + " ".join(turn.text for turn in self.floor.view.own)
        return f"{before}{text}{'' if '对不起' in said else after}"

    # --- evidence, last words -----------------------------------------------------------------------------------------

    def _views(self) -> str:
        floor = self.floor
        offers = asked_about(floor, "procurator")
        held = objections(floor, offers)
        if not held:
            several = len(offers) > 1 or ALL_MEANT.search(floor.text)
            which = (
                "公诉人出示的全部证据" if several else f"证据{names([offers[0].number])}" if offers else "这份证据"
            )
            return floor.say("views_none", which=which)
        told = [
            floor.say("views", n=names([offer.number]), text="；".join(grounds.values())) for offer, grounds in held
        ]
        return joined([*told, floor.say("rest") if len(held) < len(offers) else ""])

    def _evidence(self) -> str:
        return self.floor.say("evidence" if self.floor.own_exhibits else "evidence_none")

    def _self_defence(self) -> str:
        own = parts(self.plea.get("text", ""))
        told = re.sub(r"^(?:但是?|可是?|不过)，?", "", joined(own[1:] or own[:1]))
        return told or self.floor.say("self_guilty" if self.guilty else "self_denied")

    def _last(self) -> str:
        told = joined(list(self.floor.view.held.get("statements", {}).values()))
        return told or self.floor.say("last_guilty" if self.guilty else "last_denied")

    def _victims(self) -> str:
        found = [one for one in (*self._facts(), *self._own()) if re.search(r"赔|退缴|退了|谅解|补偿|道歉", one)]
        return joined(self._fresh(found)[:2]) or self.floor.say("victims_none" if self.guilty else "victims_denied")

    def _property(self) -> str:
        stance = self.plea.get("stance")
        return self.floor.say(
            {"guilty": "property", "partial": "property_partial"}.get(str(stance), "property_denied")
        )

    _ANSWERS: ClassVar[Mapping[str, Callable[[Any], str]]] = {
        "identity": _identity, "record": _record, "custody": _custody, "served": _served, "consent": _consent,
        "signed": _signed, "plea": _plea, "fast": _fast, "statement": _statement, "question": _question, "views": _views,
        "evidence": _evidence, "self_defence": _self_defence, "last": _last, "victims": _victims, "property": _property,
    }  # fmt: skip
