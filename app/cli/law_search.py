"""`moot law search` and `bench`, and what the commands of `moot law` share."""

from __future__ import annotations

import re
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path

import click

from app.cli.common import Data, json_option, note, say
from app.hosts import consent
from app.law_lines import period_bar
from app.law_reading import LAST, life_of, today
from app.law_words import note_words, period, place, state_word
from app.strings import t
from app.terminal import clean, json_text, pad
from store import manifest as manifests
from store.errors import BadInput, DamagedData, NotFound, StoreError
from store.importers.reading import records
from store.pack import Pack
from store.search.documents import CONSTANT, FUSION, fuse
from store.search.law_search import CHANNELS, Hit, LawResults, LawSearch, SearchSettings, Window
from store.search.query import LawQuery, analyse
from store.statutes.book import StatuteBook, UnknownArticle
from store.statutes.model import ArticleNumber
from store.text.citation import parse_number
from store.text.dates import parse_date
from tasks.run.engines import embedder_of

pack_option = click.option(
    "--pack",
    "pack_name",
    default=None,
    help="The pack; default: the one that knows the law, real law before fiction.",
)


class LawUsageError(BadInput):
    """Something on the command line cannot be read."""

    exit_code = 2


def chosen(name: str | None, law: str = "", text: str = "") -> str:
    """The pack that was named, else the one that knows the law, else the only one with real law, else sample.

    Args:
        name: what `--pack` says.
        law: a law that the command is about.
        text: a question that may name laws.
    """
    if name is not None:
        return name
    having = [folder.name for folder in manifests.installed() if _has_statutes(folder)]
    knowing = [pack for pack in having if _knows(pack, law, text)] if law or text else []
    wanted = knowing or having
    real = [pack for pack in wanted if pack not in LAST]
    if len(real) > 1:
        what = f"Several packs know {law[:40]}" if knowing and law else "Several packs hold statutes"
        raise LawUsageError(f"{what}: {', '.join(real)}", "Choose one with --pack.")
    found = next(iter([*real, *(pack for pack in LAST if pack in wanted)]), "sample")
    if len(having) > 1:
        note(f"pack {found}")
    return found


def _has_statutes(folder: Path) -> bool:
    try:
        return bool(manifests.read(folder).counts.statutes)
    except DamagedData:
        raise  # whatever another pack would answer, this one may have been meant
    except StoreError:
        return False


def _knows(pack_name: str, law: str, text: str) -> bool:
    try:
        with Pack.open(pack_name) as pack:
            book = StatuteBook(pack)
            return bool(book.named(law)) if law else bool(analyse(text, book).laws)
    except DamagedData:
        raise
    except StoreError:
        return False


def book_of(pack: Pack) -> StatuteBook:
    """The statutes of a pack; NotFound where it has none."""
    book = StatuteBook(pack)
    if not book.laws():
        raise NotFound(
            f"Pack {pack.name} holds no statutes", "Import some: moot data import legalsearch PATH --name statutes."
        )
    if book.limit_to(today()):
        note(t("law.as_of_later", pack=pack.name, day=pack.manifest.as_of))
    return book


def read_day(text: str) -> date:
    """A day on the command line."""
    day = parse_date(text)
    if day is None:
        raise LawUsageError(f"{text[:40]!r} is not a date", "Write a day that exists, like 2016-05-01.")
    return day


def unknown(answer: UnknownArticle, number: ArticleNumber | None, pack: Pack) -> NotFound:
    """What to raise for a law or article that the pack does not know."""
    if answer.what == "law":
        near = f"Did you mean {', '.join(answer.near)}?" if answer.near else "See `moot law check` for what it holds."
        return NotFound(f"Pack {pack.name} holds no law named {answer.law[:60]}", near)
    if answer.what == "days":
        return NotFound(f"The days on which {answer.law} applied are not known in pack {pack.name}")
    shown = number.chinese if number else ""
    return NotFound(f"No version of {answer.law} in pack {pack.name} has an article {shown}")


BAR = 12
"""Cells of the bar of a window over the life of its law."""
_CUTS = (5, 10, 50, 100)
_EXTRACT = 120
_ARTICLE = re.compile(r"(.+)(第[^第]{1,20}条(?:之.{1,4})?).*")


