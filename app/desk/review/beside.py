"""What stands beside a field of a case: what the coherence check found, the law it cites with its window, who has
reviewed it."""

from __future__ import annotations

from collections.abc import Iterator

from app.desk.episode.renderers import Line, many, one
from app.desk.law.bar import period_bar
from app.desk.law.events import MARKS, days_words
from app.desk.review.cases import CaseReview
from app.desk.review.fields import Field
from app.desk.review.laws import Cited
from app.strings import t
from app.strings.sentences import said
from store.statutes.names import short_name

MOST = 6
"""Articles of one field that are shown in full."""
LONGEST_BAR = 24


def beside_lines(review: CaseReview, field: Field, room: int) -> Iterator[Line]:
    """Findings first, then articles; at the head of the case who has reviewed it."""
    if field.findings:
        yield ((t("review_screen.findings"), "label"),)
    for finding in field.findings:
        sign, role = ("✘", "bad") if finding.level == "error" else ("●", "warn")
        yield ((f"{sign} ", role), (f"{one(finding.field)}  ", "dim"), (one(said(finding.what)), "text"))
        yield ((f"  {one(said(finding.todo))}", "dim"),)
    cited = [found for ref in field.refs if (found := review.laws.get(ref)) is not None]
    if cited:
        yield from ((),) if field.findings else ()
        yield ((t("review_screen.laws"), "label"),)
    for place, found in enumerate(cited[:MOST]):
        yield from ((),) if place else ()
        yield from law_lines(found, room)
    if len(cited) > MOST:
        yield ((t("review_screen.more_laws", n=len(cited) - MOST), "dim"),)
    if field.path in ("", "draft"):
        yield from _reviews(review)
    elif not field.findings and not cited:
        yield ((t("review_screen.nothing_found"), "dim"),)


def _name(found: Cited) -> str:
    return one(f"{short_name(found.ref.law)}{found.ref.chinese.rpartition('》')[2]}")


def cited_line(found: Cited) -> Line:
    """An article on one line: its mark, its name, the days of its version."""
    name = _name(found)
    if found.version is None or found.mark is None:
        return (("✘ ", "bad"), (name, "text"), (f"  {t('review_screen.no_article')}", "warn"))
    sign, role = MARKS[found.mark.verdict]
    return (
        (f"{sign} ", role),
        (name, "text"),
        (f"  {days_words(found.version.valid_from, found.version.valid_to)}", "dim"),
    )


def law_lines(found: Cited, room: int) -> Iterator[Line]:
    """An article, whether its version is the one that the case calls for and why, its days, its words where there are
    any."""
    yield ((_name(found), "question"),)
    if found.version is None or found.mark is None:
        yield ((t("review_screen.no_article"), "warn"),)
        return
    sign, role = MARKS[found.mark.verdict]
    yield ((f"{sign} {t(f'law_events.mark.{found.mark.verdict}')}", role), (f"  {one(found.version.label)}", "dim"))
    window = (found.version.valid_from, found.version.valid_to)
    bar = [*period_bar(window, found.life, min(LONGEST_BAR, max(8, room - 24)))] if found.life is not None else []
    yield (*bar, (" " if bar else "", "dim"), (days_words(*window), "text"))
    yield ((one(found.mark.rule.says), "text"),)
    if found.mark.rule.basis:
        yield ((one(found.mark.rule.basis), "dim"),)
    if found.text is None:
        yield ((t("review_screen.no_words"), "dim"),)
    else:
        yield from many(found.text)
        yield ((t("review_screen.from_pack", pack=one(found.pack)), "dim"),)


def _reviews(review: CaseReview) -> Iterator[Line]:
    yield ((t("review_screen.reviews"), "label"),)
    if not review.reviews:
        yield ((t("review_screen.status.open"), "dim"),)
    for known in reversed(review.reviews):
        same = known.digest == review.entry.digest
        sign, role = ("✔", "good") if same else ("●", "warn")
        yield (
            (f"{sign} ", role),
            (one(known.author), "text"),
            (f"  {one(known.at[:16].replace('T', ' '))} UTC", "dim"),
        )
        if not same:
            yield ((f"  {t('review_screen.status.changed')}", "warn"),)
        if known.note:
            yield from (((("  ", "text"), *line)) for line in many(known.note))
