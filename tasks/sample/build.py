"""Builds the pack `sample`: the same seed and scale give the same pack, byte for byte where it counts (its hash).

scale 1.0 is about four thousand rows; companies, firms, documents and enforcement grow with it, places and courts do not.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from store.builder import PackBuilder
from store.errors import BadInput
from store.schema import TABLES
from tasks.sample import JURISDICTION, PACK_NAME
from tasks.sample.companies import CompanyMaker
from tasks.sample.courts import make_courts
from tasks.sample.documents import DocumentMaker
from tasks.sample.enforcement import EnforcementMaker, make_penalties
from tasks.sample.firms import make_firms
from tasks.sample.ledger import Ledger, stream
from tasks.sample.names import Namer

AS_OF = "2024-12-31"
SOURCE = "written for Moot; fictional (虚构数据)"
LICENCE = "MIT"
Progress = Callable[[str, int, int | None], None]
_SCALES = (0.25, 50.0)


def _silent(what: str, done: int, total: int | None) -> None:
    del what, done, total


def make_world(scale: float = 1.0, seed: int = 2026) -> Ledger:
    """All rows of the fictional world, in storage order. scale: 0.25 to 50."""
    if not _SCALES[0] <= scale <= _SCALES[1]:
        raise BadInput(f"scale {scale:g} is outside {_SCALES[0]:g} to {_SCALES[1]:g}", "Choose a scale in this range")
    ledger = Ledger()
    judiciary = make_courts(ledger, stream(seed, "courts"))
    namer = Namer(stream(seed, "names"))
    bar = make_firms(ledger, stream(seed, "firms"), namer, scale)
    market = CompanyMaker(ledger, stream(seed, "companies"), namer).market(scale)
    documents = DocumentMaker(ledger, stream(seed, "documents"), judiciary, bar, market)
    judgments = documents.publish(max(240, round(640 * scale)))
    EnforcementMaker(ledger, stream(seed, "enforcement"), judiciary, market, documents).enforce(
        judgments, max(30, round(90 * scale))
    )
    documents.summaries(judgments, max(60, round(150 * scale)))
    make_penalties(ledger, stream(seed, "penalties"), market, max(80, round(210 * scale)))
    return ledger


def build_sample(
    name: str = PACK_NAME, scale: float = 1.0, seed: int = 2026, progress: Progress = _silent
) -> Path:
    """Builds the pack and moves it into the packs folder; gives its path."""
    world = make_world(scale, seed)
    builder = PackBuilder(
        name, jurisdiction=JURISDICTION, source=f"{SOURCE}; seed {seed}, scale {scale:g}", licence=LICENCE,
        coverage="complete", as_of=AS_OF,
    )  # fmt: skip
    with builder:
        total = sum(len(rows) for rows in world.rows.values())
        done = 0
        for table in TABLES:
            for row in world.rows[table]:
                builder.add_row(table, row, "authored")
            done += len(world.rows[table])
            progress(table, done, total)
        path = builder.finish()
    return path


