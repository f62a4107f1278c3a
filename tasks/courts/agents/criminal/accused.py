"""What the 被告人 says, in the first person: identity, record, custody, plea, statement, answers, views, last word.

Who pleads guilty tells the facts that he knows; who denies gives his own account alone. Nothing is made up: what is
not on file he does not know. Traits of the personality colour open answers alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from store.text.dates import plain_date
from tasks.courts.agents import own_words
from tasks.courts.agents.criminal.asking import joined, questions_of, speech
from tasks.courts.agents.criminal.speaking import Speaks
from tasks.courts.agents.own_words import told
from tasks.courts.agents.trial.party import Asked, seat
from tasks.courts.scores.bigrams import sentences

_WHO = (
    ("name", "我叫{}"), ("gender", "{}"), ("birth_date", "{}出生"), ("ethnicity", "{}"), ("birthplace", "出生地是{}"),
    ("education", "{}"), ("occupation", "{}"), ("workplace", "在{}工作"), ("address", "住在{}"),
)  # fmt: skip
_MEASURES = {"拘留": "刑事拘留"}
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

    def answer(self, one: Asked) -> str:
        """The answer to one kind of question."""
        if one.kind in ("plea", "consent") and any(each.kind == "fast" for each in self.wanted):
            return ""
        return super().answer(one)

    def otherwise(self) -> str:
        """An open question."""
        return self._to_question()

    @property
    def guilty(self) -> bool:
        """Whether the accused pleads guilty without reserve."""
        return bool(self.plea.get("stance") == "guilty")

    # --- who he is, what happened so far ----------------------------------------------------------------------------

    def _to_identity(self) -> str:
        """What 刑诉法解释第二百三十五条 asks of an accused, as far as it is on file."""
        return "，".join(told(self.accused, _WHO)) + "。" if self.name else self.say("unknown")

    def _to_record(self) -> str:
        told = str(self.matter.get("record", "")).strip().rstrip("。")
        if told in ("无", "没有", "无前科"):
            return self.say("record_none")
        if not told:
            return self.say("unknown")
        return self.say("record_raw" if re.match(r"无|没有|未", told) else "record", record=told)

    def _to_custody(self) -> str:
        told = _custody(self.matter.get("custody", ()))
        return self.say("custody", list=told) if told else self.say("forgotten")

    def _to_served(self) -> str:
        day = plain_date(self.matter.get("served", ""))
        return self.say("served", day=day) if day else self.say("served_unknown")

    # --- plea -------------------------------------------------------------------------------------------------------

    def _to_consent(self) -> str:
        return self.procedure() if self.guilty else self.say("consent_no")

    def _to_signed(self) -> str:
        if not self.plea.get("signed"):
            return self.say("signed_no" if "signed" in self.plea else "forgotten")
        own = [one for one in _parts(self.plea.get("text", "")) if _SIGNED.search(one)]
        return joined([self.say("signed_yes"), *own[:2]])

    def _to_plea(self) -> str:
        facts, charge = (str(self.plea.get(field, "")).strip().rstrip("。") for field in ("facts", "charge"))
        told = [f"{_pleaded(one)}。" for one in (facts, charge) if one]
        if not told and self.guilty:
            told = [self.say("plea_guilty")]
        own = _parts(self.plea.get("text", ""))
        return joined([*told, *own[: 1 if self.guilty else 3]]) or self.say("self_denied")

    def _to_fast(self) -> str:
        if not self.guilty:
            return self._to_plea() + self.say("request_no")
        wide = re.search(r"证据|速裁|指控|事实", self.words)
        return self.say("fast" if wide and "速裁" in self.words else "request_ok")

    # --- telling ----------------------------------------------------------------------------------------------------

    def _facts(self) -> list[str]:
        """What he tells of the facts: all that he knows, nothing where he denies."""
        told = [str(one["text"]) for one in self.view.held.get("facts", ())] if self.guilty else []
        return [_in_first_person(text, self.name) for text in told]

    def _own(self) -> list[str]:
        """His own account: plea and statements, sentence by sentence."""
        told = [_pleaded(str(self.plea.get("facts", "")))] if not self.guilty else []
        texts = [str(self.plea.get("text", "")), *self.view.held.get("statements", {}).values(), *told]
        return [one for text in texts for one in _parts(text)]

    def _fresh(self, told: list[str]) -> list[str]:
        """What he has not said before, else once that he has said it."""
        said = " ".join(turn.text for turn in self.view.own)
        fresh = [one for one in told if one.rstrip("。！？；") not in said]
        again = self.say("again", told="")[:4]
        return fresh or [self.say("again", told=one) for one in told[:1] if again not in said]

    def _to_statement(self) -> str:
        told = self._fresh([*self._facts()[:2], *self._own()])
        return self._coloured(joined(told[:3])) if told else self.say("statement_none")

    def _to_question(self) -> str:
        said = joined(list(dict.fromkeys(self._one(question) for question in questions_of(self.words)[:4])))
        return said if said == self.say("forgotten") else self._coloured(said)

    def _one(self, question: str) -> str:
        """The answer to one open question; what he has said before he does not say again."""
        pool = [one for one in (*self._facts(), *self._own()) if one.rstrip("。！？；") not in question]
        if _PROOF.search(question) and not self.guilty:
            titles = "、".join(item["title"] for item in self.own_exhibits[:3])
            return self.say("proof", titles=titles) if titles else self.say("proof_none")
        if found := own_words.answer(question, pool, 2):
            return re.sub("；$", "。", joined(self._fresh(found) or found))
        for asked, words in _TOPICS:
            if re.search(asked, question) and (found := [one for one in pool if re.search(words, one)]):
                return joined(self._fresh(found)[:2]) or self.say("statement_none")
        if _STORY.search(question) and pool:
            return joined(self._fresh(pool)[:2]) or self.say("statement_none")
        return self.say("forgotten")

    def _coloured(self, text: str) -> str:
        """An open answer with the fillers of a personality; who pleads guilty says sorry once."""
        if not text:
            return ""
        tables, traits = speech()["say"]["defendant"], self.view.traits
        before = tables["opening"]["stability"].get(traits.get("stability", ""), "")
        after = tables["close"]["agreeableness"].get(traits.get("agreeableness", ""), "") if self.guilty else ""
        said = text + " ".join(turn.text for turn in self.view.own)
        return f"{before}{text}{'' if '对不起' in said else after}"

    # --- evidence, last words ---------------------------------------------------------------------------------------

    def _to_views(self) -> str:
        return self.views("procurator")

    def _to_evidence(self) -> str:
        return self.say("evidence" if self.own_exhibits else "evidence_none")

    def _to_self_defence(self) -> str:
        own = _parts(self.plea.get("text", ""))
        told = re.sub(r"^(?:但是?|可是?|不过)，?", "", joined(own[1:] or own[:1]))
        return told or self.say("self_guilty" if self.guilty else "self_denied")

    def _to_last(self) -> str:
        told = joined(list(self.view.held.get("statements", {}).values()))
        return told or self.say("last_guilty" if self.guilty else "last_denied")

    def _to_victims(self) -> str:
        found = [one for one in (*self._facts(), *self._own()) if re.search(r"赔|退缴|退了|谅解|补偿|道歉", one)]
        return joined(self._fresh(found)[:2]) or self.say("victims_none" if self.guilty else "victims_denied")

    def _to_property(self) -> str:
        stance = self.plea.get("stance")
        return self.say({"guilty": "property", "partial": "property_partial"}.get(str(stance), "property_denied"))


Accused = seat(AccusedSpeaks)
"""被告人."""


def _custody(measures: Sequence[Mapping[str, Any]]) -> str:
    """2024年5月20日被刑事拘留，6月3日被逮捕，羁押在…; '' where nothing is on file."""
    told, year = [], ""
    for one in measures:
        if day := plain_date(one.get("since", "")):
            told.append(f"{day.removeprefix(year)}被{_MEASURES.get(one['measure'], one['measure'])}")
            year = day[:5]
    last = measures[-1] if told else {}
    held = last.get("measure") in ("拘留", "逮捕") and not last.get("until") and last.get("place")
    return "，".join(told) + (f"，现在羁押在{last['place']}" if held else "")


def _in_first_person(text: str, name: str) -> str:
    """A fact of the case as the accused tells it: 邵远舟被民警抓获 -> 我被警察抓了."""
    told = re.sub(rf"(?:被告人)?{re.escape(name)}", "我", text) if name else text
    told = re.sub(r"(?:将|把)其(?=[^，。；]{0,6}(?:抓|查获|传唤|带至|带到|带回|控制))", "把我", told)
    told = re.sub(r"(被|由|在|从)其(?=[\u4e00-\u9fff])", r"\1我", told)
    for cue, words in speech()["plain"]["words"]:
        told = re.sub(cue, words, told)
    return re.sub(r"^(?:被告人|其)", "", told)


def _parts(text: str) -> list[str]:
    """The sentences of a text, trimmed."""
    found = [one.strip() for one in sentences(text) if one.strip()]
    return [one if one[-1] in "。！？；!?;" else f"{one}。" for one in found]


def _pleaded(text: str) -> str:
    """承认X；否认Y，称Z -> 我承认X；我不承认Y，Z."""
    text = re.sub(r"(^|[；;，。])承认", r"\1我承认", text)
    text = re.sub(r"(^|[；;，。])(?:否认|不承认)", r"\1我不承认", text)
    return re.sub(r"([；;，。]|^)(?:称|辩称)", r"\1", text)
