"""Seats of the courts without rules or model: `gold`, by explicit grant of the case, what a perfect agent would score
(the ceiling); `echo`, a fixed formula in every turn, whatever was said (the floor); a person.

Gold has answers, documents and judgments as the case has them, and keeps the agenda as the rules do. Whatever scores
above the echo has done something. What a person types is said aloud; whom it reaches is read from its words: @原告
@被告 @公诉人 @被告人 @辩护人 at the beginning name the addressee outright, and the marker is not said. /法条 词语
searches the statutes where the seat has tools.
"""

from __future__ import annotations

import re
from typing import Any

from models.engine import Ask, Message
from tasks.courts.agents.registry import loaded
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase, Env
from tasks.courts.environment import Role, environment
from tasks.courts.play.record import by_words, shown
from tasks.courts.play.view import CourtPolicy, CourtRules, CourtView
from tasks.courts.scores.bigrams import bigrams, f1
from tasks.courts.scores.drafted import FLOOR_REPLY, Kind, ceiling_document, floor_document, with_end_mark
from tasks.courts.scores.judgment import FORMULA, gold_text
from tasks.courts.scores.topics import FLOOR_REPLY as ADVICE
from tasks.courts.scores.topics import ceiling_reply
from tasks.episode.seats import CallTool, Move, Say, ask

QUESTIONS = ("请您介绍一下双方的基本情况。", "请您说明事情的经过，以及手里有哪些证据。")
"""What the drafter asks before the document."""
_NEAR = 0.3
"""From this likeness on a question is that of a topic."""
_REASONS = re.compile(r"本院认为")
_UNDECIDED = (
    (
        re.compile(r"本规则席位不就争议作裁判，(?:无法认定其证明力，本院)?不予采信"),
        "在裁判理由中一并评判，不予单独采信",
    ),
    (re.compile(r"本规则席位(?:不就争议作裁判，对有争议的事实)?不作认定"), "见裁判理由"),
)
"""What the rules leave undecided before the reasons -> that the reasons say it."""
_OWED = (
    ("受理费", r"[^\n。]*受理费[^\n]*"),
    ("不服", r"[^\n]*不服[^\n]*"),
    ("终审判决", r"[^\n]*(?:终审判决|一审终审)[^\n]*"),
)
"""What a judgment ends with where the gold leaves it out: the word that shows it is there, and the line it stands
in."""
_DRAFTS: dict[Env, Kind] = {"CD": "CD", "DD": "DD"}


class GoldTrainee(CourtRules):
    """Answers the question that was asked with its gold."""

    def __init__(self, case: Case) -> None:
        assert isinstance(case, AdviceCase)
        self._topics = case.topics

    def _speak(self, view: CourtView) -> Say:
        asked = bigrams(view.asked.text if view.asked else "")
        likeness = [
            max(f1(bigrams(text), asked) for text in (topic.question, *topic.aliases)) for topic in self._topics
        ]
        held = [len(bigrams(topic.question) & asked) / max(1, len(bigrams(topic.question))) for topic in self._topics]
        scores = [max(pair) for pair in zip(likeness, held, strict=True)]
        best = max(range(len(scores)), key=scores.__getitem__)
        if scores[best] < _NEAR:
            return Say("您好，请您说说具体情况，想问什么问题？", view.there)
        return Say(ceiling_reply(self._topics[best]), view.there)


class GoldDrafter(CourtRules):
    """Asks twice, then hands in the document with everything that the client can tell."""

    def __init__(self, case: Case) -> None:
        assert isinstance(case, CivilCase)
        self._document = with_end_mark(ceiling_document(case))

    def _speak(self, view: CourtView) -> Say:
        asked = view.turn - 1
        last = asked >= len(QUESTIONS) or view.turn >= view.limit
        return Say(self._document if last else QUESTIONS[asked], view.there)


