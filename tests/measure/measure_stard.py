"""The public collection of laws, imported once: every file accounted for, and real questions of lay people answered
over it.

Where weights were chosen on these questions they were checked by halves: each half by the weights of the other
differs by less than two points.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from store.pack import Pack
from store.statutes.book import ArticleFound, StatuteBook
from store.statutes.model import ArticleNumber

LEAST = {"R5": 44.0, "R10": 53.0, "R50": 71.0, "R100": 77.0, "MRR10": 43.0}
MARGIN = 1.5
"""Points by which the fusion is better than its best channel, in every column."""


def answered(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--json"])
    assert not ended.value.code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_public_collection(data: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    questions = data("stard", "queries_dev.jsonl")
    made = answered(capsys, "data", "import", "law-markdown", str(data("laws")), "--name", "laws")
    assert {"indexing words", "indexing bigrams", "fitting vectors", "writing vectors"} <= set(made["seconds"])
    report = made["import"]
    assert sum(report["became"].values()) == report["files"] == 1511
    assert list(report["refused"]) == ["README.md"]
    assert report["articles_read"] >= 64_000
    assert report["articles"] + report["unnumbered_texts"] >= 64_000
    assert report["versions_undated"] == 0
    with Pack.open("laws") as pack:
        book = StatuteBook(pack)
        code = book.articles("中华人民共和国民法典", "中华人民共和国民法典")
        assert [article.number.number for article in code] == list(range(1, 1261))
        assert isinstance(book.on("刑法", ArticleNumber(133, 1), date(2024, 3, 1)), ArticleFound)
    found = answered(capsys, "law", "bench", "--queries", str(questions), "--pack", "laws")
    assert found["n"] == 772 and not found["missing"]
    for column, least in LEAST.items():
        assert found["fused"][column] >= least, found["fused"]
        best = max(channel[column] for channel in found["channels"].values())
        assert found["fused"][column] >= best + MARGIN, (column, found)
