"""The people who seek advice, by rules: somebody with questions of law (KQ, LC), a party that needs a document (CD, DD).

They say nothing but what they hold, in the manner of their traits; the controller owns the order of topics, and the lawyer
the order of questions. Deterministic: words are chosen by case and turn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from store.search.law_search import LawSearch
from tasks.actions import Move, Say
from tasks.courts.flow import CLOSING, TopicCue
from tasks.courts.scores.bigrams import bigrams, recall
from tasks.courts.views import CourtView
from tasks.policies.court.asking import Client
from tasks.policies.court.speech import pick, styled
from tasks.policies.court.told import Teller
from tasks.policies.court.voices import narrative, vague

_LEADS = ("我想问，", "我想请教，", "", "再请问您，")
_AGAIN = ("我没太听明白，", "我还是不大懂，", "您能不能说得再明白一点，")
_ASKED_BACK = re.compile(r"[?？]|吗[。！]?$|请(?:您)?(?:说|讲|告诉|介绍|提供|把)")
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
            return Say(styled(_theme(view, client), view), view.there)
        if topic.kind == "close":
            return Say(_farewell(view), view.there)
        wording = _wording(topic, view)
        if topic.kind == "ask":
            question = f"{pick(_LEADS, view) if len(view.own) > 1 else ''}{wording}"
        else:
            question = f"{pick(_AGAIN, view)}{wording}"
        told = _background(view, str(client.get("background", "")), topic) if view.env == "LC" else []
        return Say(styled([*told, question], view, thanks=len(view.own) % 2 == 1), view.there)


def _theme(view: CourtView, client: Mapping[str, Any]) -> list[str]:
    who, theme = str(client.get("occupation", "")), str(view.held.get("theme", "")).rstrip("。？?")
    opening = f"您好，我是{who}。" if who else "您好。"
    return [opening, f"我想了解这方面的事：{theme}。" if theme else "我有几个法律问题想问。"]


def _wording(topic: TopicCue, view: CourtView) -> str:
    """The question as it stands, other words for it when it has to be put again."""
    said = "\n".join(turn.text for turn in view.own)
    again = [text for text in topic.aliases if text not in said]
    text = topic.question if topic.kind == "ask" or not topic.aliases else pick(again or topic.aliases, view, "alias")
    return text if text.endswith(("？", "?", "。")) else f"{text}？"


def _background(view: CourtView, text: str, topic: TopicCue) -> list[str]:
    """The next part of the story: what the trainee asked for, else what belongs to the question; never all at once."""
    parts = narrative(text)
    said = _plain("\n".join(turn.text for turn in view.own))
    open_parts = [part for part in parts if _plain(part) not in said and _plain(vague(part)) not in said]
    most = min(1 if view.traits.get("extraversion") == "low" else 2, max(1, len(parts) // 2))
    heard = view.asked.text if view.asked else ""
    asked = heard if _ASKED_BACK.search(heard) else ""
    if topic.first:
        chosen = [*parts[:1], *_nearest(parts[1:], topic.question, most - 1)]
    elif asked and (answers := _nearest(parts, asked, 1)):
        return [_rough(part, view, said) for part in answers]
    elif asked and topic.kind == "follow_up" and re.search(r"[?？]", asked):
        return ["这个我不太清楚。"]
    else:
        chosen = _nearest(open_parts, topic.question, most)
    return [_rough(part, view, said) for part in sorted(chosen, key=parts.index)]


def _nearest(parts: Sequence[str], question: str, most: int) -> list[str]:
    asked = bigrams(question)
    ranked = sorted(parts, key=lambda part: -_likeness(asked, part))
    return [part for part in ranked[:most] if _likeness(asked, part) >= _NEAR]


def _likeness(asked: frozenset[str], part: str) -> float:
    """Shared pairs over the shorter of the two."""
    own = bigrams(part)
    return max(recall(asked, own), recall(own, asked))


def _rough(part: str, view: CourtView, said: str) -> str:
    """Somebody who is not conscientious names days and sums roughly at first."""
    if view.traits.get("conscientiousness") != "low" or _plain(vague(part)) in said:
        return part
    return vague(part)


def _farewell(view: CourtView) -> str:
    if view.traits.get("agreeableness") == "low":
        return f"行，我知道了，就问到这儿。{CLOSING}。"
    worry = "心里还是有点担心，不过" if view.traits.get("stability") == "low" else ""
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


def _plain(text: str) -> str:
    return re.sub(r"[\s，。；、！？,.;!?“”]", "", text)
