"""REA_points on all 24 trials: the gold, what says nothing, another case, the opposite, and paraphrases by other
hands.

`reasons_a.jsonl` and `reasons_b.jsonl` say what the gold says in other words; their writers had not seen the scorer.
At first sight a had 91.3 (CI 87.5, CR 95.2); what stands before a denial was left open after that, and b had 94.0 (CI
89.3, CR 98.8). `reasons_opposite.jsonl` decides the same points the other way, largely in the words of the case,
written by who made the scorer; `pytest -s` prints the table.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest

from tasks.courts.casefile.case import CivilCase, CriminalCase
from tasks.courts.scores.judgment import FORMULA, score
from tasks.sample.build import court_cases

PARAPHRASES = ("a", "b")
HERE = Path(__file__).parents[1] / "courts"
TRIALS = [case for case in court_cases() if isinstance(case, CivilCase | CriminalCase) and case.env in ("CI", "CR")]


def texts(name: str) -> dict[str, str]:
    lines = (HERE / f"reasons_{name}.jsonl").read_text("utf-8").splitlines()
    return {one["id"]: one["text"] for one in map(json.loads, lines)}


def points(case: CivilCase | CriminalCase, reason: str) -> float:
    """REA_points of a judgment with these reasons."""
    reason = reason.removeprefix("本院认为，").removeprefix("本院认为")
    found = score(case, [f"本院认为，{reason}\n判决如下：\n一、驳回。"]).strict["REA_points"]
    assert found is not None
    return 100 * found


@pytest.fixture(scope="module")
def table() -> dict[str, dict[str, float]]:
    written = {name: texts(name) for name in ("opposite", *PARAPHRASES)}
    made: dict[str, dict[str, float]] = {}
    for case in TRIALS:
        row = {"gold": points(case, case.gold.reason)}
        row |= {name: points(case, found[case.id]) for name, found in written.items()}
        row["other"] = fmean(
            points(case, one.gold.reason) for one in TRIALS if one.env == case.env and one is not case
        )
        row["formula"] = 100 * (score(case, [FORMULA[case.env]]).strict["REA_points"] or 0)
        made[case.id] = row
        print(case.id, {name: round(value) for name, value in row.items()})
    return made


def mean(table: dict[str, dict[str, float]], name: str, env: str = "") -> float:
    return fmean(row[name] for case, row in table.items() if case.startswith(env))


def test_the_gold_makes_its_points_and_a_formula_none(table: dict[str, dict[str, float]]) -> None:
    assert {row["gold"] for row in table.values()} == {100} and {row["formula"] for row in table.values()} == {0}


@pytest.mark.parametrize("name", PARAPHRASES)
def test_who_says_the_same_in_other_words_keeps_the_points(table: dict[str, dict[str, float]], name: str) -> None:
    assert mean(table, name) >= 90


def test_another_case_and_the_opposite_stay_low(table: dict[str, dict[str, float]]) -> None:
    assert mean(table, "opposite", "CI") <= 25 and mean(table, "opposite", "CR") <= 10
    # Criminal judgments share points rightly: confession, plea, restitution, the request adopted.
    assert mean(table, "other", "CI") <= 15 and mean(table, "other", "CR") <= 40
