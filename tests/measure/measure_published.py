"""Published run logs: the tools answer as they did then, and the answers come to the published rates."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli.main import cli
from store.importers.legalagentbench import import_pack
from store.pack import Pack
from tasks.legalagentbench.agents.acting import DIGIT_COMMA
from tasks.legalagentbench.tools import Toolbox
from tests.measure.replay_calls import replay


def test_recorded_calls_are_replayed_to_the_byte(data: Callable[..., Path]) -> None:
    import_pack(data("legalagentbench"), "harvested", lambda *_: None)
    with Pack.open("harvested") as pack:
        counts, differing = replay(Toolbox(pack), data("legalagentbench", "calls.jsonl.gz"))
    found = {status: tally["calls"] for status, tally in counts["by_status"].items()}
    assert found == {"ok": 1726, "no_data": 1121, "bad_column": 276, "call_error": 38, "math_error": 64}
    assert not differing and counts["retrievers"]["calls"] == 18


def answers_in(log: str, questions: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Question -> answer and summary in a log; where a task was run more than once, the last that came to one."""
    printed = {question.strip(): question for question in questions}
    asked = sorted(
        (match.start(), text) for text in printed for match in re.finditer(rf"^\s*{re.escape(text)}\s*$", log, re.M)
    )
    found: dict[str, tuple[str, str]] = {}
    for (start, text), (end, _) in itertools.pairwise([*asked, (len(log), "")]):
        _, marker, rest = log[start:end].partition("\nfinal_anwer is")
        answer, _, summary = rest.partition("\n\n\n")[0].partition("\nsummary_answer is")
        if marker or printed[text] not in found:
            found[printed[text]] = (answer.removeprefix(" ").rstrip("\n"), summary.removeprefix(" ").rstrip("\n"))
    return found


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("log_react_1205_gpt-4o-2024-08-06.txt", "react_gpt-4o-2024-08-06"),
        ("log_plan_solve_1205_qwen-max.txt", "plan_solve_qwen-max"),
    ],
)
def test_answers_of_a_log_score_as_published(data: Callable[..., Path], name: str, run: str, tmp_path: Path) -> None:
    """The answers in a log are those that were published, to the byte, and score as published."""
    dataset = data("legalagentbench", "dataset_dev.json")
    tasks = json.loads(dataset.read_text(encoding="utf-8"))
    log = data("legalagentbench", "raw_logs", name).read_text(encoding="utf-8-sig")
    answered = answers_in(log, {task["question"] for task in tasks})
    lines = data("legalagentbench", "predictions_dev", f"{run}.jsonl").read_text("utf-8").splitlines()
    published = {line["id"]: (line["res"], line["summary"]) for line in map(json.loads, lines)}
    predictions = tmp_path / "predictions.jsonl"
    with predictions.open("w", encoding="utf-8") as file:
        for task in tasks:
            res, summary = (text or "silence" for text in answered[task["question"]])
            assert published[task["id"]] == (res, summary)
            line = {"id": task["id"], "res": DIGIT_COMMA.sub("", res), "summary": DIGIT_COMMA.sub("", summary)}
            file.write(json.dumps(line) + "\n")
    arguments = ["--dataset", str(dataset), "--predictions", str(predictions), "--json"]
    done = CliRunner().invoke(cli, ["score-predictions", "legalagentbench", *arguments], catch_exceptions=False)
    rates = json.loads(data("legalagentbench", "expected_dev.json").read_text(encoding="utf-8"))["runs"][run]
    for rate in ("success", "process"):
        block = json.loads(done.stdout)["compat"][rate]
        assert {group: round(value, 6) for group, value in block.items()} == {
            group.lower(): value for group, value in rates[rate].items()
        }
