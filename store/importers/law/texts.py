"""Statutes as texts, one version of one law a file: what the readers of Markdown and of plain text share.

A reader gives title, history and articles; here dates, level and names are concluded from them, the versions of each
law are laid beside each other, and every file is accounted for in the report, by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from store.errors import BadInput
from store.importers import Progress
from store.importers.law import naming
from store.importers.law.assembling import LawPlan, VersionPlan, assemble
from store.importers.law.body import Body
from store.importers.law.history import closing_day, enacted, entry_into_force, last_change, repeals
from store.importers.law.parsed import LawDecision, ParsedLaw, folded
from store.importers.law.writing import REPORT, LawCounts, Origin, StatedLaw, write_pack
from store.importers.reading import labelled_files
from store.statutes.model import Article, ArticleNumber, Law
from store.text.numerals import int_to_chinese

_UNLISTED_AFTER = timedelta(days=150)
"""Between adoption and publication lie weeks; a version dated later than this was changed by a decision not
listed."""
_PUBLISHED_LATE = "司法解释"
"""Between the committee's adoption and the notice that publishes an interpretation lies up to a year."""
_REPORTED_LINES = 200
_NAMED = 8


def completed(
    name: str,
    source: str,
    history: tuple[LawDecision, ...],
    body: Body,
    *,
    named_day: date | None = None,
    part: str = "",
    folders: Sequence[str] = (),
    aliases: Sequence[str] = (),
) -> ParsedLaw:
    """A law from its pieces; `named_day` is the day of adoption that the name of the file gives."""
    law = ParsedLaw(name, source, part, history=history, articles=body.articles)
    change, begun = last_change(history), enacted(history)
    law.changed = change is not None
    law.state = change.day if change else begun or named_day
    law.level = naming.level_of(folders, name, history)
    known = [event.day for event in history if event.kind != "in_force"]
    if named_day and known and named_day - max(known) > _UNLISTED_AFTER and law.level != _PUBLISHED_LATE:
        law.unlisted, law.state, law.changed = True, named_day, True
    elif named_day and law.state and law.state - named_day > _UNLISTED_AFTER:
        law.problems.append(
            f"the history goes on to {law.state.isoformat()}, after {named_day.isoformat()} in its name"
        )
    law.adopted, law.dated = named_day or law.state, named_day is not None
    published = max(filter(None, (law.state, named_day)), default=None)
    entry = entry_into_force(law.articles, history, law.state, law.changed, published)
    law.valid_from, law.inferred, law.basis = entry.day, entry.inferred, entry.basis
    law.closing_day = closing_day(law.articles)
    law.aliases = tuple(aliases)
    law.repeals = repeals(law.articles)
    law.problems.extend(_remarks(body))
    return law


def _remarks(body: Body) -> list[str]:
    """What a reader should know about the numbers of a text."""
    found = []
    for last, following in body.skipped:
        between = following.number - last.number - 1
        if following.sub or not between:
            found.append(f"{following.chinese} follows {last.chinese}")
        elif between == 1:
            found.append(f"第{int_to_chinese(last.number + 1)}条 is missing")
        else:
            first, end = int_to_chinese(last.number + 1), int_to_chinese(following.number - 1)
            found.append(f"第{first}条 to 第{end}条 are missing")
    found += [f"{number.chinese} comes again or late (line {line})" for line, number in body.restarts]
    found += [f"{number.chinese} has no words" for number in body.wordless]
    return found


@dataclass
class _Report:
    """What became of every file, by name."""

    parsed: list[str] = field(default_factory=list)
    joined: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    duplicates: dict[str, str] = field(default_factory=dict)
    conflicts: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    unlisted: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    read: int = 0

    def summary(self, tally: LawCounts) -> dict[str, Any]:
        """As JSON: counts first, then names with reasons."""
        became = {
            "parsed": len(self.parsed),
            "part_of_a_law": len(self.joined),
            "one_text": len(self.texts),
            "duplicate": len(self.duplicates),
            "conflict": len(self.conflicts),
            "refused": len(self.refused),
        }
        return {
            "files": sum(became.values()),
            "became": became,
            "laws": tally.laws,
            "versions": tally.versions,
            "versions_inferred": tally.inferred,
            "versions_undated": tally.undated,
            "articles": tally.articles,
            "articles_read": self.read,
            "unnumbered_texts": tally.unnumbered,
            "links": dict(sorted(tally.links.items())),
            "levels": dict(sorted(tally.levels.items())),
            "one_text": self.texts,
            "part_of_a_law": self.joined,
            "duplicate": self.duplicates,
            "conflict": self.conflicts,
            "refused": self.refused,
            "last_change_not_in_history": self.unlisted,
            "remarks": self.remarks,
        }


