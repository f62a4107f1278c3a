"""What a seat needs of context, and what a run does where there is less: a shorter reply, or a refusal with a way
out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models import scripted
from models.engine import ContextLimits
from models.sampling import limits_of
from models.scripted import ScriptedEngine
from tasks.benchmark import benchmark
from tasks.courts.casefile.questions import CourtQuestion
from tasks.episode.events import ModelCalled, Seated
from tasks.episode.state import digest
from tasks.errors import UsageError
from tasks.run.header import header_of, spec_of
from tasks.run.opened import Run
from tasks.run.reading import read_episode
from tasks.run.runner import resume_run, start_run
from tasks.run.spec import RunSpec
from tasks.sample.build import court_cases
from tests.support.court_run_fixture import prepare_courts

COURTS = benchmark("courts")
QWEN, SMOL = 0.65, 1.75
"""Tokens a character of models that know Chinese, and of one that does not."""
Start = Callable[..., Run]


def need(case: Any, density: float = QWEN, engine: str = "llama:m", **settings: Any) -> int:
    sits = Seated(seat="agent", policy="court/1", engine=engine, context=4096, density=density)
    spec = RunSpec(benchmark="courts", agent="direct", model=engine, settings=settings)
    return COURTS.need(CourtQuestion(case), sits, spec)


@pytest.fixture
def start(moot_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Starts a run before a scripted model that has a context and a vocabulary: two cases of each environment."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"otherwise": ["请说说您的情况。", "好的。"]}, ensure_ascii=False), "utf-8")
    spec = prepare_courts(moot_home)
    firsts = [case for env in ("KQ", "LC", "CD", "DD", "CI", "CR") for case in court_cases() if case.env == env]
    lines = [json.dumps(case.fields(), ensure_ascii=False) for case in firsts if case.id.endswith(("-0001", "-0002"))]
    Path(spec["tasks"]).write_text("\n".join(lines), encoding="utf-8")

    def begin(limits: ContextLimits, settings: str = "", out: str = "run.moot", **changes: Any) -> Run:
        class Limited(ScriptedEngine):
            def context_limits(self) -> ContextLimits:
                return limits

        monkeypatch.setattr(scripted, "ScriptedEngine", Limited)
        made = {**spec, "agent": "direct", "model": f"scripted:{script}{settings}", "max_turns": 2, **changes}
        return start_run(RunSpec.model_validate(made), out=moot_home / out)

    return begin


def test_a_need_follows_from_the_case_and_folding_needs_no_more() -> None:
    for case in court_cases():
        folded, whole = need(case), need(case, profile="j1", fold=False)
        assert need(case, profile="j1", fold=True) <= whole
        assert folded <= 4096 < need(case, SMOL), "a tested seat plays at 4k"
        assert need(case, engine="llama:m#reply=256") < need(case, engine="llama:m#reply=512") < folded + 512
    assert len({need(case) for case in court_cases() if case.env == "KQ"}) > 6


def test_a_reply_is_lowered_and_stands_in_the_record(start: Start, moot_home: Path) -> None:
    with start(ContextLimits(4096, 0.75)) as run:
        run.go()
        model = spec_of(header_of(run.journal)).model
        row = next(row for row in run.journal.episodes() if row.task_id == "CI-0001")
        records = read_episode(run.journal, row.id)
    assert 512 <= limits_of(model)[0] < 1024 and run.lowered == {"agent": limits_of(model)[0]}
    seated = next(record.event for record in records if isinstance(record.event, Seated))
    calls = [record.event for record in records if isinstance(record.event, ModelCalled)]
    assert seated.engine == model and (seated.context, seated.density) == (4096, 0.75)
    assert calls and all(call.settings["max_tokens"] == limits_of(model)[0] for call in calls)
    with start(ContextLimits(4096, 0.75), out="again.moot") as left:
        left.go(lambda: left.scheduler.episodes.open > 8)
    with resume_run(moot_home / "again.moot") as resumed:
        resumed.go()
        assert digest(read_episode(resumed.journal, row.id)) == digest(records)


@pytest.mark.parametrize(
    ("limits", "settings"),
    [
        (ContextLimits(4096, QWEN), ""),
        (ContextLimits(0), ""),
        (ContextLimits(16_384, SMOL), ""),
        (ContextLimits(4096, QWEN), "#reply=1024"),
    ],
)
def test_a_context_that_suffices_changes_nothing(start: Start, limits: ContextLimits, settings: str) -> None:
    with start(limits, settings) as run:
        assert limits_of(spec_of(header_of(run.journal)).model)[0] == (1024 if settings else 0)


@pytest.mark.parametrize(
    ("limits", "settings", "hint"),
    [
        (ContextLimits(7168, SMOL, 16_384), "", "Write #ctx=9216 in its SPEC. These fit: --type KQ --type LC"),
        (ContextLimits(4096, 0.75, 4096), "#reply=2048", "Write #reply="),
        (ContextLimits(7168, SMOL, 7168), "", "Take a model with a context of 9216 tokens. These fit: --type KQ"),
        (ContextLimits(6144, SMOL, 8200), "", "Write #ctx=8200,reply=256 in its SPEC. These fit: --task KQ-0001"),
        (ContextLimits(2048, SMOL), "", "Take a model with a context of 9216 tokens."),
    ],
)
def test_a_refusal_names_what_works(start: Start, limits: ContextLimits, settings: str, hint: str) -> None:
    with pytest.raises(UsageError, match=r"needs a context of about \d+ tokens, its model has") as caught:
        start(limits, settings)
    assert hint in caught.value.hint
    if "#" in hint:
        written = dict(part.split("=") for part in caught.value.hint.split()[1].strip("#").split(","))
        wider = ContextLimits(int(written.get("ctx", limits.context)), limits.density, limits.trained)
        assert wider.context <= limits.trained
        with start(wider, f"#reply={written['reply']}" if "reply" in written else "", "wide.moot") as run:
            assert len(run.scheduler.episodes) == 12
    if "--type" in hint:
        types = caught.value.hint.partition("These fit: ")[2].strip(".").split()[1::2]
        with start(limits, out="types.moot", types=tuple(types)) as run:
            assert {row.task_id[:2] for row in run.journal.episodes()} == set(types)


@pytest.mark.parametrize("name", ["legalagentbench", "legalsearch"])
def test_a_model_with_tools_needs_its_card(name: str, sample_pack: Path) -> None:
    bench = benchmark(name)
    question = bench.load(sample_pack / "tasks" / f"{name}.jsonl")[0]
    spec = RunSpec(benchmark=name)
    for method, modes in bench.methods.items():
        for mode in set(modes) - {"compact"}:
            policy = f"{method}+{mode}" if mode != "lean" else method
            sits = Seated(seat="agent", policy=policy, engine="llama:m", context=4096, density=QWEN)
            assert 100 < bench.need(question, sits, spec) < 6000
            assert bench.need(question, sits.model_copy(update={"engine": ""}), spec) == 0
    assert bench.need(question, Seated(seat="agent", policy="rules/1"), spec) == 0
