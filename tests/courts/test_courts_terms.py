"""Texts of the product keep the table of court terms (tests/support/court_terms.toml)."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.support.court_terms import Where, wrong_words

ROOT = Path(__file__).resolve().parents[2]
CHINESE = re.compile(r"[一-鿿]")
SAYS_ALL: tuple[tuple[str, Where], ...] = (
    ("tasks/agents/prompts/court-*criminal*.txt", "criminal"),
    ("tasks/agents/prompts/court-*civil*.txt", "civil"),
    ("tasks/courts/agents/trial/criminal.py", "criminal"),
    ("tasks/courts/agents/trial/civil.py", "civil"),
    ("tasks/agents/prompts/*.txt", "both"),
    ("tasks/courts/agents/**/*.py", "both"),
    ("app/strings/zh.toml", "both"),
    ("app/court*.py", "both"),
    ("app/desk/court/*.py", "both"),
    ("app/desk/presenter.py", "both"),
)
"""Files whose Chinese texts are ours, and the proceedings they speak of."""
EXEMPT = {"书记员": {"记录员"}}
"""The seat of the topic tracker is 话题记录员: it is no 书记员."""


@pytest.mark.parametrize(("pattern", "where"), SAYS_ALL)
def test_screens_prompts_and_rules_use_the_words_of_the_courts(pattern: str, where: Where) -> None:
    paths = sorted(ROOT.glob(pattern))
    assert paths
    faults = [
        f"{path.relative_to(ROOT)}: {word.word} → {word.right}（{word.around}）"
        for path in paths
        for text in _texts(path)
        for word in wrong_words(text, where)
        if word.word not in EXEMPT.get(word.right, ())
    ]
    assert faults == []


def _texts(path: Path) -> list[str]:
    """The Chinese texts of a file; of a module its strings, doc strings and patterns left out."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return _values(tomllib.loads(source))
    if path.suffix != ".py":
        return [source]
    strings = [
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return [text for text in strings if CHINESE.search(text) and not re.search(r"[|\\]|\(\?", text)]


def _values(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _values(item)]
    return [value] if isinstance(value, str) else []
