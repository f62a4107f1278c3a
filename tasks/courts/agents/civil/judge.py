"""The judge of a civil trial of first instance by rules: keeps the procedure, hears both sides, and judges by what
was heard.

Nothing is remembered between turns: where the trial stands is read from the record, so that a person or a model may
have sat on the bench before. The judge holds names, bench and cause alone; claims, answers and exhibits are known
once they are heard.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from store.search.law_search import LawSearch
from store.text.numerals import int_to_chinese
from tasks.courts.agents.civil import undisputed
from tasks.courts.agents.civil.agenda import Needs, Step, next_step
from tasks.courts.agents.civil.asks import acts_of, bench_words
from tasks.courts.agents.civil.case import Case, Substance
from tasks.courts.agents.civil.heard import numbered
from tasks.courts.agents.civil.issues import admitted, issues
from tasks.courts.agents.civil.judgment import judgment
from tasks.courts.agents.civil.trial import OTHER, SIDES, Trial, read
from tasks.courts.agents.civil.weighing import weigh
from tasks.courts.agents.quoting import quotable
from tasks.courts.casefile.material import collegial
from tasks.courts.play.routing import shown
from tasks.courts.play.views import CourtView
from tasks.courts.procedure import bench
from tasks.courts.procedure.tables import profile
from tasks.courts.procedure.turns import Side
from tasks.episode.actions import Move, Say

ROLE: Mapping[Side, str] = {"plaintiff": "plaintiff_lawyer", "defendant": "defendant_lawyer"}
NAME: Mapping[Side, str] = {"plaintiff": "原告", "defendant": "被告"}
_STAGE: Mapping[str, str] = {
    "identity": "opening", "other_identity": "opening", "recusal": "opening", "claim": "investigation", "answer": "investigation",
    "exhibit": "investigation", "cross": "investigation", "findings": "investigation", "question": "investigation",
    "debate": "debate", "final": "debate", "mediate": "mediation", "terms": "mediation",
}  # fmt: skip
"""Step -> the stage that it opens; under `j1` the issues open the debate."""


Decide = Callable[[Case], Substance]
"""What decides a case: an expert, or the plain rule on what nobody disputes."""


class CivilJudge:
    """Keeps `law` and `j1`."""

    def __init__(self, search: LawSearch | None = None, decide: Decide = undisputed.judge) -> None:
        del search
        self._decide = decide

    def move(self, view: CourtView) -> Move:
        """One turn of the bench."""
        yield from ()
        return Bench(view, self._decide).say()


class Bench:
    """The bench of one case at one moment."""

    def __init__(self, view: CourtView, decide: Decide) -> None:
        self._view = view
        self._decide = decide
        self._court: Mapping[str, Any] = view.held.get("court", {})
        self._parties = {one["side"]: one for one in reversed(view.held.get("parties", ()))}
        self._trial: Trial = read(view.record, {side: self._names(side) for side in SIDES})
        self._case = self._heard()

    def _names(self, side: Side) -> Sequence[str]:
        party = self._parties.get(side, {})
        names = (party.get("name"), party.get("representative"), party.get("counsel", {}).get("name"))
        return [name for name in names if name]

    def _heard(self) -> Case:
        claims = self._trial.claims
        return Case(
            self._trial, self._view.held.get("cause", ""),
            {side: self._parties.get(side, {}).get("name", "") for side in SIDES},
            self._court.get("third_party_findings", ""), self._view.day, weigh(self._trial), claims,
            self._trial.points(claims),
        )  # fmt: skip

    def say(self) -> Say:
        """The next turn."""
        view = self._view
        left = max(1, view.limit - view.turn + 1)
        needs = Needs(view.profile, self._case.cause, collegial(self._court), self._case.findings, left)
        step = next_step(self._trial, needs)
        text = self._worded(step)
        if view.own and shown(text) == shown(view.own[-1].text):
            text = self._fill("again", who=self._who(step.sides)) + text
        return Say(text, tuple(ROLE[side] for side in step.sides), stage=self._tag(step))

    # --- words --------------------------------------------------------------------------------------------------------

    def _worded(self, step: Step) -> str:
        made = {
            "recusal": self._recusal, "default": self._default, "issues": self._issues, "exhibit": self._exhibit, "cross": self._cross,
            "findings": self._findings, "deliberate": self._deliberate, "judgment": self._judgment,
            "close": self._close,
        }  # fmt: skip
        part = "alone" if self._unaided(step) else "ask"
        body = made[step.kind](step) if step.kind in made else self._line(step.kind, part, who=self._who(step.sides))
        opened = self._opens(step)
        tag = self._tag(step)
        lead = f"<{tag}>\n" if self._view.profile == "j1" and tag else ""
        return f"{lead}{opened}{body}"

    def _unaided(self, step: Step) -> bool:
        """Whether a question of who appears meets nobody but parties themselves: there are no powers to ask for."""
        asked = {"identity": step.sides, "other_identity": tuple(OTHER[side] for side in step.sides)}.get(
            step.kind, ()
        )
        return bool(asked) and not any(
            self._parties.get(side, {}).get("counsel") or self._parties.get(side, {}).get("kind") == "company"
            for side in asked
        )

    def _line(self, kind: str, part: str = "ask", **words: str) -> str:
        table = bench_words()[kind]
        text: str = {**table, **table.get(self._view.profile, {})}.get(part, "")
        return text.format(**words)

    def _fill(self, name: str, **words: str) -> str:
        text: str = bench_words()[name]
        return text.format(**words)

    def _who(self, sides: Sequence[Side]) -> str:
        return "、".join(NAME[side] for side in sides) or "双方"

    def _opens(self, step: Step) -> str:
        """Words that open a stage or take one up again, said once."""
        said = self._waived()
        if step.kind in ("claim", "answer", "exhibit", "cross", "question") and self._trial.reached >= 2:
            said += self._fill("resume")
        if step.kind == "claim" and any("申请" in text and "不" not in text for text in self._recusals()):
            said += self._fill("recusal_refused")
        if (
            step.kind in bench_words()
            and step.kind != "exhibit"
            and not any(self._trial.asked[step.kind, side] for side in SIDES)
        ):
            said += self._line(step.kind, "first")
        if (
            self._view.profile == "j1"
            and step.kind == "issues"
            and not any(self._trial.asked["issues", s] for s in SIDES)
        ):
            said += "法庭调查结束，现在进行庭审辩论。"
        return said

    def _waived(self) -> str:
        """That a side which gave no opinion on an exhibit though it was asked twice is held to have waived it."""
        said = ""
        for side in SIDES:
            if named := "、".join(f"证据{int_to_chinese(one.number)}" for one in self._trial.silent_on(side)):
                said += self._fill("waived", who=NAME[OTHER[side]], other=NAME[side], names=named)
        return said

    def _recusals(self) -> list[str]:
        return [self._trial.last("recusal", side) for side in SIDES]

    def _tag(self, step: Step) -> str:
        """The stage that a turn opens; empty where it goes on."""
        stage = "debate" if step.kind == "issues" and self._view.profile == "j1" else _STAGE.get(step.kind, "")
        if not stage or (stage == "opening" and step.kind != "identity"):
            return ""
        name = next(one.name for one in profile(self._view.profile, "CI").stages if one.id == stage)
        told = any(f"<{name}>" in turn.text or turn.stage == name for turn in self._view.own)
        return "" if told else name

    # --- opening ------------------------------------------------------------------------------------------------------

    def _recusal(self, step: Step) -> str:
        """The announcements of the opening as far as they are owed, then the question of 回避."""
        announced, who = self._trial.announced, self._who(step.sides)
        said = []
        if "cause" not in announced or "panel" not in announced:
            said.append(self._announcement())
        rights = bench_words()["rights"]
        small = self._court.get("procedure") == "小额诉讼程序"
        if "rights" not in announced:
            said.append(rights["law"].format(appeal="" if small else "提起上诉，"))
            said += [rights["small"]] if small else []
        if step.sides:
            said.append(self._line("recusal", who=who))
        return "".join(said)

    def _default(self, step: Step) -> str:
        """The consequences of staying away, told once, and whether they are understood."""
        rights, who = bench_words()["rights"], self._who(step.sides)
        told = any(rights["default"] in text for text in self._trial.court)
        return ("" if told else str(rights["default"])) + str(rights["default_ask"]).format(who=who)

    def _announcement(self) -> str:
        court, held = self._court, self._view.held
        parties = [f"{NAME[side]}{self._case.names[side]}" for side in SIDES]
        public = "公开开庭" if court.get("public", True) else "不公开开庭"
        reason = (
            f"，不公开审理的理由是{quotable(court['closed_reason'], 60)}"
            if court.get("closed_reason") and not court.get("public", True)
            else ""
        )
        known = all(("identity", side) in self._trial.answered for side in SIDES)
        return (
            f"{self._admitted() if known else ''}"
            f"{court.get('name') or '本院'}今天{public}审理{'诉'.join(parties)}{held.get('cause', '')}一案{reason}。"
            f"本案适用{court.get('procedure', '普通程序')}，{self._members()}。"
        )

    def _admitted(self) -> str:
        """That those who appear may take part, after what each side said to them."""
        told = [self._trial.last("other_identity", side) for side in SIDES]
        if any(_OBJECTS.search(text) for text in told):
            return self._fill("objected")
        return self._fill("qualified", none="双方对对方出庭人员均无异议，" if all(told) else "")

    def _members(self) -> str:
        court = self._court
        presiding = court.get("presiding", {}).get("name", "")
        clerk = f"，书记员{court['clerk']}担任记录" if court.get("clerk") else "，由书记员担任记录"
        panel = [f"{one.get('title', '')}{one['name']}" for one in court.get("panel", ())]
        if panel:
            return f"由审判员{presiding}担任审判长，与{'、'.join(panel)}组成合议庭{clerk}"
        if collegial(court):
            return f"依法组成合议庭审理{f'，审判员{presiding}担任审判长' if presiding else ''}{clerk}"
        return f"不组成合议庭，由审判员{presiding}独任审理{clerk}"

    # --- investigation ------------------------------------------------------------------------------------------------

    def _issues(self, step: Step) -> str:
        listed = [one for one in issues(self._case) if not _acts(one)]
        head = (
            "根据双方的诉辩意见，本庭归纳本案的争议焦点如下："
            if not self._trial.asked["issues", SIDES[0]]
            else "本案的争议焦点如前所述："
        )
        body = "；".join(f"{int_to_chinese(place)}、{text}" for place, text in enumerate(listed, 1))
        ask = self._line("issues", who=self._who(step.sides))
        agreed = [one for one in admitted(self._case) if not _acts(one)]
        if agreed and not self._trial.asked["issues", SIDES[0]]:
            body += "。" + self._fill("undisputed", what="、".join(agreed))
        return self._safe(
            f"{head}{body.rstrip('。')}。{ask}",
            f"本案的争议焦点是原告的诉讼请求能否成立。{ask}",
            {"issues", "debate"},
        )

    def _exhibit(self, step: Step) -> str:
        side = step.sides[0]
        mine = self._trial.of(side)
        if step.rest:
            return self._line("exhibit", "rest", who=NAME[side])
        if not mine:
            first = not any(self._trial.asked["exhibit", one] for one in SIDES)
            return self._line("exhibit", "first" if first else "none", who=NAME[side])
        number = max(offer.number for offer in mine) + 1
        return self._line("exhibit", who=NAME[side], next=f"（证据{int_to_chinese(number)}）")

    def _cross(self, step: Step) -> str:
        who, other = NAME[step.sides[0]], NAME[OTHER[step.sides[0]]]
        if not step.offers:
            return self._line("cross", who=who, other=other, names="出示的证据")
        full = "、".join(numbered(one.number, quotable(one.title, 60)) for one in step.offers)
        plain = "、".join(f"证据{int_to_chinese(one.number)}" for one in step.offers)
        return self._safe(
            self._line("cross", who=who, other=other, names=full),
            self._line("cross", who=who, other=other, names=plain), {"cross"},
        )  # fmt: skip

    def _findings(self, step: Step) -> str:
        text = quotable(self._case.findings, 2000)
        who = self._who(step.sides)
        told = any(text[:24] in said for said in self._trial.court)
        body = self._line("findings", text=text + "。", who=who)
        return body if not told else f"对本院依职权了解并已说明的情况，{who}有何意见？"

    # --- mediation and judgment ---------------------------------------------------------------------------------------

    def _close(self, step: Step) -> str:
        return str(bench_words()["judgment"]["close"])

    def _deliberate(self, step: Step) -> str:
        return self._unsettled() + str(bench_words()["deliberate"]["text"])

    def _unsettled(self) -> str:
        """That mediation was tried and came to nothing."""
        return self._fill("no_agreement") if any(self._trial.asked["mediate", side] for side in SIDES) else ""

    def _judgment(self, step: Step) -> str:
        collegial = "deliberate" in self._trial.announced
        lead = "" if collegial else self._unsettled()
        lead += bench_words()["judgment"]["collegial" if collegial else "sole"]
        end = f"\n{bench_words()['judgment']['end']}" if self._view.profile == "j1" else ""
        body = judgment(self._case, self._view.held, self._decide(self._case))
        return f"{lead}\n{body}\n{bench_words()['judgment']['close']}{end}"

    def _safe(self, text: str, plain: str, asks: set[str]) -> str:
        """The text, or the plain one where words of the parties in it would ask for something else, or end the
        trial."""
        return plain if _acts(text) - asks or bench.closes(text) or bench.speaks_for(text) else text


def _acts(text: str) -> set[str]:
    """The speech acts of words of the parties that would do something in court."""
    return {act.act for act in acts_of(text) if act.act not in ("rights", "cause", "admission", "law", "question")}


_OBJECTS = re.compile(r"(?<!没)(?<!无)有异议|不符合|无权代理|冒名")