class GoldSpeaker(CourtRules):
    """Says what its environment holds to be perfect, turn by turn; then the last of it again."""

    def __init__(self, case: Case) -> None:
        perfect = environment(case.env).perfect
        assert perfect is not None
        self._says = tuple(perfect(case))

    def _speak(self, view: CourtView) -> Say:
        return Say(self._says[min(len(view.own), len(self._says) - 1)], view.there)


class GoldJudge:
    """Keeps the procedure as the rules do and gives the judgment of the gold: written before the hearing, it answers
    to nothing that is said today, and screens say so."""

    def __init__(self, case: Case) -> None:
        assert isinstance(case, CivilCase | CriminalCase)
        self._gold = gold_text(case)
        here = environment(case.env)
        self._rules: CourtPolicy = loaded(here.seats[here.tested].rules)(None)

    def move(self, view: CourtView) -> Move:
        """The utterance of the rules; of a judgment its reasons and rulings are the gold's."""
        said: Any = yield from self._rules.move(view)
        if isinstance(said, CallTool) or not isinstance(said, Say) or "判决如下" not in said.text:
            return said  # type: ignore[no-any-return]
        begins = _REASONS.search(said.text)
        before = said.text[: begins.start()] if begins else ""
        for undecided, instead in _UNDECIDED:
            before = undecided.sub(instead, before)
        after = said.text[said.text.index("判决如下") :]
        owed = [match[0] for word, line in _OWED if word not in self._gold and (match := re.search(line, after))]
        closing = re.findall(r"(?:现在)?闭庭[^\n]*|<结束庭审>", after)
        return Say(
            "\n".join([before.rstrip(), self._gold, *owed, *closing]).strip(), said.to, said.stage, said.routed
        )


class EchoSeat(CourtRules):
    """Says the formula of its environment; a lawyer asks once and hands in the empty form, a judge judges at once."""

    def _speak(self, view: CourtView) -> Say:
        if kind := _DRAFTS.get(view.env):
            return Say(FLOOR_REPLY if view.turn == 1 else with_end_mark(floor_document(kind)), view.there)
        if view.here.trial:
            return Say(f"{FORMULA[view.env]}\n现在闭庭。")
        return Say(ADVICE, view.there)


PROMPT = "court-human/1"
LAST = 6
"""Utterances that are shown again with the question."""
_AT = re.compile(r"\s*@(?P<name>[^\s@：:，,]{2,4})[\s：:，,]*")
_SEARCH = re.compile(r"\s*/(?:法条|law)\s+(?P<query>\S[^\n]*)")


def names_at(env: Env) -> dict[str, tuple[Role, ...]]:
    """Who may be named behind an @, the tested seat last."""
    here = environment(env)
    found = {name: (role,) for role in here.others for name in here.seats[role].at}
    return {
        **found,
        **dict.fromkeys(here.all_at, here.both),
        **dict.fromkeys(here.seats[here.tested].at, (here.tested,)),
    }


class HumanSeat:
    """Puts what was said last to the person in the seat."""

    name = PROMPT

    def move(self, view: CourtView) -> Move:
        """One utterance, or a search, as typed."""
        heard = [Message("user", f"{view.called(turn.speaker)}：{shown(turn.text)}") for turn in view.record[-LAST:]]
        reply = yield from ask(Ask(view.seat, tuple(heard) or (Message("user", "请发言。"),), prompt=PROMPT))
        if (search := _SEARCH.fullmatch(reply.text.rstrip())) and "search_law" in view.tools:
            return CallTool("search_law", {"query": search["query"].strip()})
        return spoken(reply.text, view)


def spoken(text: str, view: CourtView) -> Say:
    """What was typed as an utterance; of a judge the words tell whom it reaches, others speak to the court."""
    to: list[Role] = []
    rest = text
    while (match := _AT.match(rest)) and (named := names_at(view.env).get(match["name"])):
        to += named
        rest = rest[match.end() :]
    if to:
        return Say(rest.strip(), tuple(to), routed="marker")
    if view.here.trial and view.role == "judge":
        found = by_words(text, view.here)
        return Say(text.strip(), found, routed="words" if found else "")
    return Say(text.strip(), routed="")
