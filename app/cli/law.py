"""`moot law`: an article on a day, its wordings side by side, and the faults of a statute book. Days are inclusive."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import date
from typing import Any

import click

from app.cli.help_text import Whole
from app.cli.law_options import UsageError, json_option, pack_option
from app.cli.law_options import book_of as _book
from app.cli.law_options import chosen as _chosen
from app.cli.law_options import read_day as _day
from app.cli.law_options import say as _say
from app.cli.law_options import today as _today
from app.cli.law_options import unknown as _unknown
from app.cli.law_search import bench, search
from app.cli.law_words import (
    answer_data,
    answer_line,
    change_word,
    doubt_lines,
    entry_data,
    family_lines,
    finding_data,
    period,
    place,
    relation_data,
    state_word,
)
from app.cli.tables import Data
from app.strings import t
from app.terminal import clean, json_text, pad
from store.errors import StoreError
from store.pack import Pack
from store.statutes.book import Answer, Found, Gap, NoText, NotYet, Repealed, StatuteBook, Unknown
from store.statutes.check import KINDS, check, check_law
from store.statutes.model import Article, ArticleNumber, LawVersion
from store.statutes.timeline import Entry, timeline, wording
from store.text.citation import parse_number
from store.text.difference import MARKS, Piece, difference

_COLOURS = {"removed": "red", "added": "green"}


@click.group(cls=Whole)
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
@json_option
def show(law_name: str, article: str, at: str | None, pack_name: str | None, as_json: bool) -> None:
    """Show what an ARTICLE of a LAW said on a day, or why it said nothing.

    Example: moot law show 刑法 133-1 --at 2016-05-01 --pack statutes
    """
    number, today = _number(article), _today()
    day = _day(at) if at else today
    with Pack.open(_chosen(pack_name, law_name)) as pack:
        book = _book(pack)
        answer = book.on(law_name, number, day)
        if isinstance(answer, Unknown):
            raise _unknown(answer, number, pack)
        entry = book.law(law_name)
        assert entry is not None
        entries = timeline(book, entry.name, number, day)
        if as_json:
            data = answer_data(book, answer, today)
            head = {
                "pack": pack.name,
                "law": entry.name,
                "short": entry.short,
                "article": number.key,
                "chinese": number.chinese,
            }
            doubts = doubt_lines(book, answer, day)
            told = {"doubts": doubts, "at": day.isoformat(), "today": today.isoformat(), **data}
            links = [_link_data(link) for link in book.links(entry.name, number)]
            shown = [entry_data(book, one, today) for one in entries]
            click.echo(json_text({**head, **told, "links": links, "timeline": shown}))
            return
        doubtful = isinstance(answer, Found) and book.doubt(answer.version, day) is not None
        _say(f"《{entry.name}》{number.chinese}　{day.isoformat()}　{answer_line(answer, doubtful)}")
        for line in doubt_lines(book, answer, day):
            _say(line)
        _show_answer(book, answer, today, entries)
        _show_timeline(book, entries, today)


@law.command()
@click.argument("law_name", metavar="LAW")
@pack_option
@json_option
def family(law_name: str, pack_name: str | None, as_json: bool) -> None:
    """Show what a LAW interprets, implements, amends or repeals, and what does so to it, each with its basis.

    Example: moot law family 民法典 --pack laws
    """
    with Pack.open(_chosen(pack_name, law_name)) as pack:
        book = _book(pack)
        entry = book.law(law_name)
        name = entry.name if entry else None if book.named(law_name) else book.relations.called(law_name)
        if name is None:
            raise _unknown(Unknown("law", law_name, tuple(book.near(law_name))), None, pack)
        of, upon = book.relations.of(name), book.relations.upon(name)
        if as_json:
            told = {"of": list(map(relation_data, of)), "upon": list(map(relation_data, upon))}
            click.echo(json_text({"pack": pack.name, "law": name, **told}))
            return
        for depth, line in family_lines(book, name, _today()):
            _say("  " * depth + line)
        if not of and not upon:
            _say(t("law.no_family"))


@law.command()
@click.argument("law_name", metavar="LAW")
@click.argument("article", metavar="ARTICLE")
@click.option("--from", "first", required=True, metavar="DATE", help="A day on which the old wording applied.")
@click.option("--to", "second", required=True, metavar="DATE", help="A day on which the new wording applied.")
@pack_option
@json_option
def diff(law_name: str, article: str, first: str, second: str, pack_name: str | None, as_json: bool) -> None:
    """Compare the wording of an ARTICLE on two days, word by word; [-gone-] and {+new+} in plain text.

    ARTICLE is its number on the first day; where a revision renumbered the law it is followed.

    Example: moot law diff 刑法 133-1 --from 2012-01-01 --to 2016-01-01 --pack statutes
    """
    number = _number(article)
    days = (_day(first), _day(second))
    with Pack.open(_chosen(pack_name, law_name)) as pack:
        book = _book(pack)
        old = _with_text(book, pack, law_name, number, days[0])
        followed, uncertain = _followed(book, old, number, days[1])
        new = _with_text(book, pack, law_name, followed, days[1])
    pieces = difference(old.article.text or "", new.article.text or "")
    if as_json:
        sides = {"from": _side(old, days[0]), "to": _side(new, days[1])}
        shown = [{"kind": piece.kind, "text": piece.text} for piece in pieces]
        same = all(piece.kind == "same" for piece in pieces)
        click.echo(
            json_text({"law": old.version.law, **sides, "same": same, "uncertain": uncertain, "pieces": shown})
        )
        return
    for mark, side in (("-", old), ("+", new)):
        _say(
            f"{mark} {side.article.number.chinese}　{side.version.label}　{period(side.version)}　{side.article.title}"
        )
    if followed != number:
        _say(t("law.followed", old=number.chinese, new=followed.chinese))
    if uncertain:
        _say(t("law.uncertain"))
    click.echo()
    click.echo(_coloured(pieces) if any(piece.kind != "same" for piece in pieces) else t("law.same"))


@law.command(name="check")
@click.option("--law", "law_name", default=None, help="Only this law.")
@pack_option
@json_option
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
                raise _unknown(Unknown("law", law_name, tuple(book.near(law_name))), None, pack)
            findings = list(check_law(book, entry.name))
        findings.sort(key=lambda finding: KINDS.index(finding.kind))
        shown = [finding_data(finding) for finding in findings]
        counts = book.counts()
        if as_json:
            kinds = {kind: n for kind in KINDS if (n := sum(1 for finding in findings if finding.kind == kind))}
            click.echo(json_text({"pack": pack.name, **counts, "counts": kinds, "findings": shown}))
            return
    _say(t("law.counts", pack=pack.name, **counts))
    last = ""
    for one in shown:
        if one["kind"] != last:
            last = one["kind"]
            click.echo(f"\n{t(f'law.kind.{last}')}　{t(f'law.todo.{last}')}")
        _say(f"  {pad(one['certainty'], 8)}　{one['what']}")
    if not shown:
        click.echo(t("law.sound"))


def _number(text: str) -> ArticleNumber:
    number = parse_number(text)
    if number is None:
        raise UsageError(
            f"{text[:40]!r} is not the number of one article", "Write it like 第一百三十三条之一, 133-1 or 133."
        )
    return number


def _show_answer(book: StatuteBook, answer: Answer, today: date, entries: Sequence[Entry]) -> None:
    match answer:
        case Found(article, version, others) | NoText(article, version, others):
            _show_version(book, version, article, today, entries)
            for other in others:
                _say(t("law.other", label=other.label, period=period(other)))
            if article is not None:
                _show_neighbours(book, article)
        case NotYet(first, article, _):
            _show_version(book, first, article, today, entries)
        case Repealed(last, article, successors, _):
            for link in successors:
                shown = f"《{link.to_law}》{link.to_number.chinese if link.to_number else ''}"
                _say(t("law.successor", law=shown, on=link.on.isoformat(), basis=link.basis))
            _show_version(book, last, article, today, entries)
        case Gap():
            if answer.basis:
                _say(t("law.gap_basis", basis=answer.basis))
            sides = (("before", answer.before, answer.article_before), ("after", answer.after, answer.article_after))
            for word, side, words in sides:
                if side is not None:
                    click.echo(f"\n{t(f'law.{word}')}")
                    _show_version(book, side, words, today, entries)


def _show_version(
    book: StatuteBook, version: LawVersion, article: Article | None, today: date, entries: Sequence[Entry]
) -> None:
    inferred = t("law.inferred") if version.inferred else ""
    _line("version", version.label)
    _line("period", f"{period(version)}　{state_word(book, version, today)}{inferred}")
    if article is None:
        return
    if (days := wording(entries, version.label)) is not None:
        _line("wording", t("law.span", first=days[0] or "?", last=days[1] or t("law.open")))
    _line("place", place(article))
    _line("amended_by", article.amended_by)
    _line("source", article.text_source + (t("law.derived") if article.derived else ""))
    _line("listed", article.listed)
    click.echo()
    if article.title:
        _say(f"【{article.title}】")
    click.echo(clean(article.text) if article.text is not None else t("law.no_words"))


def _show_neighbours(book: StatuteBook, article: Article) -> None:
    near = book.neighbours(article)
    click.echo()
    for word, other in zip(("previous", "next"), near, strict=True):
        if other is not None:
            _line(word, f"{other.number.chinese}　{other.title}")


def _show_timeline(book: StatuteBook, entries: Sequence[Entry], today: date) -> None:
    having = [entry for entry in entries if entry.article is not None]
    if len(entries) < 2 or not having:
        return
    click.echo(f"\n{t('law.timeline')}")
    for entry in entries:
        shown = entry.article.number.chinese if entry.article else "—"
        _say(f"  {pad(period(entry.version), 26)}　{pad(shown, 22)}　{change_word(entry)}　{entry.version.label}")


def _line(word: str, text: str) -> None:
    if text:
        _say(f"{pad(t(f'law.{word}'), 10)}{text}")


def _with_text(book: StatuteBook, pack: Pack, law_name: str, number: ArticleNumber, day: date) -> Found:
    answer = book.on(law_name, number, day)
    if isinstance(answer, Unknown):
        raise _unknown(answer, number, pack)
    if not isinstance(answer, Found):
        shown = f"{law_name[:60]}{number.chinese}　{day.isoformat()}　{answer_line(answer)}"
        raise StoreError(shown.rstrip("。"), t("law.no_diff"))
    return answer


def _followed(book: StatuteBook, old: Found, number: ArticleNumber, day: date) -> tuple[ArticleNumber, bool]:
    """The number that the article has on another day, and whether that is only assumed."""
    entries = timeline(book, old.version.law, number, old.version.valid_from)
    target = next((n for n, entry in reversed(list(enumerate(entries))) if entry.version.covers(day)), None)
    start = next((n for n, entry in enumerate(entries) if entry.version.label == old.version.label), None)
    if target is None or start is None or entries[target].article is None:
        return number, False
    between = entries[min(start, target) + 1 : max(start, target) + 1]
    article = entries[target].article
    assert article is not None
    return article.number, any(entry.uncertain for entry in between)


def _side(found: Found, day: date) -> Data:
    version, article = found.version, found.article
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


def _coloured(pieces: Sequence[Piece]) -> str:
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        return "".join(
            click.style(clean(piece.text), fg=_COLOURS.get(piece.kind), strikethrough=piece.kind == "removed" or None)
            for piece in pieces
        )
    return "".join(clean(piece.text).join(MARKS[piece.kind]) for piece in pieces)
