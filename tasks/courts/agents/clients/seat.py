"""The people who seek advice, by rules: somebody with questions of law (KQ, LC), a party that needs a document (CD,
DD).

They say nothing but what they hold, in the manner of their traits; the controller owns the order of topics, and the
lawyer the order of questions. Deterministic: words are chosen by case and turn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from store.search.law_search import LawSearch
from tasks.courts.agents.clients.speech import addressing, pick, styled, unsaid
from tasks.courts.agents.clients.told import Teller
from tasks.courts.agents.clients.voices import bare, narrative, vague
from tasks.courts.environment import TopicCue
from tasks.courts.play.flow import CLOSING
from tasks.courts.play.views import CourtView
from tasks.courts.scores.bigrams import bigrams, recall
from tasks.courts.simulated.asking import Client
from tasks.episode.actions import Move, Say

_LEADS = ("", "我想问，", "", "我想请教，", "再请问您，", "")
_AGAIN = ("我没太听明白，", "我还是不大懂，", "您能不能说得再明白一点，")
_HEARD = ("哦，是这样。我先前还不知道。", "行，我记下了。这下心里有数了。", "原来如此。这我可没想到。")
_ASKED_BACK = re.compile(r"[?？]|吗[。！]?$|请(?:您)?(?:说|讲|告诉|介绍|提供|把)")
_COUNTERED = re.compile(r"想先跟您核实|请您先(?:说|讲|告诉)|先确认一下|请问您[^。]{0,60}[？?]$")
_ENDS_ASKING = re.compile(r"[?？]\s*$")
_NUMBERS = re.compile(r"\d{2,}")
_MOST = 3
"""Sentences of the story in one turn."""
_NEAR = 0.25
"""A part of the background answers a question when it has so much of it."""


class AskingClient:
    """Puts the topic that the controller gives; in LC tells the background bit by bit."""

    def __init__(self, search: LawSearch | None = None) -> None:
        del search

    def move(self, view: CourtView) -> Move:
        """One utterance."""
        yield from ()
        topic = view.topic or TopicCue("close")
        client = view.held.get("client", {})
        if topic.kind == "theme":
            return Say(_putting(_opening(client), _theme(view), view), view.there)
        if topic.kind == "close":
            return Say(_farewell(view), view.there)
        countered = bool(_COUNTERED.search(view.asked.text)) if view.asked else False
        wording = _wording(topic, view)
        told = _background(view, str(client.get("background", "")), topic) if view.env == "LC" else []
        if topic.kind == "ask":
            lead = pick(_LEADS, view) if len(view.own) > 1 else ""
        else:
            lead = "" if countered else unsaid(_AGAIN, view)
        return Say(_putting(told, f"{lead}{wording}", view), view.there)


def _putting(told: Sequence[str], question: str, view: CourtView) -> str:
    """What is told in the manner of its speaker, then the question; who likes to talk says that the answer was
    heard."""
    if not told and len(view.own) > 1 and view.traits.get("extraversion") == "high":
        told = [pick(_HEARD, view, "heard")]
    return styled(told, view, thanks=len(view.own) > 1) + addressing(question, view)


def _opening(client: Mapping[str, Any]) -> list[str]:
    who = str(client.get("occupation", ""))
    return [f"您好，我是{who}。" if who else "您好。"]


def _theme(view: CourtView) -> str:
    theme = str(view.held.get("theme", "")).rstrip("。？?")
    return f"我想了解这方面的事：{theme}。" if theme else "我有几个法律问题想问。"


def _wording(topic: TopicCue, view: CourtView) -> str:
    """The question as it stands, other words for it when it has to be put again."""
    said = "\n".join(turn.text for turn in view.own)
    again = [text for text in topic.aliases if text not in said]
    text = topic.question if topic.kind == "ask" or not topic.aliases else pick(again or topic.aliases, view, "alias")
    return text if text.endswith(("？", "?", "。")) else f"{text}？"


def _background(view: CourtView, text: str, topic: TopicCue) -> list[str]:
    """The next part of the story, in the order of events: what belongs to the question comes with it, never all at
    once.

    What the trainee asked for comes first; otherwise the story goes on evenly over the questions that are left.
    """
    parts = narrative(text)
    said = bare("\n".join(turn.text for turn in view.own))
    open_parts = [part for part in parts if bare(part) not in said and bare(vague(part)) not in said]
    heard = view.asked.text if view.asked else ""
    if topic.kind == "follow_up":
        asked = heard if _ASKED_BACK.search(heard) else ""
        answers = _nearest(parts, asked, 1) if asked else []
        return [_rough(part, view, said, topic) for part in answers] or (["这个我不太清楚。"] if asked else [])
    asked = heard if _COUNTERED.search(heard) or (topic.kind == "ask" and _ENDS_ASKING.search(heard)) else ""
    if asked and not topic.first and (answers := _nearest(parts, asked, 1)):
        return [_rough(part, view, said, topic) for part in answers]
    return [_rough(part, view, said, topic) for part in _portion(view, parts, open_parts, topic)]


def _portion(view: CourtView, parts: Sequence[str], left: Sequence[str], topic: TopicCue) -> list[str]:
    """The story as far as the question needs it, at least an even share, at most half of it."""
    order = [str(one.get("id", "")) for one in view.held.get("topics", ())]
    ahead = len(order) - order.index(topic.id) if topic.id in order else 1
    share = -(-len(left) // max(1, ahead)) if left else 0
    near = _nearest(left, topic.question, 1)
    reach = left.index(near[0]) + 1 if near else 0
    most = max(1, min(_MOST, len(parts) // 2))
    told = list(left[: min(max(share, reach), most)])
    # What the question is about may lie too far ahead: then it follows the rest before its turn.
    return told if not near or near[0] in told else [*told[: most - 1], *near]


def _nearest(parts: Sequence[str], question: str, most: int) -> list[str]:
    asked = bigrams(question)
    ranked = sorted(parts, key=lambda part: -_likeness(asked, part))
    return [part for part in ranked[:most] if _likeness(asked, part) >= _NEAR]


def _likeness(asked: frozenset[str], part: str) -> float:
    """Shared pairs over the shorter of the two."""
    own = bigrams(part)
    return max(recall(asked, own), recall(own, asked))


def _rough(part: str, view: CourtView, said: str, topic: TopicCue) -> str:
    """Somebody who is not conscientious names days and sums roughly at first, but not those that the question
    names."""
    named = set(_NUMBERS.findall(topic.question)) & set(_NUMBERS.findall(part))
    if view.traits.get("conscientiousness") != "low" or bare(vague(part)) in said or named:
        return part
    return vague(part)


def _farewell(view: CourtView) -> str:
    if view.traits.get("agreeableness") == "low":
        return f"行，我知道了，就问到这儿。{CLOSING}。"
    worry = "心里还是有点担心，不过" if view.traits.get("stability") == "low" and view.env == "LC" else ""
    return f"{worry}我都明白了，谢谢您。{CLOSING}。"


class TellingClient:
    """Answers the lawyer who drafts a complaint or a defence."""

    def __init__(self, search: LawSearch | None = None) -> None:
        del search

    def move(self, view: CourtView) -> Move:
        """One answer."""
        yield from ()
        side: Client = "plaintiff" if view.role == "plaintiff" else "defendant"
        asked = view.asked.text if view.asked else ""
        return Say(styled(Teller(view, side).answers(asked), view), view.there)
