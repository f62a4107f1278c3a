"""The seat of the topic tracker: a model under grammar, or the rules; a model that cannot be understood is replaced
by them."""

from __future__ import annotations

from collections.abc import Generator

from models.engine import Message, Settings
from tasks.courts.casefile.case import AdviceCase
from tasks.courts.play.tracking import PROMPT, Tracked, read_tracker, track_by_rules, tracker_schema, tracker_text
from tasks.episode.actions import Sent, Yield, emit
from tasks.episode.events import TopicTracked
from tasks.episode.plain import plain_text
from tasks.episode.structured import structured

RULES, MODEL = "tracker-rules/1", "tracker/1"
PROMPTS = (PROMPT, "law-phrases/1")
SETTINGS = Settings(max_tokens=600)


def track(case: AdviceCase, pointer: str, reply: str, policy: str, parent: int) -> Generator[Yield, Sent, Tracked]:
    """What the reply says on the topic that was asked, recorded with the utterance as its cause."""
    made = track_by_rules(case, pointer, reply)
    if policy == MODEL:
        messages = (Message("user", tracker_text(case, pointer, reply)),)
        value = yield from structured("tracker", messages, PROMPT, tracker_schema(case), SETTINGS, parent)
        made = made if value is None else read_tracker(value, case, reply)
    event = TopicTracked(
        seat="tracker", pointer=pointer, topic=made.topic_id, answered=made.answered, verdict=made.verdict,
        quote=plain_text(made.quote), made_by=made.made_by,
    )  # fmt: skip
    yield from emit(event, parent)
    return made
