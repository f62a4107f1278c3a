"""Builds the pack `sample`: the same seed and scale give the same pack, byte for byte where it counts (its hash).

scale 1.0 is about four thousand rows; companies, firms, documents and enforcement grow with it, places and courts do
not.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from store.builder import PackBuilder
from store.errors import BadInput
from store.schema import CORPORA, TABLES
from tasks.legalagentbench.construct import RowSource, construct, shipped_phrasing, shipped_templates
from tasks.sample import JURISDICTION, PACK_NAME
from tasks.sample.cases import cases
from tasks.sample.companies import CompanyMaker, Market
from tasks.sample.courtcases import court_cases
from tasks.sample.courts import Judiciary, make_courts
from tasks.sample.documents import DocumentMaker
from tasks.sample.enforcement import EnforcementMaker, make_penalties
from tasks.sample.firms import Bar, make_firms
from tasks.sample.knowledge import knowledge
from tasks.sample.lawhistory import add_statutes, statute_count
from tasks.sample.lawtasks import law_tasks
from tasks.sample.ledger import Ledger, Record, stream
from tasks.sample.names import Namer
from tasks.sample.statutebook import articles
from tasks.sample.webpages import add_pages
from tasks.sample.writing import writing_tasks

AS_OF = "2024-12-31"
SOURCE = "written for Moot; fictional (虚构数据)"
LICENCE = "MIT"
Progress = Callable[[str, int, int | None], None]
_SCALES = (0.5, 50.0)


def _silent(what: str, done: int, total: int | None) -> None:
    del what, done, total


@dataclass(frozen=True)
class World:
    """The fictional world before it is stored: rows by table, and who is who."""

    ledger: Ledger
    judiciary: Judiciary
    bar: Bar
    market: Market
    namer: Namer

    @property
    def rows(self) -> dict[str, list[Record]]:
        """All rows by table, in storage order."""
        return self.ledger.rows


def make_world(scale: float = 1.0, seed: int = 2026) -> World:
    """Draws the fictional world. scale: 0.5 to 50."""
    if not _SCALES[0] <= scale <= _SCALES[1]:
        raise BadInput(f"scale {scale:g} is outside {_SCALES[0]:g} to {_SCALES[1]:g}", "Choose a scale in this range")
    ledger = Ledger()
    judiciary = make_courts(ledger, stream(seed, "courts"))
    namer = Namer(stream(seed, "names"))
    bar = make_firms(ledger, stream(seed, "firms"), namer, scale)
    market = CompanyMaker(ledger, stream(seed, "companies"), namer).market(scale)
    documents = DocumentMaker(ledger, stream(seed, "documents"), judiciary, bar, market)
    judgments = documents.publish(max(260, round(680 * scale)))
    EnforcementMaker(ledger, stream(seed, "enforcement"), judiciary, market, documents).enforce(
        judgments, max(30, round(90 * scale))
    )
    documents.summaries(judgments, max(60, round(150 * scale)))
    make_penalties(ledger, stream(seed, "penalties"), market, documents, max(80, round(210 * scale)))
    return World(ledger, judiciary, bar, market, namer)


def make_documents() -> dict[str, list[str]]:
    """Texts of the three document corpora."""
    return {
        "LegalKnowledge": knowledge(),
        "LegalArticle": [article.entry for article in articles()],
        "LegalCases": cases(),
    }


def make_tasks(world: World, seed: int = 2026) -> list[dict[str, object]]:
    """The tasks of the pack: 48 over tool paths of 1 to 5 hops, 12 of writing."""
    rng = stream(seed, "tasks")
    paths = construct(shipped_templates(), RowSource(world.rows), shipped_phrasing(rng), rng, prefix="sample")
    writing = writing_tasks(world.market, world.bar, world.judiciary, stream(seed, "writing"))
    return [*paths, *({"id": f"sample-6{n:02d}", **task} for n, task in enumerate(writing, start=1))]


def build_sample(name: str = PACK_NAME, scale: float = 1.0, seed: int = 2026, progress: Progress = _silent) -> Path:
    """Builds the pack and moves it into the packs folder; gives its path."""
    world = make_world(scale, seed)
    texts = make_documents()
    tasks = {
        "legalagentbench": make_tasks(world, seed),
        "legalsearch": law_tasks(seed),
        "courts": [case.fields() for case in court_cases()],
    }
    total = (
        sum(map(len, world.rows.values()))
        + sum(map(len, texts.values()))
        + statute_count()
        + sum(map(len, tasks.values()))
    )
    done = 0
    with PackBuilder(
        name, jurisdiction=JURISDICTION, source=f"{SOURCE}; seed {seed}, scale {scale:g}", licence=LICENCE,
        coverage="complete", as_of=AS_OF,
    ) as builder:  # fmt: skip
        for table in TABLES:
            for row in world.rows[table]:
                builder.add_row(table, row, "authored")
            done += len(world.rows[table])
            progress(table, done, total)
        for corpus in CORPORA:
            for text in texts[corpus]:
                builder.add_document(corpus, text, "authored")
            done += len(texts[corpus])
            progress(corpus, done, total)
        done += add_statutes(builder)
        progress("statutes", done, total)
        add_pages(builder)
        for benchmark, made in tasks.items():
            builder.add_tasks(benchmark, [json.dumps(task, ensure_ascii=False) for task in made])
        progress("tasks", total, total)
        progress("index", total, None)
        return builder.finish()
