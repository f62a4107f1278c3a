"""Times, versions and citations as people write them, labelled by somebody who had not seen the readers: read right,
said unknown, or wrong, by the reading of a question over both public collections merged.

A row is right when every time and version is read (marked ones by overlap, others to the day, a day forgiven at a
border), every article and heading with its law, and nothing else is; it is said unknown when nothing else is read and
a note says that something was not; else it is wrong. Paragraphs and items filter nothing and are not compared. The
sentences of `dev.jsonl` are there to mend classes by. Those of `held.jsonl` were only measured at first: 144 right, 4
unknown, 40 wrong at first sight; then they were read, too, and are no longer unseen. Units: rows.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from store.combining import combine
from store.importers import silent
from store.pack import Pack
from store.search.law_search import LawSearch, SearchSettings
from store.search.narrowing import narrow
from store.search.query import LawQuery, Span
from store.statutes.book import ArticleFound, NoText, NotYetInForce, RepealedArticle, StatuteBook
from store.statutes.model import ArticleNumber
from store.text.numerals import int_to_chinese
from tasks.registry import importer

TABLES = Path(__file__).resolve().parents[1] / "law_expressions"
TODAY = date(2026, 11, 22)
FLOORS = {"dev": (172, 12), "held": (164, 21)}
"""Table -> rows read right at least, rows read wrongly at most."""


def same(wanted: dict[str, Any], got: Span) -> bool:
    """Whether a span is what the words mean."""
    first = date.fromisoformat(wanted["from"]) if wanted["from"] else date.min
    last = date.fromisoformat(wanted["to"]) if wanted["to"] else date.max
    if wanted.get("approx"):
        return got.first <= last and first <= got.last
    day = timedelta(days=1)
    near = [(first, got.first), (last, got.last)]
    return all(a == b or (date.min < min(a, b) and max(a, b) < date.max and abs(a - b) <= day) for a, b in near)


def cited(row: dict[str, Any], query: LawQuery, book: StatuteBook) -> tuple[bool, bool]:
    """Whether all articles, headings and laws that are meant were read, and whether nothing else was."""
    wanted: set[str] = set()
    headings: set[str] = set()
    laws: set[str] = set()
    got = {number.key for number in query.numbers}
    for one in row["citations"]:
        laws |= {law.name for law in book.named(one["law"])}
        for article in one["articles"]:
            low, _, high = article.partition("..")
            wanted |= {low, high} - {""}
            if high:
                ends = [tuple(map(int, f"{end}-0".split("-")[:2])) for end in (low, high)]
                wanted |= {n.key for n in query.numbers if ends[0] <= (n.number, n.sub) <= ends[1]}
        parts = [(one["chapter"], "章"), (one["section"], "节")]
        headings |= {f"第{int_to_chinese(number)}{kind}" for number, kind in parts if number}
        headings |= {name if name.endswith("编") else f"{name}编" for name in (one["part"], one.get("book")) if name}
    all_there = wanted <= got and headings <= set(query.headings) and laws <= set(query.laws)
    return all_there, got <= wanted and set(query.headings) <= headings


def verdict(row: dict[str, Any], search: LawSearch) -> str:
    """right, unknown or wrong."""
    query = search.analyse(row["text"], today=TODAY)
    notes = narrow(search.catalogue, search.book, query, SearchSettings(today=TODAY)).notes
    wanted = [*row["times"], *row["versions"]]
    missed = [one for one in wanted if not any(same(one, span) for span in query.spans)]
    left = [span for span in query.spans if not any(same(one, span) for one in wanted)]
    # 1998年合同法: its year filters, and the answer says that there was no such law.
    left = [span for span in left if not notes or not any(span.said in words for words in row["unknown"])]
    there, alone = cited(row, query, search.book)
    silent_on = [words for words in row["unknown"] if not notes]
    if not missed and not left and not silent_on and there and alone:
        return "right"
    return "unknown" if notes and not left and alone else "wrong"


def told(trap: dict[str, Any], search: LawSearch) -> tuple[bool, str]:
    """Whether the statute book has the state of the article on the day, and what the search of the question says:
    said, silent, or wrong (a first hit that did not apply on the day, without a note)."""
    day, number = date.fromisoformat(trap["day"]), ArticleNumber(*map(int, f"{trap['article']}-0".split("-")[:2]))
    kind = {"not_yet": NotYetInForce, "repealed": RepealedArticle, "in_force": ArticleFound | NoText}[
        trap["must_say"][0]
    ]
    known = isinstance(search.book.on(trap["law"], number, day), kind)
    answer = search.search(trap["question"], SearchSettings(today=TODAY))
    codes = {note.partition(":")[0] for note in answer.notes}
    if trap["must_say"] == ["in_force"]:
        law = search.book.law(trap["law"])
        found = any(law and hit.version.law == law.name and hit.article.number == number for hit in answer.hits)
        return known, "said" if found else "silent"
    if codes & ({"later", "later_near", "not_yet"} if kind is NotYetInForce else {"ended", "repealed", "doubtful"}):
        return known, "said"
    first = answer.hits[0].version if answer.hits and "gap_neighbour" not in answer.hits[0].kept else None
    applied = first is None or first.valid_from is None or first.valid_from <= day <= (first.valid_to or date.max)
    return known, "silent" if applied else "wrong"


def test_expressions_are_read_or_said_to_be_unknown(data: Callable[..., Path], published_statutes: Path) -> None:
    importer("law-markdown")(data("laws"), "laws", silent)
    with Pack.open(published_statutes) as versions, Pack.open("laws") as texts:
        combine(versions, texts, "both", silent)
    with Pack.open("both") as both:
        search = LawSearch(both)
        for table, (right, wrong) in FLOORS.items():
            rows = [json.loads(line) for line in (TABLES / f"{table}.jsonl").read_text(encoding="utf-8").splitlines()]
            by_class: defaultdict[str, Counter[str]] = defaultdict(Counter)
            for row in rows:
                by_class[row["class"]][verdict(row, search)] += 1
            by_class["all"] = sum(by_class.values(), Counter[str]())
            for name, counts in by_class.items():
                print(f"{table:5} {name:18}", *(f"{said} {counts[said]:3}" for said in ("right", "unknown", "wrong")))
            assert by_class["all"]["right"] >= right and by_class["all"]["wrong"] <= wrong
        traps = [json.loads(line) for line in (TABLES / "traps.jsonl").read_text(encoding="utf-8").splitlines()]
        states = ("not_yet", "repealed", "in_force")
        found = [
            told(trap, search) for trap in traps if trap["day"] and trap["article"] and trap["must_say"][0] in states
        ]
        print(
            f"traps {len(found)}: book right {sum(known for known, _ in found)}, search", Counter(s for _, s in found)
        )
