"""`moot run --dry-run` says what a run will cost and could find, and what is not known; which tasks are chosen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli import planned
from models.engine import ContextLimits
from models.scripted import Script, ScriptedEngine
from store import identity, places
from tasks.run import estimate
from tasks.scoring.paired import detectable_before
from tasks.scoring.statistics import independent_at_least
from tests.support.fake_endpoint import fake_server
from tests.support.kill_harness import prepare
from tests.support.typed import moot

PUBLISHED = {"benchmark", "agent", "policy", "model", "pack", "tasks", "n", "seats", "task_ids", "context"}


@pytest.fixture
def line(moot_home: Path) -> Callable[..., tuple[str, ...]]:
    """A run of three tasks before a model; `model` puts another in its seat."""
    spec = prepare(moot_home, tasks=3)

    def made(*more: str, model: str = "") -> tuple[str, ...]:
        return (
            "run", "legalagentbench", "--agent", spec["agent"], "--model", model or spec["model"], "--pack", "kill",
            "--tasks", spec["tasks"], *more,
        )  # fmt: skip

    return made


def plan_of(line: tuple[str, ...]) -> dict[str, Any]:
    code, out, err = moot(*line, "--dry-run", "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def bench(file: Path, prefill: float, decode: float, together: dict[int, float]) -> None:
    """What a bench of a model file found, as far as it is kept."""
    estimate.keep(
        identity.sha256(file),
        {"prefill": prefill, "decode": decode, "together": together, "threads": 1},
    )


def test_nothing_is_guessed(line: Any) -> None:
    plan = plan_of(line())
    assert plan.keys() >= PUBLISHED and plan["n"] == 3
    costs = plan["estimate"]
    assert (costs["tokens"], costs["hours"], costs["disk"]["bytes"], costs["from"]) == (None, None, None, [])
    assert costs["unknown_types"] == list(plan["types"]) and len(costs["unmeasured"]) == 1
    _, out, _ = moot(*line(), "--dry-run")
    assert "将评测：" in out and "题目：3 题，取自" in out and "task_ids" not in out and "policy:" not in out
    assert "词元：不知道" in out and "时间：不知道" in out and "磁盘：不知道" in out and "可检出的差异" in out


def test_tokens_and_disk_are_those_of_an_earlier_run(line: Any) -> None:
    code, out, _ = moot(*line("--json"))
    assert code == 0
    block = json.loads(out)
    costs = plan_of(line("--epochs", "4", "--max-tokens", "100"))["estimate"]
    assert sum(costs["tokens"].values()) == pytest.approx(4 * block["tokens"]["total"], abs=3) != 0
    size = (places.runs() / f"{block['run']}.moot").stat().st_size
    assert costs["disk"]["bytes"] == pytest.approx(4 * size, abs=4)
    assert costs["tokens_at_most"] == 100 * 3 * 4 and costs["unknown_types"] == []
    assert [(one["run"], one["episodes"]) for one in costs["from"]] == [(block["run"], 3)]
    assert costs["hours"] is None and "按已有评测的 3 局推算" in moot(*line(), "--dry-run")[1]
    other = plan_of((*line(), "--paper"))["estimate"]
    assert other["tokens"] is None, "it speaks otherwise"


def test_hours_are_tokens_at_the_speed_that_was_measured(line: Any, tiny_gguf: Path) -> None:
    model = f"llama:{tiny_gguf}"
    moot(*line())
    before = plan_of(line(model=model))["estimate"]
    assert before["hours"] is None and before["unmeasured"] == [model] and before["memory"]["bytes"] > 600_000_000
    assert "没有实测过" in moot(*line(model=model), "--dry-run")[1]
    bench(tiny_gguf, 100.0, 20.0, {1: 20.0, 4: 50.0, 8: 70.0})
    one = plan_of(line(model=model))["estimate"]
    many = plan_of(line("--parallel", "6", model=model))["estimate"]
    for costs, speaking in ((one, 20.0), (many, 50.0)):
        tokens = costs["tokens"]
        assert costs["hours"] * 3600 == pytest.approx(tokens["read"] / 100 + tokens["written"] / speaking, abs=0.1)
    assert one["unmeasured"] == [] and one["speeds"][model]["prefill"] == 100.0
    _, out, _ = moot(*line(model=model), "--dry-run")
    assert "每秒读 100.0、写 20.0" in out and "时间：约" in out and "别的模型" in out


def test_a_model_that_is_not_here_is_said_in_the_plan(line: Any, tmp_path: Path) -> None:
    costs = plan_of(line(model=f"llama:{tmp_path / 'none.gguf'}"))["estimate"]
    assert costs["memory"]["bytes"] is None and "none.gguf" in costs["memory"]["why"]


def test_what_a_plan_could_find() -> None:
    assert independent_at_least([]) == 0 and independent_at_least("abcd") == 4 and independent_at_least("aaaa") == 1
    assert independent_at_least("aabb") == 2 and 1 < independent_at_least("aaab") < 2


def test_the_detectable_difference_counts_clusters(sample_pack: Path) -> None:
    found = plan_of(("run", "legalagentbench"))["detectable"]
    assert found["effective_n"] <= found["clusters"] <= found["n"] > 50
    for one in found["differences"]:
        assert one["difference"] == pytest.approx(detectable_before(found["effective_n"], one["disagree"]))
    few = plan_of(("run", "legalagentbench", "--limit", "2"))["detectable"]["differences"]
    assert [one["difference"] for one in few] == [None, None]
    assert "任何差异都检不出" in moot("run", "legalagentbench", "--limit", "2", "--dry-run")[1]


def test_tasks_are_chosen_on_the_command_line(sample_pack: Path, tmp_path: Path) -> None:
    ids = plan_of(("run", "legalagentbench", "--limit", "6", "--task-seed", "2"))["task_ids"]
    run = json.loads(
        moot("run", "legalagentbench", "--agent", "echo", "--limit", "6", "--task-seed", "2", "--json")[1]
    )["run"]
    header = json.loads(moot("show", run, "--json")[1])["header"]
    assert header["spec"]["limit"] == 6
    assert moot("run", "courts", "--agent", "echo", "--type", "KQ", "--limit", "1", "--json")[0] == 0
    plan = plan_of(("run", "legalagentbench", "--only", "failed:latest"))  # the newest of all is one of the courts
    assert set(plan["task_ids"]) <= set(ids)
    assert plan_of(("run", "courts", "--type", "KQ", "--type", "LC"))["types"].keys() == {"KQ", "LC"}
    report = moot("report", run)[1]
    assert "limit = 6" in report and "task_seed = 2" in report
    out = tmp_path / "again.moot"
    assert moot("run", "legalagentbench", "--agent", "echo", "--only", f"failed:{run}", "--out", out)[0] == 0
    spec = json.loads(moot("show", out, "--json")[1])["header"]["spec"]
    assert spec["only"] == f"failed:{run}" and set(spec["task_ids"]) <= set(ids)


@pytest.mark.chinese_sentences
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--only", "failed"), "--only“failed”不是 failed:RUN 的形式"),
        (("--only", "failed:"), "例如 --only failed:latest"),
        (("--only", "failed:nix"), "没有评测“nix”"),
        (("--only", "failed:x", "--task", "1"), "--only 和 --task 都用来指定题目"),
        (("--limit", "0"), "0 不在范围"),
        (("--type", "9-hop"), "没有类型为“9-hop”的题"),
    ],
)
def test_what_is_wrong_is_one_sentence(sample_pack: Path, more: tuple[str, ...], said: str) -> None:
    code, out, err = moot("run", "legalagentbench", *more, "--dry-run")
    assert code != 0 and not out and said in err and err.count("\n") == 1


def test_a_plan_says_which_tasks_fit_and_what_it_assumed(
    line: Any, tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch, sample_pack: Path
) -> None:
    server = "endpoint:http://127.0.0.1:9#m"
    plan = plan_of(line(model=f"{server}#context=4096"))
    assert [one["n"] == one["of"] for one in plan["fits"].values()] == [True] * len(plan["types"])
    assert list(plan["density"].values()) == [None] and plan["reply"] == {}
    _, out, _ = moot(*line(model=f"{server}#context=4096"), "--dry-run")
    assert "所需上下文（词元）：受测席位" in out and "装得下" in out and "每字按 0.75 词元估计" in out
    small = moot(*line(model=f"{server}#context=2048"), "--dry-run")[1]
    assert "装得下 0 / " in small and "装得下" not in moot(*line(model=server), "--dry-run")[1]
    wide = line("--agent", "plan-execute", model=f"{server}#context=4096")
    assert 512 <= plan_of(wide)["reply"]["agent"] < 1024 and "一次回复留" in moot(*wide, "--dry-run")[1]

    class Counted(ScriptedEngine):
        def context_limits(self) -> ContextLimits:
            return ContextLimits(8192, 1.5)

    monkeypatch.setattr(planned, "open_engine", lambda _: Counted(Script(otherwise=["好"])))
    model = f"llama:{tiny_gguf}"
    counted = plan_of(line(model=model))
    assert counted["density"] == {model: 1.5} and "每字按" not in moot(*line(model=model), "--dry-run")[1]
    assert sum(counted["context"].popitem()[1].values()) > sum(plan["context"].popitem()[1].values())


def test_a_server_is_asked_for_its_context_and_its_tokenizer(line: Any) -> None:
    with fake_server() as server:
        model = f"endpoint:{server.spec}"
        server.page("/props", {"total_slots": 1, "default_generation_settings": {"n_ctx": 4096}})
        needs = []
        for server.density in (0.65, 1.75):
            plan = plan_of(line(model=model))
            assert plan["density"] == {model: pytest.approx(server.density, abs=0.02)}
            assert "每字按" not in moot(*line(model=model), "--dry-run")[1]
            needs.append(sum(plan["context"].popitem()[1].values()))
        assert needs[0] < needs[1] and not server.asked
        assert sum(one["n"] for one in plan["fits"].values()) == 0, "at 4,096"
