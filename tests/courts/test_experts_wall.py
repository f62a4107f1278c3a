"""The courts without the folder of experts: every seat is filled, trials end in order, and the judge says what he
leaves open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tasks.courts.agents import registry
from tasks.courts.agents.registry import installed

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = """
import sys
sys.modules["tasks.experts"] = None  # as if the folder were not there
from app.cli import main  # everything of the product loads
from tasks.courts.agents import registry
from tasks.courts.agents.registry import installed
from tests.measure.ablation_courts import TESTED_BY, block_of
from tasks.courts.casefile.questions import CourtQuestion
from tasks.sample.courtcases import court_cases

assert not installed() and TESTED_BY == registry.RULES
cases = [case for case in court_cases() if case.id in ("KQ-0001", "LC-0001", "CD-0001", "CI-0001", "CR-0001")]
for env in ("KQ", "LC", "CD", "CI", "CR"):
    questions = [CourtQuestion(case) for case in cases if case.env == env]
    block = block_of(questions)
    assert block["outcomes"]["finished"] == block["n"] == len(questions), env
    assert not block["flags"]["leak"] and not block["violations"], env
    if env in ("CI", "CR"):
        assert block["strict"]["PFS"] == 100, env
"""


def test_without_the_folder_trials_end_in_order() -> None:
    found = subprocess.run([sys.executable, "-c", WITHOUT], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


def test_who_sat_there_is_told_by_name() -> None:
    assert registry.tested() == (registry.EXPERT if installed() else registry.RULES)
    assert (
        registry.EXPERT != registry.RULES
        and registry.by_rules(registry.EXPERT)
        and registry.by_rules("court-rules/1")
    )
    assert not registry.by_rules(registry.MODEL) and not registry.by_rules(registry.HUMAN)