@click.command()
@click.argument("text")
@click.option("--at", "at", default=None, metavar="DATE", help="The day, like 2016-05-01, in place of those in TEXT.")
@click.option("--law", "law_name", default=None, help="Only this law (name or short name).")
@click.option("-k", "k", type=click.IntRange(1, 200), default=10, help="How many hits.")
@pack_option
@json_option()
def search(
    text: str,
    at: str | None,
    law_name: str | None,
    k: int,
    pack_name: str | None,
    as_json: bool,
) -> None:
    """Search statutes: TEXT may name days, laws, articles and chapters; they filter before anything is ranked.

    Example: moot law search "2016年5月醉酒驾驶机动车" --pack statutes
    """
    if not text.strip():
        raise LawUsageError(
            "There is nothing to search for", "Write what the question is, like: moot law search 醉酒驾驶."
        )
    day = read_day(at) if at else None
    with Pack.open(chosen(pack_name, law_name or "", text)) as pack:
        book = book_of(pack)
        if law_name is not None and not book.named(law_name):
            raise unknown(UnknownArticle("law", law_name, tuple(book.near(law_name))), None, pack)
        consent()
        searcher = LawSearch(pack, embed=embedder_of(pack))
        searcher.book.limit_to(today())
        settings = SearchSettings(
            k=k,
            at=day,
            law=law_name,
            today=today(),
        )
        query = searcher.analyse(text, today=today())
        _refuse(query, day)
        answer = searcher.search(query, settings)
        if as_json:
            return click.echo(json_text(_answer_data(pack, searcher, answer, settings)))
        _show(searcher, answer)


@click.command()
@click.option(
    "--queries", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=True,
    help="JSON lines: id, query, articles (law name and 第…条).",
)  # fmt: skip
@pack_option
@json_option()
def bench(file: Path, pack_name: str | None, as_json: bool) -> None:
    """Measure the search of statutes against questions whose articles are known.

    Example: moot law bench --queries questions.jsonl --pack laws --json
    """
    questions = list(_questions(file))
    if not questions:
        raise BadInput(f"{file.name} holds no questions", "It needs JSON lines with id, query and articles.")
    with Pack.open(chosen(pack_name)) as pack:
        book_of(pack)
        consent()
        data = measure(LawSearch(pack, embed=embedder_of(pack)), questions, "newest", _progress)
        data = {"pack": pack.name, "window": "newest", **data}
    if as_json:
        return click.echo(json_text(data))
    heads = [f"R@{cut}" for cut in _CUTS] + ["MRR@10"]
    click.echo(t("law.bench.head", n=data["n"], gold=data["gold"], missing=len(data["missing"]), window="newest"))
    click.echo(pad("", 10) + "".join(f"{head:>9}" for head in heads))
    for name, row in [*data["channels"].items(), (t("law.bench.fused"), data["fused"])]:
        click.echo(pad(name, 10) + "".join(f"{row[key]:9.2f}" for key in _KEYS))
    spans = (f"{low:.1f}–{high:.1f}" for low, high in (data["intervals"]["fused"][key] for key in _KEYS))
    click.echo(pad(t("law.bench.interval"), 10) + "".join(f"{span:>9}" for span in (f" {span}" for span in spans)))
    click.echo(t("law.bench.time", ms=data["milliseconds"]))
    click.echo(t("law.bench.candidates", share=data["candidates"], p50=data["p50"], p95=data["p95"]))
    for name, gain in data["gains"].items():
        parts = (
            f"{key} {gain[key]:+.2f} [{gain[f'{key}_interval'][0]:+.2f}, {gain[f'{key}_interval'][1]:+.2f}]"
            for key in _GAINS
        )
        click.echo(t("law.bench.gain", channel=pad(name, 10), gains="  ".join(parts), ms=gain["milliseconds"]))
    for article in data["missing"][:20]:
        say(t("law.bench.missing", article=article))


_KEYS = (*(f"R{cut}" for cut in _CUTS), "MRR10")
_GAINS = ("R10", "R100", "candidates")
_BLOCK = 30

Gold = tuple[str, ArticleNumber]


