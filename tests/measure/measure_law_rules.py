"""The policy of rules for LegalSearch on the development half of the published questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from store.importers import silent
from store.pack import Pack
from tasks.legalsearch.coverage import Coverage
from tasks.legalsearch.published import answer_score
from tasks.legalsearch.questions import load_questions
from tasks.run.importing import importer
from tests.legalsearch.test_law_rules import Table


def test_the_development_half(data: Callable[..., Path], moot_home: Path) -> None:
    folder = data("legalsearch_r1")
    importer("legalsearch")(folder, "statutes", silent)
    floors = {"ccp": 4.69, "ptp": 14.06, "lap": 21.88, "kqa": 20.31, "pae": 10.94, "pfe": 39.06}
    questions = [q for name in ("evaluation_dev", "ood_dev") for q in load_questions(folder / f"{name}.jsonl")]
    recitals = [question for question in questions if question.kind.id == "lar"]
    with Pack.open("statutes") as statutes:
        covered = Coverage(statutes).covered(recitals)
        rates = {}
        for window in ("on", "off", "newest"):
            table = Table(statutes, window=window)
            known = [question for question in recitals if question.id in covered]
            rates[window] = sum(100 * _score(table, question) for question in known) / len(known)
        assert rates["on"] >= 99.0 and rates["off"] <= rates["on"] and rates["newest"] < rates["on"]
        table, scores = Table(statutes), defaultdict(list)
        asked = [question for question in questions if question.kind.id in floors]
        for question in asked:
            scores[question.kind.id].append(100 * _score(table, question))
    means = {kind: sum(values) / len(values) for kind, values in scores.items()}
    assert all(means[kind] > floor for kind, floor in floors.items())
    assert means["lap"] >= 75 and means["ccp"] >= 50


def _score(table: Table, question: Any) -> float:
    score = answer_score(question.kind.id, table.play(question.card).res, question.gold.answer)
    assert score is not None
    return score
