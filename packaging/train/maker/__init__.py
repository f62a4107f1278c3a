"""The maker of fictional jurisdictions: rows of all tables, drawn anew from a seed.

The model in the box is trained on them, and lookups are timed on them as a pack grows.
"""

from __future__ import annotations

from maker.companies import CompanyMaker
from maker.courts import make_courts
from maker.documents import DocumentMaker
from maker.enforcement import EnforcementMaker, make_penalties
from maker.firms import make_firms
from maker.ledger import Ledger, Record, stream
from maker.names import Namer


def rows_of(scale: float, seed: int) -> dict[str, list[Record]]:
    """Rows by table; at scale 1 about four thousand. Companies, firms and cases grow with it, places and courts do
    not."""
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
    return ledger.rows