def import_texts(
    root: Path, read: Callable[[Path, str], ParsedLaw], name: str, origin: Origin, progress: Progress, nothing: str
) -> Path:
    """Build a pack of all laws in a file or folder; `read` gives the law of a file by path and label.

    Raises:
        BadInput: no file holds a law; `nothing` says so.
    """
    report = _Report()
    found = list(_read_all(root, read, report, progress))
    if not found:
        raise BadInput(nothing, next(iter(report.refused.values()), ""))
    plan = assemble(found)
    for kept, other in plan.same:
        _compare(kept, other, report)
    report.remarks.extend(plan.remarks)
    newest = max((law.adopted for law in found if law.adopted), default=date.min).isoformat()
    laws = (_stated(law, report) for law in plan.laws)
    path, summary = write_pack(
        name, origin, laws, report.summary, progress, as_of=newest, total=len(plan.laws), links=plan.links
    )
    _report_lines(report, progress)
    progress(_in_words(summary), 0, 0)
    return path


def _in_words(summary: dict[str, Any]) -> str:
    """The report in one line."""
    became = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in summary["became"].items() if count)
    return (
        f"{summary['files']} files ({became}): {summary['articles_read']} articles read, {summary['articles']} kept,"
        f" and {summary['unnumbered_texts']} texts"
        f" without number in {summary['versions']} versions of {summary['laws']} laws;"
        f" days inferred for {summary['versions_inferred']} versions, unknown for {summary['versions_undated']}"
    )


def _read_all(
    root: Path, read: Callable[[Path, str], ParsedLaw], report: _Report, progress: Progress
) -> Iterator[ParsedLaw]:
    done = 0
    for done, (path, label) in enumerate(labelled_files(root), 1):
        try:
            law = read(path, label)
            report.read += len(law.numbered)
            yield law
        except BadInput as error:
            report.refused[label] = error.title
        if done % 100 == 0:
            progress("reading files", done, None)
    progress("reading files", done, done)


def _compare(kept: ParsedLaw, other: ParsedLaw, report: _Report) -> None:
    """Whether two texts of one version say the same, and if not, where they differ."""
    left, right = ({article.number: folded(article.text) for article in law.numbered} for law in (kept, other))
    differing = sorted(number for number in left.keys() & right.keys() if left[number] != right[number])
    single = sorted(left.keys() ^ right.keys())
    if kept.digest == other.digest or not (differing or single):
        report.duplicates[other.source] = kept.source
        return
    said = []
    if differing:
        said.append(f"{len(differing)} articles differ ({_listed(differing)})")
    if single:
        said.append(f"{len(single)} are in one only ({_listed(single)})")
    report.conflicts[other.source] = f"the same version as {kept.source}, which is kept: {'; '.join(said)}"


def _listed(numbers: list[ArticleNumber]) -> str:
    more = f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    return "、".join(number.chinese for number in numbers[:_NAMED]) + more


def _stated(plan: LawPlan, report: _Report) -> StatedLaw:
    versions = []
    for planned in plan.versions:
        _account(planned, report)
        versions.append((planned.version, tuple(_articles(planned))))
        for law in planned.texts:
            law.articles = []  # the indexes will need the room
    return StatedLaw(Law(plan.name, plan.short, plan.level), tuple(plan.aliases), tuple(versions))


def _articles(planned: VersionPlan) -> Iterator[Article]:
    version, loose = planned.version, 0
    for law, part in zip(planned.texts, planned.parts, strict=True):
        for parsed in law.articles:
            number = parsed.number
            if not parsed.numbered:
                loose += 1
                number = ArticleNumber(0, loose)
            yield Article(
                version.law,
                version.label,
                number,
                part + parsed.part.removeprefix(law.part) if law.part else parsed.part,
                parsed.chapter,
                parsed.section,
                parsed.title,
                parsed.text or None,
                text_source=f"{law.source}:{parsed.line}",
            )


def _account(planned: VersionPlan, report: _Report) -> None:
    laws = planned.texts
    counted = Counter(article.number for law in laws for article in law.numbered)
    for law in laws:
        if len(laws) > 1:
            report.joined[law.source] = planned.version.label
        else:
            (report.parsed if counted else report.texts).append(law.source)
        report.remarks.extend(f"{law.source}: {problem}" for problem in law.problems)
        if law.unlisted:
            report.unlisted.append(law.source)
    if len(laws) > 1:
        last = max((number.number for number in counted), default=0)
        absent = [n for n in range(1, last + 1) if ArticleNumber(n) not in counted]
        twice = [number.chinese for number, count in counted.items() if count > 1]
        if absent or twice:
            label = planned.version.label
            report.remarks.append(f"{label}: {len(absent)} numbers missing between its parts, twice: {twice[:5]}")


def _report_lines(report: _Report, progress: Progress) -> None:
    lines = [f"not imported: {reason}" for reason in report.refused.values()]
    lines += [f"contradiction: {label}: {reason}" for label, reason in report.conflicts.items()]
    lines += [f"remark: {remark}" for remark in report.remarks]
    if report.unlisted:
        lines.append(
            f"remark: {len(report.unlisted)} histories end before the last change, which the file name dates"
        )
    for line in lines[:_REPORTED_LINES]:
        progress(line, 0, 0)
    if len(lines) > _REPORTED_LINES:
        progress(f"{len(lines) - _REPORTED_LINES} more lines are in {REPORT} of the pack", 0, 0)