def measure(
    searcher: LawSearch,
    questions: Sequence[Data],
    window: Window,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Data:
    """Recall and rank of each channel and of their fusion over questions (id, query, articles); what each channel
    gains."""
    settings = SearchSettings(k=max(_CUTS), window=window)
    values: dict[str, list[dict[str, float]]] = {name: [] for name in (*CHANNELS, "fused")}
    without: dict[str, list[dict[str, float]]] = {name: [] for name in CHANNELS}
    missing: dict[str, None] = {}
    gold_count = 0
    spent: list[float] = []
    # The first question opens the indexes.
    searcher.rankings(searcher.analyse(questions[0]["query"]), settings)
    opened = dict(searcher.seconds)
    for done, question in enumerate(questions):
        progress(done, len(questions))
        gold = _gold(searcher, question["articles"], missing)
        gold_count += len(gold)
        began = time.perf_counter()
        _, rankings, fused = searcher.rankings(searcher.analyse(question["query"]), settings)
        spent.append(1000 * (time.perf_counter() - began))
        named = {name: rankings.get(name, []) for name in CHANNELS} | {"fused": [row for row, _ in fused]}
        for name, rows in named.items():
            values[name].append(_figures(searcher, rows, gold))
        for name in CHANNELS:
            less = {other: ranks for other, ranks in rankings.items() if other != name}
            rows = [row for row, _ in fuse(less, FUSION, CONSTANT)] if name in rankings else named["fused"]
            without[name].append(_figures(searcher, rows, gold))
    progress(len(questions), len(questions))
    blocks = [_block(question, place_) for place_, question in enumerate(questions)]
    means = {name: {key: _mean(row[key] for row in rows) for key in _KEYS} for name, rows in values.items()}
    intervals = {
        name: {key: _interval([row[key] for row in rows], blocks) for key in _KEYS} for name, rows in values.items()
    }
    channels = {name: means[name] for name in CHANNELS}
    return {
        "n": len(questions),
        "gold": gold_count,
        "channels": channels,
        "fused": means["fused"],
        "candidates": _mean(row["candidates"] for row in values["fused"]),
        "gains": {
            name: _gain(values["fused"], without[name], blocks)
            | {"milliseconds": round(1000 * (searcher.seconds[name] - opened[name]) / len(questions), 2)}
            for name in CHANNELS
        },
        "intervals": {"channels": {name: intervals[name] for name in channels}, "fused": intervals["fused"]},
        "missing": list(missing),
        "milliseconds": round(sum(spent) / len(spent), 1),
        "p50": round(statistics.median(spent), 1),
        "p95": round(statistics.quantiles(spent, n=20)[-1] if len(spent) > 1 else spent[0], 1),
    }


def _gain(fused: Sequence[Data], without: Sequence[Data], blocks: Sequence[int]) -> Data:
    """What a channel adds to the fusion, in points, each with its interval."""
    found: Data = {}
    for key in _GAINS:
        differences = [one[key] - other[key] for one, other in zip(fused, without, strict=True)]
        found |= {key: _mean(differences), f"{key}_interval": _interval(differences, blocks)}
    return found


def _mean(values: Iterable[float]) -> float:
    return round(100 * statistics.fmean(values), 2)


def _block(question: Data, place_: int) -> int:
    number = question.get("id")
    return (number if isinstance(number, int) else place_) // _BLOCK


def _gold(searcher: LawSearch, articles: Iterable[str], missing: dict[str, None]) -> list[Gold | None]:
    """The articles of a question by law and number; None for one that the pack lacks, which is listed."""
    found: list[Gold | None] = []
    for text in articles:
        match = _ARTICLE.fullmatch(text.strip())
        number = parse_number(match[2]) if match else None
        law = searcher.book.law(match[1].strip().strip("《》")) if match else None
        newest = searcher.catalogue.newest_of(law.name) if law else None
        if newest is None or number not in searcher.book.numbers(newest.law, newest.label):
            missing[text] = None
            found.append(None)
        else:
            found.append((newest.law, number))
    return found


def _figures(searcher: LawSearch, rows: Sequence[int], gold: Sequence[Gold | None]) -> dict[str, float]:
    catalogue = searcher.catalogue
    wanted = {article for article in gold if article}
    ranks: dict[Gold, int] = {}
    if wanted and rows:
        places = catalogue.places(rows)
        for rank, place_ in enumerate(places, 1):
            version = catalogue.versions[int(catalogue.version[place_])]
            article = (version.law, ArticleNumber(*catalogue.parts(int(catalogue.number[place_]))))
            if article in wanted:
                ranks.setdefault(article, rank)
    of = len(set(gold)) or 1
    figures = {f"R{cut}": sum(rank <= cut for rank in ranks.values()) / of for cut in _CUTS}
    best = min(ranks.values(), default=0)
    return figures | {"MRR10": 1 / best if 0 < best <= 10 else 0.0, "candidates": len(ranks) / of}


def _interval(values: Sequence[float], blocks: Sequence[int]) -> list[float]:
    from tasks.scoring.statistics import cluster_bootstrap

    low, high = cluster_bootstrap(values, blocks, draws=1000)
    return [round(100 * low, 2), round(100 * high, 2)]


def _questions(file: Path) -> Iterable[Data]:
    for place_, (_, record) in enumerate(records(file), 1):
        query, articles = record.get("query"), record.get("articles")
        if (
            not isinstance(query, str)
            or not isinstance(articles, list)
            or not all(isinstance(a, str) for a in articles)
        ):
            raise BadInput(
                f"{file.name}, record {place_}: a question needs query (text) and articles (list of texts)"
            )
        yield record


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{done}/{of}", nl=done == of, err=True)


def _refuse(query: LawQuery, day: date | None) -> None:
    """A day that does not exist cannot filter, and an answer without its filter would mislead."""
    for mark in query.notes if day is None else ():
        code, _, said = mark.partition(":")
        if code == "no_such_date":
            raise LawUsageError(
                f"{clean(said, multiline=False)} is not a date", "Write a day that exists, like 2016-05-01."
            )
        if code == "reversed_range":
            raise LawUsageError(
                f"{clean(said, multiline=False)} ends before it begins", "Write the earlier date first."
            )


def _show(searcher: LawSearch, answer: LawResults) -> None:
    query = answer.query
    days = [
        _span(*span) + t("law.search.about") * one.about for span, one in zip(_spans(query), query.spans, strict=True)
    ]
    parts = {
        "time": days,
        "law": query.laws,
        "number": [number.chinese for number in query.numbers],
        "heading": query.headings,
        "keyword": query.keywords,
    }
    for name, found in parts.items():
        if found:
            say(f"{pad(t(f'law_screen.understood.{name}'), 10)}{'、'.join(found)}")
    for words in dict.fromkeys(_note(searcher, code) for code in answer.notes):
        say(words)
    say(
        t(
            "law.search.counts",
            allowed=answer.allowed,
            of=answer.of,
            hits=len(answer.hits),
            ms=f"{answer.milliseconds:.0f}",
        )
    )
    now = today()
    for rank, hit in enumerate(answer.hits, 1):
        click.echo()
        title = f"【{hit.article.title}】" if hit.article.title else ""
        say(f"{rank}. 《{hit.version.law}》{hit.article.number.chinese}　{title}")
        life = life_of(searcher.book.versions(hit.version.law), now)
        window = (hit.version.valid_from, hit.version.valid_to)
        bar = "".join(mark for mark, _ in period_bar(window, life, BAR)) + " " if life is not None else ""
        say(f"   {bar}{period(hit.version)}　{state_word(searcher.book, hit.version, now)}　{hit.version.label}")
        ranks = "　".join(f"{t(f'law_screen.channel.{name}').strip()} {at}" for name, at in hit.ranks.items())
        kept = t("law_screen.kept.join").join(filter(None, (t(f"law_screen.kept.{code}") for code in hit.kept)))
        say("   " + "　".join(part for part in (ranks, kept, place(hit.article)) if part))
        words = " ".join((hit.article.text or "").split())
        said = words[:_EXTRACT] + ("…" if len(words) > _EXTRACT else "")
        ranked_by = t("law.search.worded_by", label=hit.worded_by) if hit.worded_by else ""
        say(f"   {said or t('law.no_words') + ranked_by}")
    if not answer.hits:
        click.echo(t("law.search.nothing"))


def _spans(query: LawQuery) -> list[tuple[str | None, str | None, str]]:
    return [
        (
            None if span.first == date.min else span.first.isoformat(),
            None if span.last == date.max else span.last.isoformat(),
            span.said,
        )
        for span in query.spans
    ]


def _span(first: str | None, last: str | None, said: str) -> str:
    shown = first if first == last and first else t("law.span", first=first or "…", last=last or "…")
    return f"{said} = {shown}" if said != shown else str(shown)


def _note(searcher: LawSearch, code: str) -> str:
    word, _, law = code.partition(":")
    near = searcher.book.near(law) if word == "unknown_law" else ()
    return note_words(code) + (t("law.search.near", laws="、".join(near)) if near else "")


def _answer_data(pack: Pack, searcher: LawSearch, answer: LawResults, settings: SearchSettings) -> Data:
    query, now = answer.query, today()
    return {
        "pack": pack.name,
        "query": query.text,
        "analysis": {
            "spans": [[first, last, said] for first, last, said in _spans(query)],
            "approximate": [span.said for span in query.spans if span.about],
            "laws": list(query.laws),
            "numbers": [number.key for number in query.numbers],
            "headings": list(query.headings),
            "keywords": list(query.keywords),
            "made_by": query.made_by,
        },
        "at": settings.at.isoformat() if settings.at else None,
        "law": settings.law,
        "window": settings.window,
        "paper": settings.paper,
        "allowed": answer.allowed,
        "of": answer.of,
        "notes": list(answer.notes),
        "milliseconds": round(answer.milliseconds, 2),
        "hits": [_hit_data(searcher, hit, now) for hit in answer.hits],
    }


def _hit_data(searcher: LawSearch, hit: Hit, now: date) -> Data:
    article, version = hit.article, hit.version
    return {
        "id": hit.id,
        "law": version.law,
        "label": version.label,
        "number": article.number.key,
        "chinese": article.number.chinese,
        "title": article.title,
        "place": place(article),
        "text": article.text,
        "valid_from": version.valid_from.isoformat() if version.valid_from else None,
        "valid_to": version.valid_to.isoformat() if version.valid_to else None,
        "state": searcher.book.state(version, now),
        "score": hit.score,
        "ranks": dict(hit.ranks),
        "kept": list(hit.kept),
        "provenance": hit.provenance,
        "worded_by": hit.worded_by or None,
    }
