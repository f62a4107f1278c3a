"""The days of a case as its question tells them, for the marks beside retrieved articles.

Our rule: every day that a question names is read as a day of the conduct or legal fact; the first begins it, the last ends
it. The last day is also the day of the procedural step, as a question about procedure names no other. A question without
a day gives no days, and no version is then more than possibly applicable.
"""

from __future__ import annotations

from collections.abc import Sequence

from store.search.query import Span

from store.statutes.applicable import CaseDates


def case_dates(spans: Sequence[Span]) -> CaseDates:
    """The days of a case from the times that its question names."""
    if not spans:
        return CaseDates()
    first, last = min(span.first for span in spans), max(span.last for span in spans)
    return CaseDates(acted=first, acted_until=last, proceeding=last)
