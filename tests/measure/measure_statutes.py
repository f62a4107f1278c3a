"""The published files of LegalSearch-R1: every row taken in, and every question on a dated article finds its row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

from store.pack import Pack
from store.search.law_search import LawSearch
from store.statutes.book import ArticleFound, StatuteBook
from store.statutes.check import check
from store.text.citation import citations
from store.text.dates import parse_date


def test_the_published_files(data: Callable[..., Path], published_statutes: Path) -> None:
    """All rows are taken in; every LAR question leads to one article; where its text is there, it is the gold
    text."""
    source = data("legalsearch_r1", "statutes.jsonl").parent
    book = StatuteBook(Pack.open(published_statutes, verify=True))
    summary = json.loads((published_statutes / "statutes.json").read_text("utf-8"))
    assert (summary["texts"], summary["index_rows"], summary["laws"], summary["versions"]) == (8071, 13267, 18, 49)
    assert book.counts()["articles"] == 13267 and len(summary["repaired"]) == 3
    questions = [json.loads(line) for line in (source / "evaluation_dev.jsonl").read_text("utf-8").splitlines()]
    asked = covered = exact = 0
    for question in questions:
        if question["type"] != "lar":
            continue
        (cited,) = citations(question["question"])
        day = _asked_day(question["question"])
        answer = book.on(cited.law or "", cited.number, day)
        asked += 1
        assert answer.kind in ("found", "no_text"), question["question"]
        assert answer.article is not None  # type: ignore[union-attr]
        if isinstance(answer, ArticleFound):
            covered += 1
            heading = f"【{answer.article.title}】" if answer.article.title else ""
            exact += "".join((heading + (answer.article.text or "")).split()) == "".join(question["answer"].split())
    assert (asked, covered) == (64, 21) and exact >= 18
    kinds = {(f.kind, f.label) for f in check(book)}
    assert {
        ("gap", "中华人民共和国刑法(2011修正)"), ("gap", "中华人民共和国收养法"),
        ("window_ends", "中华人民共和国民法通则(2009修正)"), ("no_rows", "中华人民共和国经济合同法"),
        ("no_rows", "中华人民共和国涉外经济合同法"), ("mislabelled", "中华人民共和国刑法(2011修正)"),
        ("missing_numbers", "中华人民共和国刑事诉讼法"), ("stray_number", "中华人民共和国收养法"),
    } <= kinds  # fmt: skip


def _asked_day(question: str) -> date:
    match = re.search(r"(\d{4})年(\d{1,2})月(?:(\d{1,2})日)?", question)
    assert match
    day = parse_date(f"{match[1]}-{match[2]}-{match[3] or 15}")
    assert day
    return day


def test_questions_on_dated_articles_find_their_row_first(
    data: Callable[..., Path], published_statutes: Path
) -> None:
    folder = data("legalsearch_r1")
    rows: dict[tuple[str, str], list[dict[str, str]]] = {}
    for line in (folder / "article_index.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rows.setdefault((row["law"], row["article"]), []).append(row)
    missed = []
    with Pack.open(published_statutes) as pack:
        searcher = LawSearch(pack)
        for line in (folder / "evaluation_dev.jsonl").read_text(encoding="utf-8").splitlines():
            question = json.loads(line)
            if question["type"] != "lar":
                continue
            text = question["question"]
            named = re.search(r"《(.*?)》(第.*?条(?:之[一二三四五六七八九十]+)?)", text)
            at = re.search(r"(\d{4})年(\d+)月(?:(\d+)日)?", text)
            assert named and at
            day = f"{at[1]}-{int(at[2]):02d}-{int(at[3] or 1):02d}"
            (gold,) = [row for row in rows[named[1], named[2]] if row["valid_from"] <= day <= row["valid_to"]]
            first = searcher.search(text).hits[0]
            if (first.version.label, first.article.number.chinese) != (gold["version"], gold["article"]):
                missed.append(text)
    assert missed == []
