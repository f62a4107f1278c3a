"""What the cache of replies takes and keeps: only what would be the same, and whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from models.engine import Ask, Finish, Message, Reply, SamplingSettings, TokenChance, ToolCall, Usage
from models.scripted import Script, ScriptedEngine
from store.cache import Cache
from tasks.run.opened import CachedReplies

SPEC = "scripted:x"
ASK = Ask("agent", (Message("user", "问"),), "talk/1")
REPLY = Reply(
    "答",
    Usage(5, 3, 2, 81.5, "fresh", 4, 1),
    reasoning="想",
    tokens=(7, 8),
    logprobs=(TokenChance("答", -0.25, (("答", -0.25), ("问", -1.5))),),
    entropies=(0.5, 0.25),
    note="短",
    calls=(ToolCall("find", '{"a": 1}', "c1"),),
)


@pytest.fixture
def known(tmp_path: Path) -> Iterator[CachedReplies]:
    with Cache(tmp_path / "r.db") as replies:
        yield CachedReplies(replies, {SPEC: ScriptedEngine(Script(otherwise=["x"]), "hash")})


def test_a_reply_comes_back_whole_with_no_time_of_its_own(known: CachedReplies) -> None:
    assert known.found(SPEC, ASK) is None
    known.keep(SPEC, ASK, REPLY)
    found = known.found(SPEC, ASK)
    assert found == replace(REPLY, usage=Usage(reused=8, generated=2, reasoned=1, origin="cached"))
    assert known.taken == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(ASK, messages=(Message("user", "别的"),)),
        replace(ASK, schema={"type": "object"}),
        replace(ASK, turns=(("答", (7, 8)),)),
        ASK.seeded(1),
        replace(ASK, settings=SamplingSettings(max_tokens=5)),
        replace(ASK, settings=SamplingSettings(temperature=0.1)),
    ],
)
def test_another_question_has_another_reply(known: CachedReplies, other: Ask) -> None:
    known.keep(SPEC, ASK, REPLY)
    assert known.found(SPEC, other) is None
    known.keep(SPEC, other, replace(REPLY, text="另"))
    found, before = known.found(SPEC, other), known.found(SPEC, ASK)
    assert before is not None and before.text == "答"
    assert (found is None) == (other.settings.temperature > 0)


def test_another_engine_under_the_name_has_no_reply(known: CachedReplies) -> None:
    known.keep(SPEC, ASK, REPLY)
    for described, found in (("hash", True), ("another hash", False)):
        engine = ScriptedEngine(Script(otherwise=["x"]), described)
        assert (CachedReplies(known.replies, {SPEC: engine}).found(SPEC, ASK) is not None) == found


@pytest.mark.parametrize(
    ("finish", "kept"),
    [("stop", True), ("length", True), ("cancelled", False), ("context_full", False), ("time_limit", False)],
)
def test_only_what_would_end_so_again_is_kept(known: CachedReplies, finish: Finish, kept: bool) -> None:
    known.keep(SPEC, ASK, replace(REPLY, finish=finish))
    assert (known.found(SPEC, ASK) is not None) == kept


def test_what_another_release_kept_is_passed_over(known: CachedReplies) -> None:
    known.replies.put({known._key(SPEC, ASK): b'{"words": "none of ours"}'})
    assert known.found(SPEC, ASK) is None and not known.replies.troubles


@pytest.mark.parametrize(("text", "kept"), [("", True), ("\U0001f5ff\x00\u202e", True), ("半\ud800", False)])
def test_any_text_is_kept_or_left(known: CachedReplies, text: str, kept: bool) -> None:
    ask = replace(ASK, messages=(Message("user", text),))
    known.keep(SPEC, ask, replace(REPLY, text=text))
    found = known.found(SPEC, ask)
    assert (found is not None) == kept and (found is None or found.text == text)
