"""The public record of a court episode, read from its events: who said what to whom, and what the tracker made of
it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tasks.courts.casefile.case import Env
from tasks.courts.casefile.roles import role_of
from tasks.courts.environment import Role, environment
from tasks.courts.play.tracking import TopicTurn, Tracked
from tasks.courts.procedure.acts import addressed
from tasks.courts.procedure.model import SIDES, Turn, speaker_of
from tasks.episode.actions import Say
from tasks.episode.events import Event, Said, TopicTracked


def spoken(events: Iterable[Event], env: Env) -> tuple[Turn, ...]:
    """What was said, in order; speakers and addressees by role."""
    return tuple(
        Turn(event.turn, role_of(env, event.seat), event.to, event.text, event.stage, event.unfinished, event.fault)
        for event in events
        if isinstance(event, Said)
    )


def topic_turns(events: Iterable[Event]) -> tuple[TopicTurn, ...]:
    """The exchanges on topics: what was asked, the reply before the tracker's word, what was read in it."""
    found: list[TopicTurn] = []
    said = Said(seat="", text="")
    for event in events:
        if isinstance(event, Said):
            said = event
        elif isinstance(event, TopicTracked):
            tracked = Tracked(event.topic, event.answered, event.verdict, event.quote, event.made_by)
            found.append(TopicTurn(event.pointer, said.text, tracked, said.turn, said.fault))
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


_ALL = re.compile(r"(?:双方|控辩|各方)(?:当事人|委托诉讼代理人|代理人)?")
_MARKER = re.compile(r"对(?:原告|被告当事人|被告辩护人|被告|公诉机关)说[：:，,]?\s*")
_TAG = re.compile(r"<\s*/?\s*(?:开庭审理|法庭调查|庭审辩论|法庭辩论|法庭调解|评议宣判|最后陈述|结束庭审)\s*>\s*")


def marked(text: str, env: Env) -> tuple[Role, ...]:
    """The roles whose markers stand in a text, in the order of precedence."""
    return tuple(role for marker, role in environment(env).markers.items() if marker in text)


def strict(text: str, env: Env) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
    """The one role that the published routing reaches, and those that it drops."""
    found = marked(text, env)
    return found[:1], found[1:]


def by_words(text: str, env: Env) -> tuple[Role, ...]:
    """The roles that the words of a text speak to: a marker, 请原告…, 双方当事人; () where none is addressed."""
    if env not in ("CI", "CR"):
        return ()
    if found := marked(text, env):
        return found
    if env == "CI" and _ALL.search(text):
        return environment(env).both
    called = addressed(text, "CI" if env == "CI" else "CR")
    found = tuple(speaker_of(env, side) for side in SIDES[env] if side in called)
    return found or (environment(env).both if _ALL.search(text) else ())


def known(to: Sequence[str], speaker: Role, there: Sequence[Role]) -> tuple[tuple[Role, ...], tuple[str, ...]]:
    """The addressees that are there, each once, and the rest; nobody speaks to himself."""
    wanted = tuple(dict.fromkeys(to))
    return (
        tuple(role for role in wanted if role in there and role != speaker),
        tuple(role for role in wanted if role not in there),
    )


def addressed_by_marker(say: Say, role: Role, env: Env) -> Say:
    """An utterance of a judge by rules as the published layout has it: the marker stands in the text and routes
    it."""
    marker = next((marker for marker, one in environment(env).markers.items() if one == role), "")
    tags = "".join(match[0] for match in _TAG.finditer(say.text))
    bare = _TAG.sub("", say.text)
    return replace(say, text=f"{tags}{marker}：{bare}" if marker not in say.text else say.text, routed="marker")


def shown(text: str) -> str:
    """A text as it is read out: without markers of address and tags of stages."""
    return _MARKER.sub("", _TAG.sub("", text)).strip()
