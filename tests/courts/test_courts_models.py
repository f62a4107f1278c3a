"""Courts with a real, tiny, random model in every seat: episodes end and repeat, and an engine reads only what is
new."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_cpp")

from models.engine import Message
from models.llama.engine import LlamaEngine
from tasks.agents.budgets import ContextBudget
from tasks.courts.environment import PUBLISHED
from tasks.episode.events import ActionParsed, ModelCalled, Said, Seated
from tasks.errors import UsageError
from tasks.run.engines import open_engine
from tasks.run.opened import Run
from tasks.run.reading import read_episode
from tasks.run.runner import start_run
from tasks.run.seat_prompt import verify
from tasks.run.spec import RunSpec
from tests.courts.test_courts_injection import CASES, ITEMS, Play, with_field
from tests.support.court_run_fixture import ROLES, prepare_courts
from tests.support.court_stage import Court
from tests.support.gguf_files import tiny_llama
from tests.support.prompt_tokens import tokenize, tokens_of

pytestmark = pytest.mark.slow

FRAME = 60
"""Tokens of a turn beside what was said in it: marks of the template, names, cue, fields of the reply. A token a
character."""
TURNS = 5


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Cards of 3,000 characters need a wider context than other tests."""
    path = tiny_llama(tmp_path_factory.mktemp("gguf") / "tiny.gguf", context=16384, layers=1, width=32)
    return f"llama:{path}#ctx=16384,threads=1"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A random model does not close a text by itself."""
    monkeypatch.setattr(ContextBudget, "spoken", 60)


def played(home: Path, model: str, **changes: Any) -> Run:
    seats = {role: model for role in changes.pop("roles", ROLES)}
    spec = RunSpec.model_validate(
        {**prepare_courts(home), "agent": "direct", "model": model, "seats": seats, **changes}
    )
    run = start_run(spec, out=home / "run.moot")
    run.go()
    return run


def calls(run: Run, episode: str, seat: str) -> list[ModelCalled]:
    events = [record.event for record in read_episode(run.journal, episode)]
    return [event for event in events if isinstance(event, ModelCalled) and event.seat == seat]


@pytest.mark.parametrize("profile", ["law", "j1"])
def test_a_model_may_sit_in_every_seat(profile: str, model: str, moot_home: Path, short: None) -> None:
    with played(moot_home, model, profile=profile, max_turns=2 if profile == "law" else 1) as run:
        outcomes = run.summary().block()["outcomes"]
        assert outcomes["error"] == 0 and sum(outcomes.values()) == len(PUBLISHED)
        spoke = set()
        for episode in run.scheduler.episodes:
            records = read_episode(run.journal, episode)
            parsed = [record.event.result for record in records if isinstance(record.event, ActionParsed)]
            assert set(parsed) <= {"ok"}, "a grammar leaves nothing to repair"
            spoke |= {record.event.seat for record in records if isinstance(record.event, Said)}
            assert verify(run.journal.path, episode)[episode] == run.scheduler.episodes[episode].state.steps
        assert spoke >= {"agent", "client", "plaintiff", "defendant"}
        if profile == "law":
            assert spoke & {"procurator", "defence_lawyer"} or spoke & {"plaintiff_lawyer", "defendant_lawyer"}


def test_an_engine_reads_only_what_is_new(model: str, moot_home: Path, short: None) -> None:
    """No call but the first reads more than the words since the seat last spoke; so n turns cost n times what one
    costs."""
    with played(moot_home, model, max_turns=2 * TURNS, task_ids=("1", "3"), roles=("client", "plaintiff")) as run:
        checked = 0
        for episode, seats in (("1", ("agent", "client")), ("3", ("agent", "plaintiff"))):
            for seat in seats:
                made = calls(run, episode, seat)
                assert len(made) >= TURNS, (episode, seat)
                spoken = [call for before, call in pairwise(made) if before.text]  # a drafter may say nothing
                assert len(spoken) >= TURNS // 2, (episode, seat)
                assert all(call.evaluated <= 60 + 60 + FRAME + _cue(call) for call in spoken), [
                    c.evaluated for c in made
                ]
                later = made[1:]
                half = len(later) // 2
                first, last = (
                    sum(call.evaluated for call in part) / len(part) for part in (later[:half], later[half:])
                )
                assert last <= 1.2 * first, "the second half of a trial costs no more than the first"
                checked += 1
        assert checked == 4


def _cue(call: ModelCalled) -> int:
    """A client is told its question anew in each turn."""
    return 80 if call.seat == "client" else 0


def test_special_tokens_in_speech_and_cases_are_plain_text(model: str) -> None:
    """The marks of a template stand where the template puts them, however many a role says or a case holds."""
    special = [item for item in ITEMS if "<|im_" in item["text"] and not item.get("refused")]
    assert len(special) >= 3
    engine = open_engine(model)
    try:
        assert isinstance(engine, LlamaEngine)
        start, end = tokens_of(engine, [Message("user", "甲")])[0], _closing(engine)
        for item in special:
            case, role = CASES[item["env"]], item.get("role", "")
            case = with_field(case, item["field"], item["text"]) if item["where"] == "field" else case
            court = Court(case, Play(case, "law", False, role, item["text"]), turns=4).run()
            hostile = [ask for _, ask in court.asks if any("im_" in message.content for message in ask.messages)]
            assert hostile, item["id"]
            for ask in hostile[:3]:
                tokens = tokens_of(engine, ask.messages)
                assert tokens.count(start) == len(ask.messages) + 1 and tokens.count(end) == len(ask.messages), item[
                    "id"
                ]
    finally:
        engine.close()


def _closing(engine: LlamaEngine) -> int:
    """The mark that ends a message: once more in a conversation that is a message longer."""
    one, two = (Counter(tokens_of(engine, [Message("user", "甲")] * count)) for count in (1, 2))
    opening = tokens_of(engine, [Message("user", "甲")])[0]
    plain = set(tokenize(engine, "甲useraistn\n"))
    return next(token for token in two - one if token not in plain and token != opening)


@pytest.mark.parametrize(
    ("context", "more", "refused"),
    [
        (2048, {}, True),
        (16384, {}, False),
        (8192, {"profile": "j1"}, True),
        (8192, {"profile": "j1", "fold": True}, False),
    ],
)
def test_a_context_that_is_too_small_is_refused_before_anything_is_written(
    model: str, moot_home: Path, context: int, more: dict[str, object], refused: bool
) -> None:
    spec = RunSpec.model_validate(
        {
            **prepare_courts(moot_home), "agent": "direct", "model": model.replace("16384", str(context)),
            "settings": {"env": "CI", **more},
        }
    )  # fmt: skip
    out = moot_home / "run.moot"
    if refused:
        with pytest.raises(UsageError, match=rf"needs a context of about \d+ tokens, its model has {context}"):
            start_run(spec, out=out)
        assert not out.exists()
        return
    with start_run(spec, out=out) as run:
        (row,) = run.journal.episodes()
        (tested,) = [
            r.event for r in run.scheduler.episodes[row.id].state.records
            if isinstance(r.event, Seated) and r.event.seat == "agent"
        ]  # fmt: skip
        assert tested.context == context and 0.5 < tested.density < 4
