"""The public record of a court episode, read from its events: who said what to whom, and what the tracker made of
it."""

from __future__ import annotations

from collections.abc import Iterable

from tasks.courts.casefile.case import Env
from tasks.courts.casefile.roles import procedural, role_of
from tasks.courts.play.tracking import TopicTurn, Tracked
from tasks.courts.procedure.turns import Turn
from tasks.episode.events import Event, Said, TopicTracked


def spoken(events: Iterable[Event], env: Env) -> tuple[Turn, ...]:
    """What was said, in order; speakers and addressees by role."""
    return tuple(
        Turn(event.turn, role_of(env, event.seat), event.to, event.text, event.stage, event.unfinished)
        for event in events
        if isinstance(event, Said)
    )


def for_procedure(turns: Iterable[Turn], env: Env) -> tuple[Turn, ...]:
    """The same turns with the roles of the procedure."""
    return tuple(
        Turn(t.number, procedural(env, t.speaker), tuple(procedural(env, role) for role in t.to), t.text, t.stage)
        for t in turns
    )


def topic_turns(events: Iterable[Event]) -> tuple[TopicTurn, ...]:
    """The exchanges on topics: what was asked, the reply before the tracker's word, what was read in it."""
    found: list[TopicTurn] = []
    reply, turn = "", 0
    for event in events:
        if isinstance(event, Said):
            reply, turn = event.text, event.turn
        elif isinstance(event, TopicTracked):
            tracked = Tracked(event.topic, event.answered, event.verdict, event.quote, event.made_by)
            found.append(TopicTurn(event.pointer, reply, tracked, turn))
    return tuple(found)


def topics_before(events: Iterable[Event]) -> tuple[int, ...]:
    """For each turn of the record how many exchanges on topics were over when it was made."""
    counts: list[int] = []
    over = 0
    for event in events:
        if isinstance(event, Said):
            counts.append(over)
        over += isinstance(event, TopicTracked)
    return tuple(counts)
