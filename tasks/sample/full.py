"""The fictional jurisdiction in the sizes of LegalAgentBench's Table 1, times a scale.

The authored core comes first; the rest is generated circuit by circuit by the same makers, each circuit written and
forgotten before the next, so that memory does not grow with the scale. A circuit names nothing of the core or of
another circuit: what a question about the core means stays what it was. Generated rows carry the source `generated`;
`sizes.json` in the pack says how many texts and rows, which come first, are the core's.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from store import places
from store.builder import PackBuilder
from store.errors import BadInput
from store.schema import CORPORA, TABLES
from tasks.sample import JURISDICTION, PACK_NAME
from tasks.sample.build import AS_OF, LICENCE, SOURCE, World, make_documents, make_tasks, make_world
from tasks.sample.companies import CompanyMaker, Market
from tasks.sample.courtcases import court_cases
from tasks.sample.courts import make_courts, make_tribunals
from tasks.sample.documents import DocumentMaker
from tasks.sample.enforcement import EnforcementMaker, make_penalties
from tasks.sample.firms import make_firms_of
from tasks.sample.generated import texts
from tasks.sample.geography import draw_address
from tasks.sample.land import circuit
from tasks.sample.lawhistory import add_statutes
from tasks.sample.lawtasks import law_tasks
from tasks.sample.ledger import Ledger, stream
from tasks.sample.names import Namer
from tasks.sample.webpages import add_pages

TABLE_1: dict[str, int] = {
    "CompanyInfo": 695, "CompanyRegister": 10_125, "SubCompanyInfo": 9_433, "LegalDoc": 24_372,
    "LegalAbstract": 1_200, "CourtInfo": 3_413, "CourtCode": 3_348, "LawfirmInfo": 4_768, "LawfirmLog": 101,
    "AddrInfo": 19_533, "RestrictionCase": 46, "FinalizedCase": 119, "DishonestyCase": 13, "AdministrativeCase": 443,
    "LegalKnowledge": 26_951, "LegalArticle": 55_347, "LegalCases": 2_370,
}  # fmt: skip
"""Corpus -> its size in Table 1 of the paper."""
SMALLEST, LARGEST = 0.5, 15.0
"""Scales: below, the core would not fit; above, no region codes are left for the courts."""
BYTES = 125_000_000
"""Disk of a pack of scale 1."""
CIRCUITS = 12
"""Circuits for each whole of the scale."""
SIZES = "sizes.json"
GENERATED = "generated"
Progress = Callable[[str, int, int | None], None]


def disk(scale: float) -> float:
    """Bytes that building at a scale takes: the pack, and the copy that is made when it is packed tight."""
    return 2 * BYTES * scale if scale > 0 else 0.0


def check_scale(scale: float) -> None:
    """Refuse a scale that cannot be built, saying what disk it would need.

    Raises:
        BadInput: it is out of bounds, or the disk is too small.
    """
    need = f"{disk(scale) / 1e9:.1f}"
    if not SMALLEST <= scale <= LARGEST:
        raise BadInput(
            f"Scale {scale:g} is outside {SMALLEST:g} to {LARGEST:g} (it would need {need} GB of disk)",
            "Choose a scale in this range; without --scale only the authored core is built.",
        )
    home = places.packs()
    while not home.exists():
        home = home.parent
    free = shutil.disk_usage(home).free
    if free < disk(scale):
        raise BadInput(
            f"Scale {scale:g} needs {need} GB of disk; {free / 1e9:.1f} GB are free",
            "Free some space, choose a smaller scale, or set MOOT_HOME to another disk.",
        )


class _Circuits:
    """Makes one circuit after the other. What passes between them: how many rows stand, and the names that must
    differ."""

    def __init__(self, seed: int, scale: float, core: World) -> None:
        self.wanted = {corpus: round(size * scale) for corpus, size in TABLE_1.items()}
        self.done = {table: len(rows) for table, rows in core.rows.items()}
        self._start = dict(self.done)
        self.count = CIRCUITS * max(1, round(scale))
        self._seed = seed
        self._brands, self._penalties = Namer(stream(seed, "generated brands")), core.ledger.penalties
        self._brands.take(core.namer)

    def _share(self, table: str, number: int) -> int:
        """How many rows of a table a circuit adds: what is wanted after it, less what stands."""
        more = self.wanted[table] - self._start[table]
        return max(0, self._start[table] + more * (number + 1) // self.count - self.done[table])

    def make(self, number: int) -> Ledger:
        """The rows of a circuit, each table cut to its share."""
        share = {table: self._share(table, number) for table in TABLES}
        ledger = Ledger(penalties=self._penalties)

        rng = stream(self._seed, f"generated {number}")
        here = circuit(number, self.count, share["CourtCode"])
        judiciary = make_courts(ledger, rng, here.land, here.highest)
        make_tribunals(ledger, rng, judiciary, share["CourtInfo"] - share["CourtCode"])
        namer = Namer(rng)
        bar = make_firms_of(
            ledger, rng, namer, here.land, share["LawfirmInfo"], share["LawfirmLog"], self.done["LawfirmLog"] + 1
        )
        companies = CompanyMaker(ledger, rng, namer, here.land, self._brands)
        market = companies.market_of(share["CompanyInfo"], share["SubCompanyInfo"], self.done["CompanyInfo"])
        market = _registered(market, ledger, share["CompanyRegister"])
        documents = DocumentMaker(ledger, rng, judiciary, bar, market, here.land)
        judgments = documents.publish(round(0.72 * share["LegalDoc"]))
        matters = min(len(judgments), 6 * share["FinalizedCase"] + 8 * share["DishonestyCase"] + 12)
        EnforcementMaker(ledger, rng, judiciary, market, documents, here.land).enforce(
            judgments[:matters], max(4, share["FinalizedCase"], 2 * share["RestrictionCase"])
        )
        documents.summaries(judgments, share["LegalAbstract"])
        make_penalties(ledger, rng, market, documents, share["AdministrativeCase"])
        while len(ledger.rows["LegalDoc"]) < share["LegalDoc"]:
            documents.publish(50)
        while len(ledger.rows["AddrInfo"]) < share["AddrInfo"]:
            place = here.land.draw(rng)
            if ledger.address_free(text := draw_address(rng, place)):
                ledger.address(text, place)
        for table, rows in ledger.rows.items():
            if table != "AddrInfo":
                del rows[share[table] :]
            self.done[table] += len(rows)
        return ledger


def _registered(market: Market, ledger: Ledger, count: int) -> Market:
    """The companies whose rows of the register are kept; a third of the subsidiaries trade with anybody."""
    known = {str(row["公司名称"]) for row in ledger.rows["CompanyRegister"][:count]}
    children = tuple(company for company in market.subsidiaries if company.name in known)
    return Market(market.listed, children, children[::3])


def build_full(name: str = PACK_NAME, scale: float = 1.0, seed: int = 2026, progress: Progress | None = None) -> Path:
    """Builds the pack of a scale and moves it into the packs folder; gives its path.

    Raises:
        BadInput: see `check_scale`.
    """
    check_scale(scale)
    tell = progress or (lambda what, done, total: None)
    core = make_world(1.0, seed)
    wanted = {corpus: round(size * scale) for corpus, size in TABLE_1.items()}
    for table, rows in core.rows.items():
        del rows[wanted[table] :]
    authored = make_documents()
    tasks = {
        "legalagentbench": make_tasks(core, seed),
        "legalsearch": law_tasks(seed),
        "courts": [entry.fields() for entry in court_cases()],
    }
    with PackBuilder(
        name, jurisdiction=JURISDICTION, source=f"{SOURCE}; seed {seed}, scale {scale:g}", licence=LICENCE,
        coverage="complete", as_of=AS_OF,
    ) as builder:  # fmt: skip
        for table in TABLES:
            for row in core.rows[table]:
                builder.add_row(table, row, "authored")
        circuits = _Circuits(seed, scale, core)
        builder.settle()
        for number in range(circuits.count):
            for table, rows in circuits.make(number).rows.items():
                for row in rows:
                    builder.add_row(table, row, "authored", source=GENERATED)
            builder.settle()
            tell("circuits", number + 1, circuits.count)
        for corpus in CORPORA:
            _write_texts(builder, corpus, authored[corpus], wanted[corpus], seed, tell)
        add_statutes(builder)
        add_pages(builder)
        for benchmark, made in tasks.items():
            builder.add_tasks(benchmark, [json.dumps(task, ensure_ascii=False) for task in made])
        counts = {table: len(core.rows[table]) for table in TABLES} | {c: len(authored[c]) for c in CORPORA}
        builder.add_file(SIZES, json.dumps({"scale": scale, "seed": seed, "core": counts}).encode())
        return builder.finish(tell)


def _write_texts(
    builder: PackBuilder, corpus: str, authored: list[str], wanted: int, seed: int, tell: Progress
) -> None:
    for text in authored:
        builder.add_document(corpus, text, "authored")
    for number, text in enumerate(texts(corpus, wanted - len(authored), seed), start=len(authored) + 1):
        builder.add_document(corpus, text, "authored")
        if number % 1000 == 0 or number == wanted:
            builder.settle()
            tell(corpus, number, wanted)
