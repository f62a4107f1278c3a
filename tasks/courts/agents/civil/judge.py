"""The judge of a civil trial of first instance by rules: keeps the procedure, hears both sides, and judges by what
was heard.

Nothing is remembered between turns: where the trial stands is read from the record, so that a person or a model may
have sat on the bench before. The judge holds names, bench and cause alone; claims, answers and exhibits are known
once they are heard.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from store.search.law_search import LawSearch
from store.text.numerals import int_to_chinese
from tasks.courts.agents.civil.agenda import following
from tasks.courts.agents.civil.case import NAME, OTHER, SIDES, Case, Substance, admitted, hearing, issues, undisputed
from tasks.courts.agents.civil.judgment import judgment
from tasks.courts.agents.own_words import quotable
from tasks.courts.agents.trial.agenda import Due, filled, opening, sitting
from tasks.courts.agents.trial.exhibits import numbered
from tasks.courts.play.routing import shown
from tasks.courts.play.views import CourtView
from tasks.courts.procedure import bench
from tasks.courts.procedure.acts import parse
from tasks.courts.procedure.tables import profile
from tasks.episode.actions import Move, Say

_OBJECTS = re.compile(r"(?<!没)(?<!无)有异议|不符合|无权代理|冒名")

Decide = Callable[[Case], Substance]
"""What decides a case: an expert, or the plain rule on what nobody disputes."""


class CivilJudge:
    """Keeps `law` and `j1`."""

    def __init__(self, search: LawSearch | None = None, decide: Decide = undisputed) -> None:
        del search
        self._decide = decide

    def move(self, view: CourtView) -> Move:
        """One turn of the bench."""
        yield from ()
        case = Case(view)
        if any("判决如下" in text for text in case.court):
            return Say(_other("close"))
        due = following(case, max(1, view.limit - view.turn + 1))
        return Bench(case, due, self._decide).say()


def _other(name: str, **values: str) -> str:
    return filled(hearing()["other"][name], values)


class Bench:
    """The bench of one case at one step."""

    def __init__(self, case: Case, due: Due, decide: Decide) -> None:
        self._case = case
        self._due = due
        self._decide = decide
        self._view = case.view
        self._who = "、".join(NAME[side] for side in due.to) or "双方"

    def say(self) -> Say:
        """The turn."""
        made: Mapping[str, Callable[[], str]] = {
            "recusal": self._recusal, "announce": self._recusal, "default": self._default, "issues": self._issues,
            "exhibit": self._exhibit, "cross": self._cross, "findings": self._findings,
            "deliberate": self._deliberate,
            "judgment": self._judgment,
        }  # fmt: skip
        view, tag = self._view, self._tag()
        lead = f"<{tag}>\n" if view.profile == "j1" and tag else ""
        text = lead + self._opens() + made.get(self._due.step.id, self._asking)()
        if view.own and shown(text) == shown(view.own[-1].text):
            text = _other("again", who=self._who) + text
        return Say(text, tuple(f"{side}_lawyer" for side in self._due.to), stage=tag)

    def _words(self, form: str = "say", **values: str) -> str:
        words = self._due.step.words
        text = words.get(f"{form}_{self._view.profile}", words.get(form, ""))
        return filled(text, {"who": self._who, **values})

    def _asking(self) -> str:
        """The question of a step; of who appears it meets no powers where parties speak for themselves alone."""
        asked = {"identity": self._due.to, "other_identity": [OTHER[side] for side in self._due.to]}
        parties = [self._case.parties.get(side, {}) for side in asked.get(self._due.step.id, ())]
        unaided = parties and not any(one.get("counsel") or one.get("kind") == "company" for one in parties)
        return self._words("alone" if unaided else "say")

    def _opens(self) -> str:
        """Words that open a stage or take one up again, said once."""
        case, step, said = self._case, self._due.step.id, ""
        for side in SIDES:  # a side that gave no opinion on an exhibit though it was asked twice has waived it
            silent = [one.offer.number for one in case.evidence.of(side) if one.silent]
            if named := "、".join(f"证据{int_to_chinese(number)}" for number in silent):
                said += _other("waived", who=NAME[OTHER[side]], other=NAME[side], names=named)
        if step in ("claim", "answer", "exhibit", "cross", "question") and case.reached >= 2:
            said += _other("resume")
        challenges = [case.last(side, "recusal") for side in SIDES]
        if step == "claim" and any("申请" in text and "不" not in text for text in challenges):
            said += _other("recusal_refused")
        return said if any(case.asked(side, step) for side in SIDES) else said + self._words("first")

    def _tag(self) -> str:
        """The stage that a turn opens; empty where it goes on."""
        stages = profile(self._view.profile, "CI").stages
        name = next((one.name for one in stages if one.id == self._due.step.stage), "")
        told = any(f"<{name}>" in turn.text or turn.stage == name for turn in self._view.own)
        return "" if told else name

    # --- opening ----------------------------------------------------------------------------------------------------

    def _recusal(self) -> str:
        """The announcements of the opening as far as they are owed, then the question of 回避."""
        announced, said = self._case.announced, ""
        small = self._case.bench.get("procedure") == "小额诉讼程序"
        if not {"cause", "panel"} <= announced:
            said += self._announcement()
        if "rights" not in announced:
            said += _other("rights", appeal="" if small else "提起上诉，") + (_other("small") if small else "")
        return said + self._words()

    def _default(self) -> str:
        """The consequences of staying away, told once, and whether they are understood."""
        told = any(_other("default") in text for text in self._case.court)
        return ("" if told else _other("default")) + self._words()

    def _announcement(self) -> str:
        case, words = self._case, hearing()["announce"]
        parties = "诉".join(f"{NAME[side]}{case.names[side]}" for side in SIDES)
        known = all(case.answered(side, "identity") for side in SIDES)
        said = (self._admitted() if known else "") + opening(case, words, parties=parties, cause=case.cause)
        procedure = case.bench.get("procedure", "普通程序")
        return said + filled(words["procedure"], {"procedure": procedure}) + sitting(case, words)

    def _admitted(self) -> str:
        """That those who appear may take part, after what each side said to them."""
        told = [self._case.last(side, "other_identity") for side in SIDES]
        if any(_OBJECTS.search(text) for text in told):
            return _other("objected")
        return _other("qualified", none="双方对对方出庭人员均无异议，" if all(told) else "")

    # --- investigation ----------------------------------------------------------------------------------------------

    def _issues(self) -> str:
        first, ask = not self._case.asked("plaintiff", "issues"), self._words()
        listed = [one for one in issues(self._case) if not _acts(one)]
        body = "；".join(f"{int_to_chinese(place)}、{text}" for place, text in enumerate(listed, 1))
        agreed = [one for one in admitted(self._case) if not _acts(one)]
        if agreed and first:
            body += "。" + _other("undisputed", what="、".join(agreed))
        head = "根据双方的诉辩意见，本庭归纳本案的争议焦点如下：" if first else "本案的争议焦点如前所述："
        plain = f"本案的争议焦点是原告的诉讼请求能否成立。{ask}"
        return _safe(f"{head}{body.rstrip('。')}。{ask}", plain, {"issues", "debate"})

    def _exhibit(self) -> str:
        numbers = [one.offer.number for one in self._case.evidence.of(self._due.to[0])]
        following_one = f"（证据{int_to_chinese(max(numbers) + 1)}）" if numbers else ""
        return self._words(self._due.form, next=following_one)

    def _cross(self) -> str:
        other, offers = NAME[OTHER[self._due.to[0]]], [one.offer for one in self._due.about]
        full = "、".join(numbered(one.number, quotable(one.title, 60)) for one in offers)
        plain = "、".join(f"证据{int_to_chinese(one.number)}" for one in offers)
        text, bare = (self._words(other=other, names=names or "出示的证据") for names in (full, plain))
        return _safe(text, bare, {"cross"})

    def _findings(self) -> str:
        text = quotable(self._case.findings, 2000)
        told = any(text[:24] in said for said in self._case.court)
        return self._words("told" if told else "say", text=f"{text}。")

    # --- mediation and judgment -------------------------------------------------------------------------------------

    def _unsettled(self) -> str:
        """That mediation was tried and came to nothing."""
        return _other("no_agreement") if any(self._case.asked(side, "mediate") for side in SIDES) else ""

    def _deliberate(self) -> str:
        return self._words(unsettled=self._unsettled())

    def _judgment(self) -> str:
        panel = "deliberate" in self._case.announced
        lead = self._words("panel" if panel else "say", lead=self._unsettled())
        body = judgment(self._case, self._decide(self._case))
        closing = f"{_other('sent')}\n{_other('close')}"  # 民事诉讼法第一百五十一条第二款
        return f"{lead}\n{body}\n{closing}" + (f"\n{_other('end')}" if self._view.profile == "j1" else "")


def _safe(text: str, plain: str, asks: set[str]) -> str:
    """The text, or the plain one where words of the parties in it would ask for something else, or end the trial."""
    return plain if _acts(text) - asks or bench.closes(text) or bench.speaks_for(text) else text


def _acts(text: str) -> set[str]:
    """The speech acts of words of the parties that would do something in court."""
    idle = ("rights", "cause", "admission", "law", "question")
    return {act.act for act in parse(text, "CI") if act.act not in idle}
