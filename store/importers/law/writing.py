"""What every reader of statutes gives, and the one place that makes a pack of it: versions in their order, links
between their articles, and the report that accounts for what was read.

The report (`statutes.json` in the pack) holds no times, so that the same sources always give the same pack.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from store.builder import PackBuilder
from store.importers import Progress
from store.statutes.comparing import links_between
from store.statutes.model import Article, Law, LawVersion, Link
from store.statutes.names import aliases_of

REPORT = "statutes.json"
_EVERY = 100


@dataclass(frozen=True, slots=True)
class Origin:
    """What a pack says of where its texts come from, under which terms, and whether they are all there are."""

    source: str
    licence: str
    coverage: Literal["complete", "harvest"] = "harvest"


@dataclass(frozen=True, slots=True)
class StatedLaw:
    """A law as its sources state it: all its versions, the oldest first, each with its articles.

    aliases: those that are written down, not those that follow from its name.
    """

    law: Law
    aliases: tuple[str, ...]
    versions: tuple[tuple[LawVersion, tuple[Article, ...]], ...]
    links: tuple[Link, ...] = ()


@dataclass
class LawCounts:
    """What was written. articles: those with a number; texts: those of them whose words are known; levels: level ->
    laws, versions and articles."""

    laws: int = 0
    versions: int = 0
    inferred: int = 0
    undated: int = 0
    articles: int = 0
    texts: int = 0
    unnumbered: int = 0
    links: Counter[str] = field(default_factory=Counter)
    levels: dict[str, Counter[str]] = field(default_factory=dict)


def write_pack(
    name: str,
    origin: Origin,
    laws: Iterable[StatedLaw],
    summary: Callable[[LawCounts], dict[str, Any]],
    progress: Progress,
    *,
    as_of: str = "",
    total: int | None = None,
    links: Iterable[Link] = (),
    compare: bool = True,
) -> tuple[Path, dict[str, Any]]:
    """Build a pack of laws; gives its path and its report.

    Args:
        name: of the pack.
        origin: where the laws come from.
        laws: read while the pack is written; what is raised here leaves no pack.
        summary: makes the report of what was written.
        progress: is told of every hundred laws, and of the indexes.
        as_of: the day up to which the laws are known; empty: the newest day in them.
        total: how many laws there are, where that is known.
        links: those that belong to no single law; they are asked for after the laws.
        compare: whether the articles of one version are compared with those of the next to find new numbers.
    """
    tally = LawCounts()
    with PackBuilder(
        name, jurisdiction="CN", source=origin.source, licence=origin.licence, coverage=origin.coverage, as_of=as_of
    ) as builder:
        for stated in laws:
            _write_law(builder, stated, tally, compare)
            if tally.laws % _EVERY == 0 or tally.laws == total:
                progress("writing laws", tally.laws, total)
        _add_links(builder, links, tally)
        report = summary(tally)
        builder.add_file(REPORT, (json.dumps(report, ensure_ascii=False, indent=1) + "\n").encode())
        return builder.finish(progress), report


def _write_law(builder: PackBuilder, stated: StatedLaw, tally: LawCounts, compare: bool) -> None:
    law = stated.law
    builder.add_law(law, aliases_of(law.name, law.short, *stated.aliases))
    tally.laws += 1
    level = tally.levels.setdefault(law.level or "?", Counter())
    level["laws"] += 1
    before: list[Article] = []
    for version, articles in stated.versions:
        builder.add_version(version, articles)
        numbered = [article for article in articles if article.number.number]
        if compare and version.valid_from is not None:
            _add_links(builder, links_between(before, numbered, version.valid_from), tally)
            before = numbered or before
        tally.versions += 1
        tally.inferred += version.inferred and version.valid_from is not None
        tally.undated += version.valid_from is None
        tally.articles += len(numbered)
        tally.texts += sum(article.text is not None for article in numbered)
        tally.unnumbered += len(articles) - len(numbered)
        level["versions"] += 1
        level["articles"] += len(numbered)
    _add_links(builder, stated.links, tally)


def _add_links(builder: PackBuilder, links: Iterable[Link], tally: LawCounts) -> None:
    for link in links:
        builder.add_link(link)
        tally.links[link.kind] += 1
