"""The search agent with a real, tiny, random model: lean rounds keep to their schema, tokens carry exact
entropies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("llama_cpp")

from models.engine import Ask
from tasks.legalsearch.rollouts import trajectory_tokens
from tasks.run.engines import open_engine
from tests.support.gguf_files import tiny_llama
from tests.support.law_stage import MODES, Episode, mode_name

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("mode", MODES)
def test_whatever_a_model_says_the_episode_ends_and_its_tokens_join(mode: str, tmp_path: Path) -> None:
    engine = open_engine(
        f"llama:{tiny_llama(tmp_path / 'tiny.gguf', context=16384, layers=1, width=32)}#ctx=16384,threads=1"
    )
    episode = Episode(mode_name(mode), lambda ask, number: "", entropy=True, turns=2)

    def hot(asks: Sequence[Ask]) -> list[object]:
        most = 4000 if mode == "lean" else 80
        episode.actor.asks += asks
        return list(
            engine.answer(
                [replace(ask, settings=replace(ask.settings, temperature=1.0, max_tokens=most)) for ask in asks]
            )
        )

    episode.actor.answer = hot  # type: ignore[method-assign, assignment]
    try:
        episode.run()
    finally:
        engine.close()
    assert episode.outcome in ("finished", "turn_limit")
    calls = episode.events("model_called")
    assert calls and all(len(call.entropies) == call.generated for call in calls)
    if mode == "lean":
        assert {parsed.result for parsed in episode.events("action_parsed")} == {"ok"}
        assert all(call.reused > call.evaluated for call in calls[1:]), "only what is new is read"
    found = trajectory_tokens(episode.records)
    assert "".join(piece.text for piece in found) == episode.text
    if mode != "lean":
        model = [piece for piece in found if piece.source == "model"]
        assert model and all(piece.exact for piece in model)
