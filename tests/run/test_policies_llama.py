"""Model policies with a real, tiny, random model: whatever it says, its replies keep to the schema and its runs
end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.engine import Ask, Message, Reply, SamplingSettings
from models.schema import violation
from tasks.legalagentbench import schemas
from tasks.legalagentbench.agents import acting, cards
from tasks.run.engines import open_engine
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.support.gguf_files import tiny_llama
from tests.support.tool_templates import HERMES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A token a character: the cards need a wider context than that of other tests."""
    path = tiny_llama(tmp_path_factory.mktemp("gguf") / "tiny.gguf", context=16384, layers=1, width=32)
    return f"llama:{path}#ctx=16384,threads=1"


def test_a_reply_keeps_to_the_schema_and_to_its_order(spec: str) -> None:
    """What stands before the action is written before it: a model cannot think after it has acted."""
    tools = cards.specs(cards.tools_for(["CompanyInfo", "LegalDoc"], "lean"))
    schema = schemas.action_schema(tools, {"thought": {"type": "string", "maxLength": 20}})
    engine = open_engine(spec)
    try:
        for seed in range(3):
            settings = SamplingSettings(temperature=1.0, seed=seed, max_tokens=600)
            (reply,) = engine.answer([Ask("agent", (Message("user", "查一查"),), "react/1", schema, settings)])
            assert isinstance(reply, Reply)
            value = json.loads(reply.text)
            assert list(value) == ["thought", "action", "action_input"] and violation(schema, value) == ""
    finally:
        engine.close()


@pytest.fixture
def ended(sample_pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """The score block of a run of one task and two turns, whose answer is short."""
    short = {"type": "string", "maxLength": 30}
    monkeypatch.setitem(acting.ANSWER_SCHEMA, "properties", {"answer": short, "summary": short})

    def play(model: str, **more: Any) -> dict[str, Any]:
        spec = {"benchmark": "legalagentbench", "model": model, "task_ids": ("sample-101",), "max_turns": 2, **more}
        with start_run(RunSpec.model_validate(spec), out=tmp_path / "run.moot") as run:
            run.go()
            block = run.summary().block()
        assert block["outcomes"]["finished"] + block["outcomes"]["turn_limit"] == 1
        return block

    return play


@pytest.mark.parametrize("agent", ["react", "plan-solve"])
def test_a_lean_run_ends_with_valid_calls_only(spec: str, agent: str, ended: Callable[..., dict[str, Any]]) -> None:
    block = ended(spec, agent=agent)
    assert block["actions"]["repaired"] == block["actions"]["rejected"] == 0 < block["tokens"]["total"]


def test_free_text_of_a_random_model_ends_too(spec: str, ended: Callable[..., dict[str, Any]]) -> None:
    """It babbles until it is cut."""
    block = ended(f"{spec},reply=200", agent="react", calls="free")
    assert sum(block["actions"].values()) >= 2, "two actions, and the answer where it could not be read"


def test_a_random_model_that_is_given_tools_ends_too(tmp_path: Path, ended: Callable[..., dict[str, Any]]) -> None:
    tiny = tiny_llama(tmp_path / "tiny.gguf", context=32768, template=HERMES, layers=1, width=32)
    ended(f"llama:{tiny}#ctx=32768,threads=1,slots=1,reply=200", agent="react", calls="native")
