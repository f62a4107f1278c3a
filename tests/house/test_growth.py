"""Readers of what models and people write do no more work than their text is long; what counts it lets nothing
squared pass."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.support.growth import _METERS, compiled, faults
from tests.support.growth_readers import READERS

pytestmark = pytest.mark.slow

LINES = {
    "one search": "re.search('ab*c', text)",
    "words": "[word.upper() for word in re.findall('a|b+', text)]",
    "one after another": "[HERE.match(text, at) for at in range(len(text))]",
    "windows": "[text[at : at + 30] for at in range(len(text))]",
    "found at once": "[text.find('a', at) for at in range(len(text))]",
    "sets": "{letter for letter in text if letter in set('ab')}",
}
SQUARES = {
    "a start at each letter": "re.search('a*c', text)",
    "two that share their letters": "re.match('a*a*c', text)",
    "a group again and again": "re.search('(?:a|aa)+c', text[:12]), re.search('(?:ab?)+c', text)",
    "the way to the end, lazily": "re.sub('a.*?c', '', text)",
    "the rest from each letter": "[text[at:] for at in range(len(text))]",
    "a search to the end from each letter": "[text.find('c', at) for at in range(len(text))]",
    "what was before": "[text[:at].endswith('b') for at in range(len(text))]",
    "a whole text for each letter": "[text.count(letter) for letter in text]",
    "is it there": "['c' in text for letter in text]",
    "each with each": "for one in text:\n  for other in text:\n    pass",
}


def read_by(line: str) -> Any:
    def read(text: str) -> None:
        exec(code, {"re": re, "HERE": re.compile("ab?"), "text": text, **_METERS})

    code = compiled(line, "reader")
    return read


@pytest.mark.parametrize("name", LINES)
def test_lines_pass(name: str) -> None:
    assert faults(read_by(LINES[name]), "a", 800) == []


@pytest.mark.parametrize("name", SQUARES)
def test_squares_are_caught(name: str) -> None:
    assert faults(read_by(SQUARES[name]), "a", 800)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_reading_takes_linear_work(name: str) -> None:
    command = [sys.executable, "-m", "tests.support.growth_readers", name]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
