"""From texts to a pack: reads every source twice, once for its dates and once for its words, and accounts for all of
them.

Only what one law needs is in memory at a time. The report (`statutes.json` in the pack) names every source with what
became of it; it holds no times, so that the same sources always give the same pack.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from store.builder import PackBuilder
from store.errors import BadInput
from store.importers import Progress
from store.importers.law.assembling import LawPlan, Summary, VersionPlan, lay
from store.importers.law.joining import REPORT
from store.importers.law.parsed import ParsedLaw
from store.importers.reading import files_in
from store.statutes.comparing import links_between
from store.statutes.model import Article, ArticleNumber, Law
from store.statutes.names import aliases_of
from store.text.alignment import squeezed
from store.text.normalise import fold_width

_TOLD = 200
_NAMED = 8


@dataclass(frozen=True, slots=True)
class Origin:
    """What a pack says of where its texts come from, and under which terms."""

    source: str
    licence: str


@dataclass(frozen=True, slots=True)
class Source:
    """One text that can be read again and again; reading raises BadInput when it holds no law."""

    label: str
    read: Callable[[], ParsedLaw]


def sources_in(root: Path, read: Callable[[Path, str], ParsedLaw]) -> Iterator[Source]:
    """The file, or all files of the folder, each a source that `read` reads by path and label."""
    for path in [root] if root.is_file() else files_in(root):
        label = path.name if root.is_file() else path.relative_to(root).as_posix()
        yield Source(label, partial(read, path, label))


@dataclass
class Report:
    """What became of every source, in counts and by name."""

    parsed: list[str] = field(default_factory=list)
    joined: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    duplicates: dict[str, str] = field(default_factory=dict)
    conflicts: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    unlisted: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    laws: int = 0
    versions: int = 0
    inferred: int = 0
    undated: int = 0
    read: int = 0
    articles: int = 0
    unnumbered: int = 0
    links: dict[str, int] = field(default_factory=dict)
    levels: dict[str, dict[str, int]] = field(default_factory=dict)

    def summary(self) -> dict[str, Any]:
        """As JSON: counts first, then names with reasons."""
        files = {
            "parsed": len(self.parsed),
            "part_of_a_law": len(self.joined),
            "one_text": len(self.texts),
            "duplicate": len(self.duplicates),
            "conflict": len(self.conflicts),
            "refused": len(self.refused),
        }
        return {
            "files": sum(files.values()),
            "became": files,
            "laws": self.laws,
            "versions": self.versions,
            "versions_inferred": self.inferred,
            "versions_undated": self.undated,
            "articles": self.articles,
            "articles_read": self.read,
            "unnumbered_texts": self.unnumbered,
            "links": dict(sorted(self.links.items())),
            "levels": dict(sorted(self.levels.items())),
            "one_text": self.texts,
            "part_of_a_law": self.joined,
            "duplicate": self.duplicates,
            "conflict": self.conflicts,
            "refused": self.refused,
            "last_change_not_in_history": self.unlisted,
            "remarks": self.remarks,
        }


def import_texts(sources: Iterable[Source], name: str, origin: Origin, progress: Progress, nothing: str) -> Path:
    """Build a pack of all laws that the sources hold.

    Raises:
        BadInput: none of them holds a law; `nothing` says so.
    """
    report, started = Report(), time.perf_counter()
    kept = list(sources)
    found = list(_read_all(kept, report, progress))
    if not found:
        reason = next(iter(report.refused.values()), "")
        raise BadInput(nothing, reason)
    read = time.perf_counter()
    plan = lay(found)
    laid = time.perf_counter()
    readers = {source.label: source.read for source in kept}
    for one, other in plan.same:
        _compare(one, other, readers, report)
    report.remarks.extend(plan.remarks)
    newest = max((s.law.adopted for s in found if s.law.adopted), default=date.min).isoformat()
    with PackBuilder(
        name, jurisdiction="CN", source=origin.source, licence=origin.licence, coverage="harvest", as_of=newest
    ) as builder:
        for done, law in enumerate(plan.laws, 1):
            _write_law(law, readers, builder, report)
            if done % 100 == 0 or done == len(plan.laws):
                progress("writing laws", done, len(plan.laws))
        for link in plan.links:
            builder.add_link(link)
            report.links[link.kind] = report.links.get(link.kind, 0) + 1
        summary = report.summary()
        builder.add_file(REPORT, (json.dumps(summary, ensure_ascii=False, indent=1) + "\n").encode())
        written = time.perf_counter()
        progress("moving the pack to its place", 0, None)
        path = builder.finish(progress)
    progress("moving the pack to its place", 1, 1)
    _tell(report, progress)
    parts = {"reading": read - started, "laying versions": laid - read, "writing": written - laid}
    parts["indexes and moving"] = time.perf_counter() - written
    progress("time: " + ", ".join(f"{part} {seconds:.1f} s" for part, seconds in parts.items()), 0, 0)
    progress(in_words(summary), 0, 0)
    return path


def in_words(summary: dict[str, Any]) -> str:
    """The report in one line."""
    became = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in summary["became"].items() if count)
    return (
        f"{summary['files']} files ({became}): {summary['articles_read']} articles read, {summary['articles']} kept,"
        f" and {summary['unnumbered_texts']} texts"
        f" without number in {summary['versions']} versions of {summary['laws']} laws;"
        f" days inferred for {summary['versions_inferred']} versions, unknown for {summary['versions_undated']}"
    )


def summarise(law: ParsedLaw) -> Summary:
    """A law without its words; empties its articles."""
    numbered = law.numbered
    digest = hashlib.sha256()
    for article in numbered or law.articles:
        digest.update(f"{article.number.key}\0{_folded(article.text)}\0".encode())
    first, last = (numbered[0].number.number, numbered[-1].number.number) if numbered else (0, 0)
    summary = Summary(law, digest.hexdigest(), len(numbered), len(law.articles) - len(numbered), first, last)
    law.articles = []
    return summary


def _read_all(sources: Iterable[Source], report: Report, progress: Progress) -> Iterator[Summary]:
    done = 0
    for source in sources:
        try:
            summary = summarise(source.read())
            report.read += summary.numbered
            yield summary
        except BadInput as error:
            report.refused[source.label] = error.title
        done += 1
        if done % 100 == 0:
            progress("reading files", done, None)
    progress("reading files", done, done)


def _compare(one: Summary, other: Summary, readers: dict[str, Callable[[], ParsedLaw]], report: Report) -> None:
    """Whether two texts of one version say the same, and if not, where they differ."""
    if one.digest == other.digest:
        report.duplicates[other.source] = one.source
        return
    left = {article.number: _folded(article.text) for article in readers[one.source]().articles if article.numbered}
    right = {
        article.number: _folded(article.text) for article in readers[other.source]().articles if article.numbered
    }
    differing = sorted(number for number in left.keys() & right.keys() if left[number] != right[number])
    single = sorted(left.keys() ^ right.keys())
    if not differing and not single:
        report.duplicates[other.source] = one.source
        return
    said = []
    if differing:
        said.append(f"{len(differing)} articles differ ({_listed(differing)})")
    if single:
        said.append(f"{len(single)} are in one only ({_listed(single)})")
    report.conflicts[other.source] = f"the same version as {one.source}, which is kept: {'; '.join(said)}"


def _listed(numbers: list[ArticleNumber]) -> str:
    more = f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    return "、".join(number.chinese for number in numbers[:_NAMED]) + more


def _folded(text: str) -> str:
    return squeezed(fold_width(text))


def _write_law(
    plan: LawPlan, readers: dict[str, Callable[[], ParsedLaw]], builder: PackBuilder, report: Report
) -> None:
    builder.add_law(Law(plan.name, plan.short, plan.level), aliases_of(plan.name, *plan.aliases))
    report.laws += 1
    level = report.levels.setdefault(plan.level or "?", {"laws": 0, "versions": 0, "articles": 0})
    level["laws"] += 1
    before: list[Article] = []
    for planned in plan.versions:
        version = planned.version
        laws = [readers[source]() for source in planned.sources]
        articles = list(_articles(laws, planned))
        builder.add_version(version, articles)
        numbered = [article for article in articles if article.number.number]
        if version.valid_from is not None:
            for link in links_between(before, numbered, version.valid_from):
                builder.add_link(link)
                report.links[link.kind] = report.links.get(link.kind, 0) + 1
            before = numbered or before
        report.versions += 1
        report.inferred += version.inferred and version.valid_from is not None
        report.undated += version.valid_from is None
        report.articles += len(numbered)
        report.unnumbered += len(articles) - len(numbered)
        level["versions"] += 1
        level["articles"] += len(numbered)
        _account(planned, laws, bool(numbered), report)


def _articles(laws: list[ParsedLaw], planned: VersionPlan) -> Iterator[Article]:
    version, loose = planned.version, 0
    for law, part in zip(laws, planned.parts, strict=True):
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


def _account(planned: VersionPlan, laws: list[ParsedLaw], numbered: bool, report: Report) -> None:
    for law in laws:
        if len(laws) > 1:
            report.joined[law.source] = planned.version.label
        elif numbered:
            report.parsed.append(law.source)
        else:
            report.texts.append(law.source)
        report.remarks.extend(f"{law.source}: {problem}" for problem in law.problems)
        if law.unlisted:
            report.unlisted.append(law.source)
    if len(laws) > 1:
        counted = Counter(article.number for law in laws for article in law.numbered)
        last = max((number.number for number in counted), default=0)
        absent = [n for n in range(1, last + 1) if ArticleNumber(n) not in counted]
        twice = [number.chinese for number, count in counted.items() if count > 1]
        if absent or twice:
            label = planned.version.label
            report.remarks.append(f"{label}: {len(absent)} numbers missing between its parts, twice: {twice[:5]}")


def _tell(report: Report, progress: Progress) -> None:
    lines = [f"not imported: {reason}" for reason in report.refused.values()]
    lines += [f"contradiction: {label}: {reason}" for label, reason in report.conflicts.items()]
    lines += [f"remark: {remark}" for remark in report.remarks]
    if report.unlisted:
        lines.append(
            f"remark: {len(report.unlisted)} histories end before the last change, which the file name dates"
        )
    for line in lines[:_TOLD]:
        progress(line, 0, 0)
    if len(lines) > _TOLD:
        progress(f"{len(lines) - _TOLD} more lines are in {REPORT} of the pack", 0, 0)
