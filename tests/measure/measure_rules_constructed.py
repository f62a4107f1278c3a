"""The rules policy on constructed tasks: in the words of the constructor and in those of other hands.

Prints what it finds by hop with Wilson intervals: `pytest -s tests/measure/measure_rules_constructed.py`.
`asked_by_others.jsonl`: 200 tasks of seed 4711 whose questions two writers put in their own words from start, steps,
conditions and what is asked. Mistakes in those of writer a were read while the rules were written; those of writer b
were only counted.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from store.pack import Pack
from tasks.legalagentbench.construct.compose import Parts, shipped_parts
from tasks.legalagentbench.construct.generate import construct_set, generator
from tasks.legalagentbench.questions import LabQuestion, read_question
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.policy import RulesPolicy
from tasks.legalagentbench.tools import Toolbox
from tasks.scoring.statistics import rate_interval
from tasks.scoring.strict import strict_hit
from tests.measure.measure_rules_dev import play

LEAST = 0.70
"""Share of tasks with every key, in whatever words."""
OTHERS = Path(__file__).parent / "asked_by_others.jsonl"


@pytest.mark.slow
def test_success_on_constructed_tasks(sample_pack: Path) -> None:
    with Pack.open(sample_pack) as pack:
        text = shipped_parts()
        made = construct_set(generator(pack, lambda rng: Parts(text, rng), 2026))
        assert _solved(pack, made.tasks) >= LEAST


@pytest.mark.slow
@pytest.mark.parametrize("writer", ["a", "b"])
def test_success_on_questions_by_other_hands(sample_pack: Path, writer: str) -> None:
    tasks = [json.loads(line) for line in OTHERS.read_text(encoding="utf-8").splitlines()]
    with Pack.open(sample_pack) as pack:
        print("writer", writer)
        assert _solved(pack, [task for task in tasks if task["id"].startswith(writer)]) >= LEAST


def _solved(pack: Pack, tasks: Iterable[Mapping[str, Any]]) -> float:
    """Prints shares by hop and misses by request and start; gives the share of tasks with every key."""
    solved: dict[str, list[bool]] = defaultdict(list)
    clusters: dict[str, list[str]] = defaultdict(list)
    missed: dict[str, Counter[str]] = defaultdict(Counter)
    policy, toolbox = RulesPolicy(NameIndex.of(pack)), Toolbox(pack)
    for line, record in enumerate(tasks, 1):
        question = read_question(f"line {line}", dict(record))
        assert isinstance(question, LabQuestion)
        answer = play(policy, toolbox, question.card).res
        hit = all(strict_hit(key, answer) for key in question.gold.keys)
        for group in (question.group, "all"):
            solved[group].append(hit)
            clusters[group].append(question.cluster)
        if plan := record.get("plan"):
            for name, about in (("how", plan["ask"]["how"]), ("kind", plan["kind"])):
                missed[name][about] += not hit
                missed[f"of {name}"][about] += 1
    for group, hits in solved.items():
        span = rate_interval(hits, clusters[group])
        bounds = f"  [{span.low:.3f}, {span.high:.3f}]" if span else ""
        print(f"{group:8} n {len(hits):3}  {sum(hits) / len(hits):.3f}{bounds}")
    for name in ("how", "kind"):
        of = missed[f"of {name}"]
        print(name, ", ".join(f"{one} {n}/{of[one]}" for one, n in missed[name].most_common() if n))
    return sum(solved["all"]) / len(solved["all"])
