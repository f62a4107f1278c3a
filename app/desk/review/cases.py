"""One case under review: its fields, what the coherence check finds, the law it cites, and whether somebody has
reviewed it.

The check is `tasks.courts.checking.case.check_case`; it does not replace a reader, it tells where to look first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.desk.review.fields import Field, draft_field, fields_of
from app.desk.review.laws import Cited, cited
from app.desk.review.log import Reviewed, Status, reviews, status_of
from app.desk.review.sources import CaseEntry, Source
from tasks.courts.casefile.law import Finding
from tasks.courts.casefile.people import LawRef
from tasks.courts.checking.case import check_case


@dataclass(frozen=True, slots=True)
class CaseReview:
    """What there is to see of a case. `fields` are made anew by `fields_in` where the language changed."""

    entry: CaseEntry
    source: Source
    findings: tuple[Finding, ...]
    laws: Mapping[LawRef, Cited]
    status: Status
    reviews: tuple[Reviewed, ...]

    @property
    def errors(self) -> int:
        """Findings that a lawyer would laugh at, or that keep the file from being a case."""
        return sum(found.level == "error" for found in self.findings)

    @property
    def warnings(self) -> int:
        """Findings to be looked at."""
        return sum(found.level == "warning" for found in self.findings)


def look(source: Source, entry: CaseEntry) -> CaseReview:
    """Check a case and look its law up. Slow; called from workers."""
    case, laws = entry.case, {}
    findings = tuple(Finding("error", fault.field, fault.what, fault.todo) for fault in entry.faults)
    if case is not None:
        findings = tuple(check_case(case))
        laws = cited([ref for field in fields_of(entry.shown) for ref in field.refs], case.dates.for_law)
    status, own = status_of(reviews(), entry.id, entry.digest)
    return CaseReview(entry, source, findings, laws, status, own)


def fields_in(review: CaseReview) -> list[Field]:
    """The fields of a case in the current language; of a draft what became of the judgment comes first."""
    found = fields_of(review.entry.shown, review.findings)
    return [draft_field(review.source.draft), *found] if review.source.draft is not None else found


def statuses(source: Source) -> dict[str, Status]:
    """Id of a case -> whether it is reviewed."""
    known = reviews()
    return {entry.id: status_of(known, entry.id, entry.digest)[0] for entry in source.cases}
