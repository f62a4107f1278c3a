"""Published run logs, played again before the real tools, come to the published rates."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from store.importers.legalagentbench import import_pack
from tasks.legalagentbench.agents.answering import DIGIT_COMMA
from tasks.legalagentbench.recorded_log import read_run_log
from tests.legalagentbench.test_recorded_log import moot


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("log_react_1205_gpt-4o-2024-08-06.txt", "react_gpt-4o-2024-08-06"),
        ("log_plan_solve_1205_qwen-max.txt", "plan_solve_qwen-max"),
        ("log_react_1205_gpt-3.5-turbo.txt", ""),
        ("log_plan_execute_1205_glm-4-plus.txt", ""),
    ],
)
def test_a_published_run_scores_as_published(
    data: Callable[..., Path], capsys: pytest.CaptureFixture[str], name: str, published: str, tmp_path: Path
) -> None:
    """Every episode ends with the recorded answers; rates are those of the published line where there is one."""
    import_pack(data("legalagentbench"), "harvested", lambda *_: None)
    tasks = data("legalagentbench", "dataset_dev.json")
    path = data("legalagentbench", "raw_logs", name)
    arguments = ("--model", f"recorded-log:{path}", "--tasks", str(tasks), "--pack", "harvested")
    code, out, err = moot(capsys, "run", "legalagentbench", *arguments, "--parallel", "16", "--json")
    assert code == 0, err
    block = json.loads(out)
    episodes = read_run_log(path).episodes
    broken = {question for question, episode in episodes.items() if episode.answer is None}
    assert block["outcomes"]["error"] == len(broken)
    predictions = tmp_path / "predictions.jsonl"
    lines = []
    for task in json.loads(tasks.read_text(encoding="utf-8")):
        episode = episodes[task["question"]]
        texts = (DIGIT_COMMA.sub("", text or "silence") for text in (episode.answer, episode.summary))
        lines.append({"id": task["id"], **dict(zip(("res", "summary"), texts, strict=True))})
    predictions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    compared = ("--dataset", str(tasks), "--predictions", str(predictions), "--json")
    scored = moot(capsys, "score-predictions", "legalagentbench", *compared)
    assert json.loads(scored[1])["compat"] == block["compat"]
    if published:
        runs = json.loads(data("legalagentbench", "expected_dev.json").read_text(encoding="utf-8"))["runs"]
        for rate in ("success", "process"):
            ours = {group.lower(): round(value, 6) for group, value in block["compat"][rate].items()}
            assert ours == {group.lower(): value for group, value in runs[published][rate].items()}
