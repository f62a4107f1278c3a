"""The table of court terms: each entry forbids its wrong words and lets its right one stand; texts of the product
keep it."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.support.court_terms import Where, terms, wrong_words

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


@pytest.mark.parametrize("term", terms(), ids=lambda term: term.right)
def test_the_right_word_stands_and_the_table_says_why(term: object) -> None:
    right, where = term.right, term.where  # type: ignore[attr-defined]
    own = [w for w in wrong_words(f"请{right}发言。", where) if w.right == right]
    assert own == [] and term.basis  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "where", "right"),
    [
        ("请被告陈述", "criminal", "被告人"), ("请被告人答辩", "civil", "被告"),
        ("由辩护人发表意见", "civil", "委托诉讼代理人"),
        ("请代理人发表意见", "criminal", "辩护人"), ("检方指控", "criminal", "公诉人"),
        ("宣读起诉状", "criminal", "起诉书"),
        ("提交起诉书", "civil", "民事起诉状"), ("公司的法人代表", "both", "法定代表人"),
        ("争论焦点如下", "both", "争议焦点"),
        ("发表答辩意见", "criminal", "辩护意见"), ("陪审员", "both", "人民陪审员"), ("书记官", "both", "书记员"),
    ],
)  # fmt: skip
def test_a_wrong_word_is_found(text: str, where: Where, right: str) -> None:
    assert right in {word.right for word in wrong_words(text, where)}


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
