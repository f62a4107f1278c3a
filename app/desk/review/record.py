"""The record of an ended episode as a scorer reads it: 庭审笔录 with speakers and stages, or question and answer.

Entries carry the number of the utterance they belong to, so that a view can go to the words that a metric is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.court_words import addressees, speaker
from app.desk.episode.renderers import Line, many, one
from app.desk.review.runs import EpisodeReview
from app.strings import t
from tasks.courts.casefile.case import Env
from tasks.courts.casefile.roles import names_of, role_of
from tasks.courts.play.record import shown
from tasks.courts.scores.of_run.rating import CONSISTENCY
from tasks.episode.events import Said, StageEntered, TopicTracked
from tasks.episode.with_tools import SEAT

TOPIC = "topic:"
RULED = "判决如下"


@dataclass(frozen=True, slots=True)
class Entry:
    """One utterance: its lines, and its place among all. A heading stands alone, with a line across; its place is
    -1."""

    lines: tuple[Line, ...]
    place: int = -1
    heading: str = ""


def entries_of(review: EpisodeReview) -> list[Entry]:
    """The record, in order."""
    if review.env is not None:
        return list(_hearing(review, review.env))
    asked, result = str(getattr(review.question, "card", {}).get("question", "")), review.result
    parts = [("event.question", asked, "question"), ("event.answered", result.res, "answer")]
    if result.summary and result.summary != result.res:
        parts.append(("event.summary", result.summary, "text"))
    found: list[Entry] = []
    for place, (name, text, role) in enumerate(parts):
        found += [
            Entry((), -1, t(name)),
            Entry(many(text, role) if text.strip() else (((t("review_screen.nothing_said"), "warn"),),), place),
        ]
    return found


def _hearing(review: EpisodeReview, env: Env) -> Iterator[Entry]:
    """Utterances with the stage they begin above them: what follows from an utterance is recorded after it."""
    events, names = review.events, names_of(review.question.card)
    for place, event in enumerate(events):
        if not isinstance(event, Said):
            continue
        for later in events[place + 1 :]:
            if isinstance(later, Said):
                break
            if isinstance(later, StageEntered):
                yield Entry((), -1, one(later.name))
        to = f" → {one(addressees(event.to, env, names))}" if event.to else ""
        first, *rest = many(shown(event.text))
        yield Entry((((one(speaker(event.seat, env, names)), "seat"), (f"{to}：", "dim"), *first), *rest), place)


def place_of(review: EpisodeReview, metric: str) -> int:
    """The utterance that a metric is about: the reply on a topic, the first words of a role, else the judgment or the
    last words of the tested seat."""
    said = [(place, event) for place, event in enumerate(review.events) if isinstance(event, Said)]
    if metric.startswith(TOPIC):
        topic = metric.removeprefix(TOPIC)
        tracked = [
            place
            for place, event in enumerate(review.events)
            if isinstance(event, TopicTracked) and topic in (event.pointer, event.topic)
        ]
        return max((place for place, _ in said if tracked and place < tracked[0]), default=-1)
    if metric.startswith(CONSISTENCY) and review.env is not None:
        role = metric.removeprefix(CONSISTENCY)
        return next((place for place, event in said if role_of(review.env, event.seat) == role), -1)
    own = [(place, event) for place, event in said if event.seat == SEAT]
    judged = [place for place, event in own if RULED in event.text]
    return max(judged or [place for place, _ in own], default=1 if review.env is None else -1)
