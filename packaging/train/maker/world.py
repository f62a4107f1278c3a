"""The maker of fictional jurisdictions: rows of all tables, drawn anew from a seed.

The model in the box is trained on them.
"""

from __future__ import annotations

from maker.cases import CaseMaker, make_penalties
from maker.parties import CompanyMaker, make_courts, make_firms
from maker.places import Ledger, Namer, Record, stream


def rows_of(scale: float, seed: int) -> dict[str, list[Record]]:
    """Rows by table; at scale 1 about four thousand. Companies, firms and cases grow with it, places and courts do
    not."""
    ledger = Ledger()
    judiciary = make_courts(ledger, stream(seed, "courts"))
    namer = Namer(stream(seed, "names"))
    bar = make_firms(ledger, stream(seed, "firms"), namer, scale)
    market = CompanyMaker(ledger, stream(seed, "companies"), namer).market(scale)
    cases = CaseMaker(ledger, seed, judiciary, bar, market)
    judgments = cases.publish(max(260, round(680 * scale)))
    cases.enforce(judgments, max(30, round(90 * scale)))
    cases.summaries(judgments, max(60, round(150 * scale)))
    make_penalties(ledger, stream(seed, "penalties"), market, cases, max(80, round(210 * scale)))
    return ledger.rows
