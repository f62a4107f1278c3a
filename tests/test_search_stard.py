"""Real questions of lay people over the public collection of laws: what the search must find, without any model.

Where weights were chosen on these questions they were checked by halves: each half by the weights of the other differs by
less than two points.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import main

pytestmark = pytest.mark.slow

LEAST = {"R5": 44.0, "R10": 53.0, "R50": 71.0, "R100": 77.0, "MRR10": 43.0}
MARGIN = 1.5
"""Points by which the fusion is better than its best channel, in every column."""


def test_lay_questions_find_their_articles(data: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    questions = data("stard", "queries_dev.jsonl")
    began = time.perf_counter()
    with pytest.raises(SystemExit) as ended:
        main(["data", "import", "law-markdown", str(data("laws")), "--name", "laws", "--json"])
    assert not ended.value.code
    seconds = json.loads(capsys.readouterr().out)["seconds"]
    phases = {"indexing words", "indexing bigrams", "fitting vectors", "writing vectors"}
    assert phases <= set(seconds), seconds
    assert time.perf_counter() - began < 300
    with pytest.raises(SystemExit) as ended:
        main(["law", "bench", "--queries", str(questions), "--pack", "laws", "--json"])
    assert not ended.value.code
    found = json.loads(capsys.readouterr().out)
    assert found["n"] == 772 and not found["missing"]
    for column, least in LEAST.items():
        assert found["fused"][column] >= least, found["fused"]
        best = max(channel[column] for channel in found["channels"].values())
        assert found["fused"][column] >= best + MARGIN, (column, found)
