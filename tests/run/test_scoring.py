"""The score block: the published rates, what it counts, and what it never hides."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tasks import registry
from tasks.episode.events import OUTCOMES
from tasks.legalagentbench.questions import LabGold, LabQuestion, load_questions
from tasks.legalagentbench.scoring import score_one
from tasks.reports.words import phrase
from tasks.scoring.added import Scorer, added_rows, with_added
from tasks.scoring.metrics import Metric
from tasks.scoring.result import Result, ScoredAttempt, newest
from tasks.scoring.strict import (
    article_recall,
    evidence_rate,
    evidence_rate_literal,
    explain,
    not_given,
    process_compat,
    success_compat,
    success_strict,
)
from tests.support.summaries import lab_summary as summarise

METHODS = ("plan_solve", "plan_execute", "react")
MODELS = ("glm-4", "gpt-4o-2024-08-06", "llama3.1-instruct", "qwen-max")


def question(
    number: int, keys: tuple[str, ...], middle: tuple[str, ...] = (), group: str = "1-hop", cluster: str = ""
) -> LabQuestion:
    gold = LabGold(
        "答案是" + "，".join(keys), keys, middle, ("get_company_info",), (), group, cluster or f"c{number}"
    )
    return LabQuestion(str(number), {"id": str(number), "question": f"第{number}题：北京市的公司有几家？"}, gold)


def answer(number: int, text: str, outcome: str = "finished", **more: Any) -> Result:
    return Result(str(number), outcome, text, text, **more)


@pytest.mark.slow
@pytest.mark.parametrize("run", [f"{method}_{model}" for method in METHODS for model in MODELS])
def test_published_rates_to_four_decimals(run: str, data: Callable[..., Path]) -> None:
    folder = data("legalagentbench")
    expected = json.loads((folder / "expected_dev.json").read_text(encoding="utf-8"))["runs"][run]
    questions = load_questions(folder / "dataset_dev.json")
    lines = (folder / "predictions_dev" / f"{run}.jsonl").read_text(encoding="utf-8").splitlines()
    results = [Result(str(p["id"]), "finished", p["res"], p["summary"]) for p in map(json.loads, lines)]
    block = summarise(run, questions, results).block()
    for rate in ("success", "process"):
        assert len(block["compat"][rate]) == len(expected[rate])
        for group, value in expected[rate].items():
            assert round(block["compat"][rate][group.lower()], 4) == round(value, 4)


def test_compat_counts_duplicates_and_two_texts() -> None:
    assert success_compat("甲", ["甲", "甲", "乙"]) == pytest.approx(2 / 3)
    assert process_compat("甲乙", ["甲"], ["甲", "丙"]) == pytest.approx(2 / 3)
    assert success_compat("12次", ["2次"]) == 1.0
    assert success_strict("12次", ["2次"]) == 0.0
    assert success_compat("abc", ["ABC"]) == 0.0


def test_outcomes_add_up_and_missing_is_an_error() -> None:
    questions = [question(n, ("甲",)) for n in range(1, 6)]
    results = [answer(1, "甲"), answer(2, "甲", "error"), answer(3, "", "turn_limit"), answer(4, "", "cancelled")]
    results.append(answer(9, "甲"))  # of another task
    block = summarise("r", questions, results).block()
    assert block["n"] == 5
    assert tuple(block["outcomes"]) == OUTCOMES
    assert sum(block["outcomes"].values()) == block["n"]
    assert block["outcomes"]["error"] == 2
    assert block["compat"]["success"]["all"] == pytest.approx(1 / 5)
    assert block["strict"]["n_scored"] == 2
    assert block["strict"]["success"]["all"] == pytest.approx(1 / 2)
    bounds = {name: rates["success"]["all"] for name, rates in block["strict"]["bounds"].items()}
    assert bounds == pytest.approx({"errors_as_zero": 1 / 5, "errors_excluded": 1 / 2, "errors_as_one": 4 / 5})


def test_block_survives_nothing_scored() -> None:
    block = summarise("r", [question(1, ("甲",))], []).block()
    assert block["compat"]["success"]["all"] == 0.0
    assert block["strict"]["success"]["all"] is None
    assert block["strict"]["n_scored"] == 0
    assert block["intervals"]["strict"]["success"]["all"] is None
    json.dumps(block, allow_nan=False)
    json.dumps(summarise("r", [], []).block(), allow_nan=False)


def test_intervals_mirror_both_rules_and_hold_the_rate() -> None:
    questions = [question(n, ("甲", "乙"), group=f"{n % 2 + 1}-hop", cluster=f"c{n // 4}") for n in range(200)]
    results = [answer(n, "甲乙" if n % 3 else "甲") for n in range(200)]
    block = summarise("r", questions, results).block()
    for rule in ("compat", "strict"):
        for rate, by_group in block["intervals"][rule].items():
            assert by_group.keys() == block[rule][rate].keys() == block["groups"].keys()
            for group, (low, high) in by_group.items():
                assert 0.0 <= low <= block[rule][rate][group] <= high <= 1.0
    assert block["interval_methods"]["compat"]["success"]["all"].startswith("cluster bootstrap")
    assert block["interval_methods"]["strict"]["all_keys"]["all"].startswith("Wilson")
    assert block["clusters"]["all"] == 50


def test_floor_and_ceiling() -> None:
    questions = [question(1, ("北京市", "3家"), ("中间",)), question(2, ("乙",), ("丙",))]
    block = summarise("r", questions, [answer(1, "3家"), answer(2, "乙")]).block()
    assert block["floor"]["compat"]["success"]["all"] == pytest.approx(1 / 4)
    assert block["ceiling"]["reference"]["compat"]["success"]["all"] == 1.0
    assert block["ceiling"]["reference"]["compat"]["process"]["all"] == pytest.approx((2 / 3 + 1 / 2) / 2)


def test_given_keys_are_marked_and_left_out() -> None:
    asked = question(1, ("北京市", "3家"))
    matches = explain(asked.gold.keys, asked.gold.middle, "北京市", "北京市", (), asked.card["question"])
    assert [match.in_question for match in matches] == [True, False]
    assert not_given(asked.card["question"], asked.gold.keys) == ["3家"]
    block = summarise("r", [asked, question(2, ("北京市",))], [answer(1, "北京市"), answer(2, "北京市")]).block()
    assert block["strict"]["success"]["all"] == pytest.approx(3 / 4)
    assert block["strict"]["success_not_given"]["all"] == 0.0


def test_flags_and_tokens_are_counted() -> None:
    results = [answer(1, "甲", flags=frozenset({"outside_pack"}), tokens=7), answer(2, "甲", tokens=5)]
    block = summarise("r", [question(1, ("甲",)), question(2, ("甲",))], results).block()
    assert block["flags"]["outside_pack"] == 1
    assert block["flags"]["leak"] == 0
    assert block["tokens"] == {"total": 12, "mean": 6.0, "tasks": 2}


def test_evidence_rate_counts_what_observations_showed() -> None:
    observations = ("{'公司名称': '甲公司', '注册资本': '9000万'}", "No data found for the specified identifier.")
    assert evidence_rate(observations, ["甲公司", "2次"], ["0.90亿元"]) == pytest.approx(2 / 3)
    assert evidence_rate_literal(observations, ["甲公司", "2次"], ["0.90亿元"]) == 1.0
    assert evidence_rate((), ["甲公司"], []) == 0.0
    asked = question(1, ("甲公司", "2次"))
    block = summarise("r", [asked], [answer(1, "甲公司", observations=observations)]).block()
    assert block["evidence_rate"]["all"] == 0.5
    assert block["evidence_rate_literal"]["all"] == 1.0
    assert summarise("r", [asked], [answer(1, "甲公司")]).block()["evidence_rate"] is None


def test_recall_of_articles_counts_what_retrievers_gave() -> None:
    keys = ("甲公司", "岚洲合同法典第四十八条", "《岚洲合同法典》第八十二条")
    given = ("['岚洲合同法典第四十八条：借款的利息不得……', '岚洲合同法典第四十九条：第八十二条的规定……']",)
    assert article_recall(given, keys) == 0.5 and article_recall(given, ["甲公司"]) is None
    asked = question(1, keys, group="writing")
    block = summarise("r", [asked], [answer(1, "甲公司", observations=given)]).block()
    assert block["retrieval_recall"] == {"writing": 0.5, "all": 0.5}
    assert (
        "retrieval_recall" not in summarise("r", [question(1, keys)], [answer(1, "甲", observations=given)]).block()
    )


def test_a_scorer_that_was_added_later_says_why_it_has_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, told = question(1, ("甲",)), answer(1, "甲")
    attempts = [ScoredAttempt(told, newest(score.row(1) for score in score_one(asked, told)))]

    def found(name: str) -> Metric:
        monkeypatch.setitem(registry.ADDED, ("scorers", "short"), Scorer(name, lambda *_: 1.0, ("短", "Short")))
        (row,) = with_added(summarise("r", [asked], [told]), {"1": "c1"}, lambda: attempts).section("added")
        return row

    assert found("short/1").why == "not scored by short/1 yet: moot score RUN"
    assert phrase(found("short/1").why) == "short/1 尚未评分：moot score RUN"
    attempts = [replace(one, rows=newest(added_rows("legalagentbench", 1, asked, told))) for one in attempts]
    assert (found("short/1").value, found("short/1").why) == (1.0, "")
    assert (found("short/2").value, found("short/2").n) == (None, 0)
