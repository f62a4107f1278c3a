"""`moot law`: an article on a day, its wordings side by side, and the faults of a statute book. Days are
inclusive."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import date
from typing import Any

import click

from app.cli.common import Data, ParagraphHelpGroup, json_option, say
from app.cli.law_search import LawUsageError, bench, pack_option, search
from app.cli.law_search import book_of as _book
from app.cli.law_search import chosen as _chosen
from app.cli.law_search import read_day as _day
from app.cli.law_search import unknown as _unknown
from app.law_lines import reading_lines
from app.law_reading import ArticleView, read_article
from app.law_words import (
    answer_data,
    answer_line,
    change_word,
    clause_sides,
    counterpart_data,
    doubt_words,
    entry_data,
    finding_data,
    following_data,
    period,
)
from app.strings import t
from app.terminal import clean, json_text, pad
from store.errors import StoreError
from store.pack import Pack
from store.statutes.book import Answer, ArticleFound, StatuteBook, UnknownArticle
from store.statutes.check import KINDS, check, check_law
from store.statutes.comparing import ClauseComparison, articles_of, compare
from store.statutes.model import Article, ArticleNumber, LawVersion
from store.statutes.timeline import TimelineEntry, followed, timeline
from store.text.citation import parse_number
from store.text.difference import Clause, DiffPiece, difference

WIDTH = 72
"""Cells of bars and rules."""
_COLOURS = {"removed": "red", "added": "green"}


@click.group(cls=ParagraphHelpGroup)
def law() -> None:
    """Read statutes in time: search them, show an article on a day, compare wordings, check a statute book.

    Example: moot law show 刑法 第一百三十三条之一 --at 2016-05-01 --pack statutes
    """


law.add_command(search)
law.add_command(bench)


@law.command()
@click.argument("law_name", metavar="LAW")
@click.argument("article", metavar="ARTICLE")
@click.option("--at", "at", default=None, metavar="DATE", help="The day, like 2016-05-01; default: today.")
@pack_option
@json_option()
def show(law_name: str, article: str, at: str | None, pack_name: str | None, as_json: bool) -> None:
    """Show what an ARTICLE of a LAW said on a day, or why it said nothing.

    Example: moot law show 刑法 133-1 --at 2016-05-01 --pack statutes
    """
    number = _number(article)
    with Pack.open(_chosen(pack_name, law_name)) as pack:
        book = _book(pack)
        reading = read_article(book, law_name, number, _day(at) if at else None)
        if isinstance(reading.answer, UnknownArticle):
            raise _unknown(reading.answer, number, pack)
        if as_json:
            return click.echo(json_text(_reading_data(pack, book, reading)))
        if isinstance(reading.answer, ArticleFound):
            found = answer_line(reading.answer, reading.doubt is not None, reading.stale is not None)
            say(f"《{reading.law.name}》{number.chinese}　{reading.day or reading.today}　{found}")
        for line in reading_lines(reading, WIDTH, keys=False):
            say("".join(text for text, _ in line))
        _show_timeline(reading.entries)


@law.command()
@click.argument("law_name", metavar="LAW")
@click.argument("article", metavar="ARTICLE")
@click.option("--from", "first", required=True, metavar="DATE", help="A day on which the old wording applied.")
@click.option("--to", "second", required=True, metavar="DATE", help="A day on which the new wording applied.")
@pack_option
@json_option()
def diff(law_name: str, article: str, first: str, second: str, pack_name: str | None, as_json: bool) -> None:
    """Compare the wording of an ARTICLE on two days, clause by clause; in a terminal the words that differ are
    coloured.

    ARTICLE is its number on the first day; where a revision renumbered, split or merged it, it is followed.

    Example: moot law diff 刑法 133-1 --from 2012-01-01 --to 2016-01-01 --pack statutes
    """
    number = _number(article)
    days = (_day(first), _day(second))
    with Pack.open(_chosen(pack_name, law_name)) as pack:
        book = _book(pack)
        old = _with_text(book, pack, law_name, number, days[0])
        new, uncertain = _then(book, pack, old, number, days[1])
        found = compare(book, (old.version, old.article), new)
        doubts = doubt_words(book.doubt(new[0], days[1]), book.stale(days[1]))
        if not found.new:
            raise _no_diff(old.version.law, number, days[1], book.on(old.version.law, number, days[1]))
    target = new[1] or found.new[0].article
    if as_json:
        sides = {"from": _side(old.version, old.article, days[0]), "to": _side(new[0], target, days[1])}
        pieces = difference(old.article.text or "", target.text or "")
        shown = [{"kind": piece.kind, "text": piece.text} for piece in pieces]
        rows = [_clause_data(found, row) for row in found.rows]
        told = {"same": found.same, "uncertain": uncertain, "doubts": doubts, "pieces": shown, "clauses": rows}
        return click.echo(json_text({"law": old.version.law, **sides, **told}))
    for side, version, parts in (("old", old.version, found.old), ("new", new[0], found.new)):
        named = "、".join(
            f"{one.number.chinese}{f'【{one.title}】' if one.title else ''}" for one in articles_of(parts)
        )
        say(f"{t(f'law_screen.side.{side}')}　{named}　{version.label}　{period(version)}")
    if target.number != number:
        say(t("law.followed", old=number.chinese, new=target.number.chinese))
    if uncertain:
        say(t("law.uncertain"))
    for line in doubts:
        say(line)
    click.echo()
    if found.same:
        click.echo(t("law.same"))
    for row in found.rows:
        _read_out(found, row)


@law.command(name="check")
@click.argument("law_name", metavar="[LAW]", required=False)
@pack_option
@json_option()
def check_(law_name: str | None, pack_name: str | None, as_json: bool) -> None:
    """Report faults of a statute book: gaps, overlaps, numbers, damaged texts, windows against known law.

    Example: moot law check --pack statutes --json
    """
    with Pack.open(_chosen(pack_name, law_name or "")) as pack:
        book = _book(pack)
        if law_name is None:
            findings = list(check(book))
        else:
            entry = book.law(law_name)
            if entry is None:
                raise _unknown(UnknownArticle("law", law_name, tuple(book.near(law_name))), None, pack)
            findings = list(check_law(book, entry.name))
        findings.sort(key=lambda finding: KINDS.index(finding.kind))
        shown = [finding_data(finding) for finding in findings]
        counts = book.counts()
        if as_json:
            kinds = {kind: n for kind in KINDS if (n := sum(1 for finding in findings if finding.kind == kind))}
            return click.echo(json_text({"pack": pack.name, **counts, "counts": kinds, "findings": shown}))
    say(t("law.counts", pack=pack.name, **counts))
    last = ""
    for one in shown:
        if one["kind"] != last:
            last = one["kind"]
            click.echo(f"\n{t(f'law.kind.{last}')}　{t(f'law.todo.{last}')}")
        say(f"  {pad(one['certainty'], 8)}　{one['what']}")
    if not shown:
        click.echo(t("law.sound"))


def _number(text: str) -> ArticleNumber:
    number = parse_number(text)
    if number is None:
        raise LawUsageError(
            f"{text[:40]!r} is not the number of one article", "Write it like 第一百三十三条之一, 133-1 or 133."
        )
    return number


def _reading_data(pack: Pack, book: StatuteBook, reading: ArticleView) -> Data:
    today, day = reading.today, reading.day or reading.today
    entries = timeline(book, reading.law.name, reading.number, day)
    return {
        "pack": pack.name,
        "law": reading.law.name,
        "short": reading.law.short,
        "article": reading.number.key,
        "chinese": reading.number.chinese,
        "doubts": doubt_words(reading.doubt, reading.stale),
        "at": day.isoformat(),
        "today": today.isoformat(),
        **answer_data(book, reading.answer, today),
        "links": [_link_data(link) for link in book.links(reading.law.name, reading.number)],
        "timeline": [entry_data(book, entry, today) for entry in entries],
        "counterpart": counterpart_data(reading.counterpart),
        "following": list(map(following_data, reading.cited)),
    }


def _show_timeline(entries: Sequence[TimelineEntry]) -> None:
    having = [entry for entry in entries if entry.article is not None]
    if len(entries) < 2 or not having:
        return
    click.echo(f"\n{t('law.timeline')}")
    for entry in entries:
        shown = entry.article.number.chinese if entry.article else "—"
        say(f"  {pad(period(entry.version), 26)}　{pad(shown, 22)}　{change_word(entry)}　{entry.version.label}")


def _with_text(book: StatuteBook, pack: Pack, law_name: str, number: ArticleNumber, day: date) -> ArticleFound:
    answer = book.on(law_name, number, day)
    if isinstance(answer, UnknownArticle):
        raise _unknown(answer, number, pack)
    if not isinstance(answer, ArticleFound):
        raise _no_diff(law_name, number, day, answer)
    return answer


def _no_diff(law_name: str, number: ArticleNumber, day: date, answer: Answer) -> StoreError:
    shown = f"{law_name[:60]}{number.chinese}　{day.isoformat()}　{answer_line(answer)}"
    return StoreError(shown.rstrip("。"), t("law.no_diff"))


def _then(
    book: StatuteBook, pack: Pack, old: ArticleFound, number: ArticleNumber, day: date
) -> tuple[tuple[LawVersion, Article | None], bool]:
    """The version of another day with the article as it stands there, None where it only lives on in others; and
    whether that it is the same article is assumed from the number alone."""
    covering = [version for version in book.versions(old.version.law) if version.covers(day)]
    if covering:
        following, uncertain = followed(book, number, old.version, covering[-1])
        if following is None:
            return (covering[-1], None), False
        number = following
    else:
        uncertain = False
    found = _with_text(book, pack, old.version.law, number, day)
    return (found.version, found.article), uncertain


def _side(version: LawVersion, article: Article, day: date) -> Data:
    return {
        "day": day.isoformat(),
        "version": version.label,
        "valid_from": version.valid_from.isoformat() if version.valid_from else None,
        "valid_to": version.valid_to.isoformat() if version.valid_to else None,
        "article": article.number.key,
        "title": article.title,
        "text": article.text,
        "derived": article.derived,
    }


def _read_out(found: ClauseComparison, row: Clause) -> None:
    """Print a clause: once where both sides have it, else the old wording and the new one under each other.

    Where a side has several articles, their numbers stand before their clauses.
    """
    places = {"old": (found.old, row.old), "new": (found.new, row.new)}
    for side, pieces in clause_sides(row).items():
        if side == "new" and row.kind == "same":
            continue
        parts, own = places[side]
        number = f"〔{parts[own[0]].article.number.chinese}〕" if len(articles_of(parts)) > 1 else ""
        name = "　" if row.kind == "same" else t(f"law_screen.side.{side}")
        click.echo(f"{name}　{number}{''.join(map(_coloured, pieces))}")


def _clause_data(found: ClauseComparison, row: Clause) -> Data:
    sides = {"old": [found.old[n] for n in row.old], "new": [found.new[n] for n in row.new]}
    told: Data = {"kind": row.kind}
    for side, parts in sides.items():
        told |= {
            side: "".join(part.text for part in parts),
            f"{side}_article": parts[0].article.number.key if parts else None,
        }
    return told | {"pieces": [{"kind": piece.kind, "text": piece.text} for piece in row.pieces]}


def _link_data(link: Any) -> Data:
    return {
        "kind": link.kind,
        "from_law": link.from_law,
        "from": link.from_number.key if link.from_number else None,
        "to_law": link.to_law,
        "to": link.to_number.key if link.to_number else None,
        "on": link.on.isoformat(),
        "basis": link.basis,
        "inferred": link.inferred,
    }


def _coloured(piece: DiffPiece) -> str:
    words = clean(piece.text)
    colour = _COLOURS.get(piece.kind) if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else None
    return click.style(words, fg=colour, bold=True) if colour else words
