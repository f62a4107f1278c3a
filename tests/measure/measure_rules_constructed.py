"""The rules policy on constructed tasks, whose questions no phrase table was made for: by hop, with Wilson intervals.

Prints what it finds: `pytest -s tests/measure/measure_rules_constructed.py`. The bounds below are those of seed 2026 on the
fictional pack, so that a change that reads less is noticed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from store.pack import Pack
from tasks.legalagentbench.construct.compose import Parts, shipped_parts
from tasks.legalagentbench.construct.generate import construct_set, generator
from tasks.legalagentbench.questions import Question, read_question
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.policy import RulesPolicy
from tasks.legalagentbench.tools import Toolbox
from tasks.scoring.statistics import rate_interval
from tasks.scoring.strict import strict_hit
from tests.measure.measure_rules_dev import play

LEAST = 0.68
"""Share of tasks with every key."""


@pytest.mark.slow
def test_success_on_constructed_tasks(sample_pack: Path) -> None:
    solved: dict[str, list[bool]] = defaultdict(list)
    clusters: dict[str, list[str]] = defaultdict(list)
    missed: dict[str, Counter[str]] = defaultdict(Counter)
    with Pack.open(sample_pack) as pack:
        text = shipped_parts()
        made = construct_set(generator(pack, lambda rng: Parts(text, rng), 2026))
        policy, toolbox = RulesPolicy(NameIndex.of(pack)), Toolbox(pack)
        for line, record in enumerate(made.tasks, 1):
            question = read_question(f"line {line}", record)
            assert isinstance(question, Question)
            answer = play(policy, toolbox, question.card).res
            hit = all(strict_hit(key, answer) for key in question.gold.keys)
            for group in (question.group, "all"):
                solved[group].append(hit)
                clusters[group].append(question.cluster)
            for name in ("how", "kind"):
                about = record["plan"]["ask"]["how"] if name == "how" else record["plan"]["kind"]
                missed[name][about] += not hit
                missed[f"of {name}"][about] += 1
    for group, hits in solved.items():
        span = rate_interval(hits, clusters[group])
        print(
            f"{group:8} n {len(hits):3}  {sum(hits) / len(hits):.3f}  [{span.low:.3f}, {span.high:.3f}]"
            if span
            else group
        )
    for name in ("how", "kind"):
        of = missed[f"of {name}"]
        print(name, ", ".join(f"{one} {n}/{of[one]}" for one, n in missed[name].most_common() if n))
    assert sum(solved["all"]) / len(solved["all"]) >= LEAST
