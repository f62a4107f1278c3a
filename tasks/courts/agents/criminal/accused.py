"""What the 被告人 says, in the first person: identity, record, custody, plea, statement, answers, views, last word.

Who pleads guilty tells the facts that he knows; who denies tells only what he admits, his own account, what he has against
exhibits, and facts that the indictment does not allege. Nothing is made up: what is not on file he does not know. Traits of
the personality colour open answers alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

from tasks.courts.agents.criminal.asking import joined, questions_of, speech
from tasks.courts.agents.criminal.exhibits import brief_round, names
from tasks.courts.agents.criminal.facts import days, sums
from tasks.courts.agents.criminal.objections import GROUNDS, asked_about, objections
from tasks.courts.agents.criminal.speaking import Speaks
from tasks.courts.agents.criminal.telling import (
    MEASURES,
    answering,
    arrest,
    custody,
    day_text,
    denied_parts,
    identity,
    in_first_person,
    own_words,
    parts,
    unlike,
)
from tasks.courts.procedure.replies import ALL_MEANT
from tasks.courts.scores.bigrams import bigrams, recall

_TOPICS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked), re.compile(told))
    for asked, told in (
        (r"赔偿|退赔|退赃|谅解|弥补", r"赔|退缴|退了|退还|谅解|缴存|补偿|还上|退.{0,4}(?:钱|款)"),
        (r"钱款|财物|去向|怎样处理|怎么处理|用(?:途|到|在|于)", r"花掉|拿去还|用于|卖给|卖了|转卖|花销|偿还|还给|付清|支付|转账"),
        (r"由谁提起|谁(?:先)?提出|做了什么", r"挑起|提起|提议|叫来|叫我|让我|跟着|掺和|只(?!是吸)|我开车|帮忙"),
        (r"知道|明知", r"有数|知道|晓得|来路|怀疑|没有任何来源"),
    )
)
"""Words of a question -> words by which a sentence on that topic is known."""
_STORY = re.compile(r"经过|过程|怎么回事|事实|怎样做|说一下|承认|情况")
_ARREST = re.compile(r"到案|投案|抓获|归案")
_PROOF = re.compile(r"证实|证据|线索|证人")
_NOT_ADMITTED = ((_TOPICS[0][0], "victims_denied"), (_TOPICS[1][0], "money_denied"))
"""What who denies is asked about as if it were so."""
_WHY = re.compile(r"为什么|动机|原因|理由|为何|否认|不承认|不认可")
_CAUSE = re.compile(r"因为|为了|想着|以为|缺钱|欠|糊涂|一时|贪|图|没看清|没注意|气不过|害怕")
_CONTRARY = re.compile(r"不是|没[有人打卖骗偷拿叫]|不认|不承认|借的|愿意|凭什么|冤")
_ATTITUDE = re.compile(r"认识|悔|态度|想法|看法|想说")
_SIGNED = re.compile(r"具结书|自愿|律师|没有人逼|签")
_SAFE = re.compile(r"赔偿|赔了|退赔|退还|谅解|报警|电话|缴存|付息|借条|合同|约定")
_OTHERWISE = re.compile(r"曾因|拘留|逮捕|取保|抓|查获|到案|归案|判处|处罚|记录|供述|否认|谎称|冒充|明知")
"""Facts that a person who denies does not bring up by himself."""
_ASKED = re.compile(
    r"你(?:刚才|当庭)?(?:不承认|否认|说)|起诉书|指控|这一节|实际(?:经过|情况)|当时|是怎样的|情况|经过|事实|怎么回事|被告人|法庭|讯问|询问|讲清楚|[你我]"
)
"""Words of questions that tell nothing of what they are about."""
_MONTH = re.compile(r"\d{1,2}月(?!\d)")
_SETTLED = re.compile(r"谅解|退赔|赔偿|社区矫正|退缴|缴存")
"""Titles of exhibits that bear out no account of what happened."""
_BEFORE = re.compile(r"曾因|判处|行政拘留|否认|没有[^。；，]{0,8}(?:记录|处罚|前科)|^(?:[^，。；]*，)?[^，。；]*(?:抓了|如实说|派出所)")
"""Facts on his record, and those that begin with his arrest: no part of the story."""
_ELSE_TO_SAY = re.compile(r"除已经说过|还有(?:什么|无|没有)[^。？]{0,4}(?:说明|补充)")


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
        day = day_text(self.floor.matter.get("served", ""))
        return self.floor.say("served", day=day) if day else self.floor.say("served_unknown")

    # --- plea ---------------------------------------------------------------------------------------------------------

    def _consent(self) -> str:
        found = re.search(r"(简易|速裁|普通)程序", self.floor.text)
        if not found or not self.guilty:
            return self.floor.say("consent_no")
        return self.floor.say("consent", procedure=found[0])

    def _signed(self) -> str:
        if not self.plea.get("signed"):
            return self.floor.say("signed_no")
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

    @cached_property
    def _known(self) -> list[str]:
        return [str(one["text"]) for one in self.floor.view.held.get("facts", ())]

    def _facts(self) -> list[str]:
        """What he tells of the facts: all that he knows, or what does not belie his denial."""
        if self.guilty:
            return [in_first_person(text, self.floor.name) for text in self._known]
        read = "".join(turn.text for turn in self.floor.view.record if turn.speaker == "procurator")
        told = [text for text in self._known if not _OTHERWISE.search(text)]
        mine = [text for text in told if read and unlike(text, read, self.floor.name)]
        if self.plea.get("stance") == "partial":
            mine += [text for text in told if _SAFE.search(text) and text not in mine]
        return [f"{in_first_person(one, self.floor.name).split('；')[0].rstrip('。')}。" for one in mine]

    def _own(self) -> list[str]:
        """His own account: plea and statement, sentence by sentence."""
        admitted, denied = denied_parts(str(self.plea.get("facts", "")))
        told = [f"{own_words(one)}。" for one in (*admitted, *denied)] if not self.guilty else []
        return [*self._account(), *told]

    def _account(self) -> list[str]:
        """What he feels and says about it."""
        statements = [one for text in self.floor.view.held.get("statements", {}).values() for one in parts(text)]
        return [*parts(self.plea.get("text", "")), *statements]

    def _against(self) -> list[str]:
        """What he has against exhibits, in his own words."""
        held = [one for item in self.floor.view.held.get("evidence", ()) for one in item.get("objections", ())]
        return [part for one in held for ground in GROUNDS for part in parts(str(one.get(ground, "")))]

    def _fresh(self, told: list[str]) -> list[str]:
        """What he has not said before."""
        said = " ".join(turn.text for turn in self.floor.view.own)
        return [one for one in told if one.rstrip("。！？；") not in said]

    def _or_again(self, told: list[str]) -> list[str]:
        """What he has not said before, else that he has said it."""
        return self._fresh(told) or [self.floor.say("again", told=one) for one in told[:1]]

    def _statement(self) -> str:
        known = [one for one in self._facts() if not _BEFORE.search(one)][:2] if self.guilty else []
        told = self._or_again([*known, *self._own()])
        return self._coloured(joined(told[:3])) if told else self.floor.say("statement_none")

    def _question(self) -> str:
        told: list[str] = []
        for question in questions_of(self.floor.text)[:4]:
            answer = self._one(question)
            if answer not in told:
                told.append(answer)
        said = joined(told)
        return said if said == self.floor.say("forgotten") else self._coloured(said)

    def _one(self, question: str) -> str:
        """The answer to one open question; what he has said before he does not say again."""
        facts, own = self._facts(), self._own()
        if _ARREST.search(question) and (came := self._arrest()):
            return came
        if _PROOF.search(question) and not self.guilty:
            return self._proof(question)
        if _ELSE_TO_SAY.search(question):
            return joined(self._fresh([*self._against(), *facts, *self._account()])[:1]) or self.floor.say("statement_none")
        for asked, told in _TOPICS:
            if asked.search(question) and (found := [one for one in (*facts, *own) if told.search(one)]):
                return joined(self._shorter(self._or_again(found)))
        if not self.guilty and (denied := next((key for cue, key in _NOT_ADMITTED if cue.search(question)), "")):
            return self.floor.say(denied)
        if not self.guilty and (about := self._about(question)):
            return joined(about)
        if _WHY.search(question) and (account := self._account()):
            because = [one for one in account if (_CAUSE if self.guilty else _CONTRARY).search(one)]
            return joined(self._or_again(because or account)[:2])
        if _ATTITUDE.search(question) and (account := self._account()):
            return joined(self._or_again(account)[:2])
        story = [one for one in facts if not _BEFORE.search(one)]
        if _STORY.search(question) and (found := self._or_again(story)[:3] if self.guilty and story else self._or_again(own)[:2]):
            return joined(found)
        if _WHY.search(question) and self.guilty:
            return self._plea()
        return joined(answering(question, (*facts, *own))) or self.floor.say("forgotten")

    def _arrest(self) -> str:
        """How he came before the police; where he knows no more, since when he is held."""
        if came := arrest(self._known, self.floor.name, candid=self.guilty):
            return came
        measures = [one for one in self.floor.matter.get("custody", ()) if day_text(one.get("since", ""))]
        if not measures:
            return ""
        first = measures[0]
        day = day_text(first["since"]).replace("日", "号")
        return self.floor.say("arrest", day=day, measure=MEASURES.get(first["measure"], first["measure"]))

    def _proof(self, question: str) -> str:
        """What bears out his account: what his side is going to show."""
        titles = [item["title"] for item in self.floor.own_exhibits]
        told = bigrams(" ".join([*self._own(), *self._facts()]) + question)
        near = [title for title in titles if not _SETTLED.search(title) and recall(bigrams(title), told) > 0]
        return self.floor.say("proof", titles="、".join(near[:3])) if near else self.floor.say("proof_none")

    def _about(self, question: str) -> list[str]:
        """The piece of his own account that is nearest to a question and was not told yet, else the next one."""
        pool = self._fresh([*self._against(), *self._facts(), *self._account()])
        asked = _ASKED.sub("，", question)
        wanted, named, dated = bigrams(asked), set(sums(asked)), {*days(asked), *_MONTH.findall(asked)}

        def near(one: str) -> int:
            when = dated & {*days(one), *_MONTH.findall(one)}
            return len(wanted & bigrams(one)) + 3 * bool(named & set(sums(one))) + 3 * bool(when)

        best = max(pool, key=near, default="")
        return [best] if best and near(best) else pool[:1]

    def _shorter(self, told: list[str]) -> list[str]:
        return told[: 1 if self.floor.view.traits.get("extraversion") == "low" else 2]

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
            which = "公诉人出示的全部证据" if several else f"证据{names([offers[0].number])}" if offers else "这份证据"
            return floor.say("views_none", which=which)
        if brief_round(floor):
            return floor.say("views_brief", n=names([offer.number for offer, _ in held]))
        told = [floor.say("views", n=names([offer.number]), text="；".join(grounds.values())) for offer, grounds in held]
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
        return joined(self._shorter(self._fresh(found) or found)) or self.floor.say("victims_none" if self.guilty else "victims_denied")

    def _property(self) -> str:
        stance = self.plea.get("stance")
        return self.floor.say({"guilty": "property", "partial": "property_partial"}.get(str(stance), "property_denied"))

    _ANSWERS: ClassVar[Mapping[str, Callable[[Any], str]]] = {
        "identity": _identity, "record": _record, "custody": _custody, "served": _served, "consent": _consent,
        "signed": _signed, "plea": _plea, "fast": _fast, "statement": _statement, "question": _question, "views": _views,
        "evidence": _evidence, "self_defence": _self_defence, "last": _last, "victims": _victims, "property": _property,
    }  # fmt: skip
